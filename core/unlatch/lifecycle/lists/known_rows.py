"""The increments of long lists between runs, as git's index knows files: docs/adr/0024."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast
from zlib import crc32

from unlatch import __version__
from unlatch.errors import StoreError
from unlatch.increments.files.metadata_file import read_metadata, words_of
from unlatch.increments.files.paths import METADATA, SPEC
from unlatch.increments.files.snapshots import IncrementHeader, read_folder
from unlatch.increments.model.increment import BrokenIncrement, Increment
from unlatch.increments.model.link import Base, Boxes, Link
from unlatch.increments.model.status import Status
from unlatch.lifecycle.lists.list_row import ListRow, row_of
from unlatch.values import dataclass
from unlatch.worklog.disk.user_files import read_user_file, state_folder
from unlatch.worklog.json_text import load_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from unlatch.increments.records.shapes import Shapes
    from unlatch.worklog.collection import Folder

Known = TypeVar("Known")
_FORMAT = 3
# Bytes; a row has about 400.
_LARGEST = 64 << 20
_FEW = 50
# Nanoseconds. A file may change twice within one tick of its file system's clock, and the longest
# tick is that of FAT.
_UNSURE = 2_000_000_000
# So many facts about a folder, the last ones, are times.
_TIMES = 4


@dataclass(frozen=True, slots=True)
class Kept(Generic[Known]):
    """What is kept of increments.

    Args:
        file: its name.
        row: makes what is kept, which JSON can hold.
        restore: makes what is known from it; the mark goes before it.
    """

    file: str
    row: Callable[[Increment], Sequence[Any]]
    restore: Callable[[Folder, Shapes, Sequence[Any]], Known]


class KnownRows(Generic[Known]):
    """The increments of a project, each known as long as its files are unchanged.

    Only those that metadata.json and spec.md alone determine are kept. Others are read.

    Args:
        root: of the project.
        kept: what is kept of each.
        now: nanoseconds since the epoch.
    """

    def __init__(
        self,
        root: Path,
        shapes: Shapes,
        kept: Kept[Known],
        *,
        now: Callable[[], int] = time.time_ns,
    ) -> None:
        self._root, self._shapes, self._kept, self._now = root, shapes, kept, now
        # Versions and plugins may read the same files differently, and Pythons hash differently.
        self._about = f"{_FORMAT} {__version__} {shapes} {sys.version}".encode()

    def each(
        self, folders: Sequence[Folder], *, complete: bool
    ) -> Iterator[Known | Increment | BrokenIncrement]:
        """The increments in some folders; `complete` if the project has no others."""
        rows, new, restore = self._read(), {}, self._kept.restore
        sure_before = self._now() - _UNSURE
        for folder in folders:
            facts = _facts(folder)
            mark = hash(facts)
            if facts and (row := rows.get(folder.place)) and row[0] == mark:
                yield restore(folder, self._shapes, row)
                continue
            increment = read_folder(folder, self._shapes)
            if (
                facts
                and isinstance(increment, Increment)
                and _is_sure(increment, facts, sure_before)
            ):
                new[folder.place] = (mark, *self._kept.row(increment))
            yield increment
        # Writing all rows takes as long as reading this part of them.
        if len(new) > len(folders) // _FEW:
            kept = (folder.place for folder in folders) if complete else rows
            self._write({**{place: rows[place] for place in kept if place in rows}, **new})

    @property
    def _file(self) -> Path:
        return state_folder(self._root) / self._kept.file

    def _read(self) -> dict[Path | str, Any]:
        with suppress(OSError, ValueError):
            digest, _, content = read_user_file(self._file, at_most=_LARGEST).partition(b"\n")
            if digest == self._digest(content):
                return dict(load_json(content, levels=None))
        return {}

    def _write(self, rows: dict[Any, Any]) -> None:
        from unlatch.worklog.disk.atomic import PRIVATE, replace_file  # noqa: PLC0415

        content = json.dumps(rows).encode()
        with suppress(StoreError):
            replace_file(self._file, self._digest(content) + b"\n" + content, mode=PRIVATE)

    def _digest(self, content: bytes) -> bytes:
        # The file is the user's own: damage is noticed, and nobody forges it.
        return b"%08x" % crc32(self._about + content)


class KnownIncrement(IncrementHeader):
    """An increment with its row; metadata.json is read when a part is used that is not in there."""

    __slots__ = ("row",)

    @classmethod
    def of_row(cls, folder: Folder, shapes: Shapes, row: Sequence[Any]) -> KnownIncrement:
        increment: Any = cls.__new__(cls)
        increment.id, increment.archived = folder.name, folder.archived
        increment.source, increment.shapes, increment.row = folder, shapes, row
        increment.status, increment.title, increment.type = _STATUSES[row[1]], row[2], row[3]
        increment.reopens = increment.pending = increment.amendments = ()
        for name in row[-1]:
            delattr(increment, name)
        return cast("KnownIncrement", increment)

    if not TYPE_CHECKING:  # as in the class above, whose types hold
        from_spec, unit, evidence, overridden = False, None, None, None

        def __getattr__(self, name: str) -> Any:
            if name not in _PARTS:
                return super().__getattr__(name)
            part = _PARTS[name](self)
            setattr(self, name, part)
            return part


_STATUSES = {status.value: status for status in Status}
_RECORDS = ("reopens", "pending", "amendments")


def _row(increment: Increment) -> tuple[Any, ...]:
    return (
        *(increment.status.value, increment.title, increment.type),
        *map(_kept_time, (increment.created, increment.last_activity, increment.completed_at)),
        [_kept_link(link) for link in increment.links],
        [name for name in _RECORDS if getattr(increment, name)],
    )


def _kept_time(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()


def _time(kept: str | None) -> datetime | None:
    return None if kept is None else datetime.fromisoformat(kept)


def _kept_link(link: Link) -> list[Any]:
    base, boxes = link.base, link.base and link.base.boxes
    kept_boxes = boxes and [boxes.ticked, boxes.open, boxes.lines, dict(boxes.marks)]
    return [
        *(link.tracker, link.item, link.url, link.path, link.story, link.target, link.has_block),
        base and [base.local, base.remote, base.state, kept_boxes],
    ]


def _link(kept: Sequence[Any]) -> Link:
    tracker, item, url, path, story, target, has_block, base = kept
    return Link(tracker, item, url, base and _base(*base), tuple(path), story, target, has_block)


def _base(local: str, remote: str, state: str, boxes: Any) -> Base:
    if boxes is None:
        return Base(local, remote, state)
    ticked, open_, lines, marks = boxes
    return Base(local, remote, state, Boxes(tuple(ticked), tuple(open_), lines, marks))


_PARTS: dict[str, Callable[[Any], Any]] = {
    "created": lambda known: _time(known.row[4]),
    "last_activity": lambda known: _time(known.row[5]),
    "completed_at": lambda known: _time(known.row[6]),
    "links": lambda known: tuple(map(_link, known.row[7])),
    "text": lambda known: read_metadata(f"{known.source.place}{os.sep}{METADATA}", known.source),
    "data": lambda known: known.text.value,
    **{name: partial(lambda name, known: getattr(_whole(known), name), name) for name in _RECORDS},
}


def _whole(known: Any) -> IncrementHeader:
    return IncrementHeader.of(known.source, known.text, known.shapes)


def _list_row(increment: Increment) -> tuple[Any, ...]:
    row = row_of(increment)
    return row.status, row.links, row.pending, row.title


LIST_ROWS: Kept[ListRow] = Kept(
    "rows.json",
    _list_row,
    lambda folder, _, row: ListRow(folder.name, folder.archived, *row[1:]),
)
INCREMENTS: Kept[Increment] = Kept("increments.json", _row, KnownIncrement.of_row)


def _facts(folder: Folder) -> tuple[int, ...] | None:
    """What any change to its files changes; None if they have to be read."""
    name, within = folder.name, folder.within
    if within is None or name in within.links:
        return None
    try:
        data = within.lstat(f"{name}{os.sep}{METADATA}")
        spec = within.lstat(f"{name}{os.sep}{SPEC}")
    except OSError:
        return None
    return (
        *(data.st_ino, data.st_size, spec.st_ino, spec.st_size),
        *(data.st_mtime_ns, spec.st_mtime_ns, data.st_ctime_ns, spec.st_ctime_ns),
    )


def _is_sure(increment: Increment, facts: tuple[int, ...], before: int) -> bool:
    """Whether these files determine all of an increment, and any change is noticed."""
    if increment.from_spec or increment.unit or max(facts[-_TIMES:]) >= before:
        return False
    # With the words of the folder's name, a document may be unreadable, which `list` reports.
    return increment.title != words_of(increment.id)
