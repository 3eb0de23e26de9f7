"""Changing an increment's files: under its lock, in one step, and nothing but what changed."""

from __future__ import annotations

import contextlib
import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from unlatch.errors import StoreError
from unlatch.increments.files import front_matter
from unlatch.increments.files.amendments import write_amendments
from unlatch.increments.files.layout import METADATA, SPEC, Folder
from unlatch.increments.files.reading import read_document, read_metadata
from unlatch.increments.files.snapshots import read_increment, snapshot
from unlatch.increments.model.status import read_status
from unlatch.worklog.atomic import replace_file, sweep, writing
from unlatch.worklog.safe_open import open_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from unlatch.increments.files.layout import Layout
    from unlatch.increments.files.snapshots import Shapes
    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.status import Status
    from unlatch.worklog.event_log import Event


class Edit(Protocol):
    """A change to an increment: alters `data` in place and returns the events that tell of it."""

    def __call__(self, before: Increment, data: dict[str, Any]) -> list[Event]: ...


def change_folder(
    layout: Layout,
    folder: Folder,
    shapes: Shapes,
    edit: Edit,
    *,
    unarchive: bool = False,
    events_first: bool = False,
) -> Increment:
    """Read, edit and write one increment; its store lock is held by the caller.

    Raises:
        StoreError: the files cannot be read or written; nothing was changed.
    """
    from unlatch.increments.records.events import LOG  # noqa: PLC0415  (reading needs none)

    text = read_metadata(folder.path / METADATA)
    LOG.check(folder.path)
    if text.duplicates:
        raise _duplicate_key(folder, text.duplicates)
    data = copy.deepcopy(text.value)
    told = edit(snapshot(folder, text, shapes), data)
    if events_first:
        LOG.append(folder.path, *told)
    with unarchived(layout, folder, wanted=unarchive) as place:
        sweep(place.path)
        if data != text.value:
            replace_file(place.path / METADATA, text.with_value(data))
    warnings = [] if events_first else _try_append(place, told)
    increment = read_increment(place, shapes)
    warnings += _follow_status(place, increment.status)
    if increment.unwritten:
        warnings += write_amendments(place, increment)
        increment = read_increment(place, shapes)
    return replace(increment, warnings=(*increment.warnings, *warnings))


def _try_append(folder: Folder, told: Iterable[Event]) -> list[str]:
    from unlatch.increments.records.events import LOG  # noqa: PLC0415  (reading needs none)

    # The change is on disk already and its event follows from it, so this is no failure.
    try:
        LOG.append(folder.path, *told)
    except StoreError as error:
        return [f"{error.message}; history tells it from metadata.json all the same"]
    return []


def _follow_status(folder: Folder, status: Status) -> list[str]:
    """Let the status line of spec.md follow metadata.json; what went wrong, if anything did.

    A spelling that means the same is left alone.
    """
    path = folder.path / SPEC
    try:
        spec = read_document(path)
        said = front_matter.status(spec) if spec is not None else None
        if spec is not None and said is not None and read_status(said) is not status:
            replace_file(path, front_matter.with_status(spec, status.value).encode())
    except StoreError as error:
        return [f"{error.message}; the next command mends its status line"]
    return []


def _duplicate_key(folder: Folder, keys: tuple[str, ...]) -> StoreError:
    return StoreError(
        "metadata-duplicate-key",
        f"metadata.json has {', '.join(keys)} twice; writing would lose one of the values",
        where=str(folder.path / METADATA),
        hint="remove the wrong one by hand, then run the command again",
    )


@contextlib.contextmanager
def unarchived(layout: Layout, folder: Folder, *, wanted: bool) -> Iterator[Folder]:
    """The folder, moved out of the archive if that is wanted; moved back if the body fails.

    Moving comes first: a crash in between leaves a completed increment outside the archive, which
    the next resume takes as it is.

    Raises:
        StoreError: `archive-blocked`, if its place is taken.
    """
    if not wanted or not folder.archived:
        yield folder
        return
    place = layout.increments / folder.name
    with open_folder(layout.increments) as increments, open_folder(folder.path.parent) as archive:
        if increments.has(folder.name):
            raise StoreError(
                "archive-blocked",
                f"{folder.name} cannot leave the archive: its place is taken",
                where=str(place),
                hint="rename or remove what is there",
            )
        with writing(place):
            archive.move(folder.name, increments, folder.name)
        try:
            yield Folder(folder.name, place, archived=False)
        except BaseException:
            increments.move(folder.name, archive, folder.name)
            raise
        with writing(place):
            increments.sync()
            archive.sync()
