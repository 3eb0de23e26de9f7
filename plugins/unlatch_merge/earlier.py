"""Move records of items from the place where earlier versions keep them.

An earlier version that is used beside this one makes its records there again, so an item may have
two. They share no operation, and are joined by the rules of a merge without a common ancestor. What
the two of them wanted for the same reason is one operation.

A record is moved by one rename under its own locks, so no other process delivers it meanwhile. One
that is to be joined is first taken to a folder that earlier versions do not read: killed at any
time, each operation is in a record that this version reads, and in none that another one delivers.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from unlatch.errors import StoreError
from unlatch.increments.files.locks import NEW, delivery_lock, store_lock
from unlatch.increments.files.metadata_file import ACTIVITY_KEYS, FORMER
from unlatch.increments.files.paths import EVENTS, METADATA, ProjectPaths
from unlatch.increments.files.snapshots import read_folder
from unlatch.increments.model.increment import BrokenIncrement
from unlatch.increments.records.events import Delivered, Withdrawn, read_events
from unlatch.increments.records.pending import has_begun, is_in_doubt, read_pending, set_pending
from unlatch.increments.records.reopens import read_reopens
from unlatch.increments.records.shapes import Shapes
from unlatch.spi.operation import Operation, OperationKey
from unlatch.values import dataclass
from unlatch.worklog.collection import Folder, sorted_folders
from unlatch.worklog.disk.atomic import move_folder, remove_file, replace_file, sweep
from unlatch.worklog.disk.safe_open import exists, read_file, remove_empty
from unlatch.worklog.json_text.document import JsonText
from unlatch.worklog.times import read_stamp
from unlatch_merge.metadata import merge_events, merge_metadata
from unlatch_merge.outcome import Side, UnmergeableError

Data = dict[str, Any]


def move_records(paths: ProjectPaths, shapes: Shapes) -> None:
    """Move all records; those that another process delivers, or nobody can read, stay.

    Raises:
        StoreError: `not-writable`, `locked` or `lock-unsupported`.
    """
    old, moving = paths.earlier
    move = _Move(paths, shapes, moving)
    with store_lock(paths, NEW):
        move.all_in(moving)
        if exists(old):
            with store_lock(move.earlier(old), NEW):
                move.all_in(old)
        for place in (old, moving, old.parent):
            with suppress(OSError, StoreError):
                remove_empty(place)


@dataclass(frozen=True, slots=True)
class _Move:
    """The move of the records of one user; the caller keeps others from making records."""

    paths: ProjectPaths
    shapes: Shapes
    moving: Path

    def earlier(self, place: Path) -> ProjectPaths:
        return replace(self.paths, increments=place, earlier=())

    def all_in(self, place: Path) -> None:
        for folder in [*sorted_folders(place, archived=False)]:
            try:
                with _held(self.earlier(place), folder.name):
                    self._take(folder)
            except StoreError as error:
                if error.id != "locked":
                    raise

    def _take(self, folder: Folder) -> None:
        """Move a record, or join it to that of the same item."""
        name = self._twin(folder)
        if name is None:
            move_folder(folder.path, self.paths.increments / folder.name)
            return
        twin, here = self.paths.increments / name, folder.path
        with _held(self.paths, name):
            try:
                metadata, events = _joined(twin, here, self.shapes)
            except (OSError, StoreError, ValueError):
                return  # one of the two cannot be read: both stay, and doctor names it
            if here.parent != self.moving:
                if exists(self.moving / folder.name):
                    return
                move_folder(here, here := self.moving / folder.name)
            # The events first: what has left `pending` is recorded in them alone.
            replace_file(twin / EVENTS, events)
            if metadata is not None:
                replace_file(twin / METADATA, metadata)
            _remove(here)

    def _twin(self, folder: Folder) -> str | None:
        """The name of the record of the same item; None if there is none.

        Its number follows from the item, and the rest of the name from what people call that.
        """
        number = folder.name.partition("-")[0]
        for other in sorted_folders(self.paths.increments, archived=False):
            if other.name.partition("-")[0] == number and (
                other.name == folder.name or self._links(other) == self._links(folder)
            ):
                return other.name
        return None

    def _links(self, folder: Folder) -> list[tuple[str, str]]:
        record = read_folder(folder, self.shapes)
        links = () if isinstance(record, BrokenIncrement) else record.links
        return [(link.tracker, link.key) for link in links]


@contextmanager
def _held(paths: ProjectPaths, name: str) -> Iterator[None]:
    """Hold a record, unless another process delivers its operations; StoreError `locked`."""
    with ExitStack() as held:
        held.enter_context(delivery_lock(paths, name, patience=0))
        if exists(paths.increments / name / METADATA):  # else the lock would be that of NEW
            held.enter_context(store_lock(paths, name))
        yield


def _remove(folder: Path) -> None:
    sweep(folder)
    # An earlier version left it without metadata.json as well, when it was killed.
    for name in (METADATA, EVENTS):
        remove_file(folder / name)
    with suppress(OSError, StoreError):  # a file that a person put there stays
        remove_empty(folder)


def _joined(ours: Path, theirs: Path, shapes: Shapes) -> tuple[bytes | None, bytes]:
    """The metadata.json of two records of one item, if either has one, and their events."""
    sides = [folder for folder in (ours, theirs) if exists(folder / METADATA)]
    events = merge_events(*(_content(folder / EVENTS) for folder in (ours, theirs)))
    if sides != [ours, theirs]:
        return (_content(sides[0] / METADATA) if sides else None), events
    raw = [_content(side / METADATA) for side in sides]
    texts = [JsonText.parse(content).value for content in raw]
    if not all(isinstance(text, dict) for text in texts):
        raise UnmergeableError("a record is no JSON object")
    take = max(Side, key=lambda side: _last_activity(texts[side is Side.THEIRS]))
    merged = JsonText.parse(merge_metadata(None, *raw, shapes=shapes, take=take).content)
    data: Data = dict(merged.value)
    if theirs.name != ours.name:
        data[FORMER] = list(dict.fromkeys([*data.get(FORMER, ()), theirs.name]))
    ended = {key for side, text in zip(sides, texts, strict=True) for key in _ended(side, text)}
    set_pending(
        data,
        _each_once(
            data, (operation for operation in read_pending(data) if operation.key not in ended)
        ),
    )
    return merged.with_value(data), events


def _content(path: Path) -> bytes:
    try:
        return read_file(path)
    except FileNotFoundError:
        return b""


def _last_activity(data: Data) -> str:
    return max((str(read_stamp(data.get(key)) or "") for key in ACTIVITY_KEYS), default="")


def _ended(record: Path, data: Data) -> set[OperationKey]:
    """The operations that a record knows to have ended, as after an interrupted join."""
    pending = {operation.key for operation in read_pending(data)}
    events = (event for event in read_events(record) if isinstance(event, Delivered | Withdrawn))
    return {(event.op, event.tracker, event.item) for event in events} - pending


def _each_once(data: Data, pending: Iterable[Operation]) -> list[Operation]:
    """Without those that repeat another one: the same kind and reason, and nothing was sent."""
    reasons = {entry.id: entry.reason for entry in read_reopens(data, {})}
    kept: dict[object, Operation] = {}
    for operation in sorted(
        pending, key=lambda operation: (not has_begun(operation), operation.at)
    ):
        what = (
            operation.kind,
            operation.tracker,
            operation.state,
            operation.reason or reasons.get(operation.op),
            operation.labels,
        )
        kept.setdefault(
            operation.key if is_in_doubt(operation) or operation.retries else what, operation
        )
    return sorted(kept.values(), key=lambda operation: operation.at)
