"""Read increments from their folders, in all shapes that their files may have."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import fields
from functools import reduce
from operator import getitem
from typing import TYPE_CHECKING, Any

from unlatch.errors import StoreError
from unlatch.increments.files.metadata_file import (
    ACTIVITY_KEYS,
    APPROVED,
    COMPLETED_KEYS,
    CREATED_KEYS,
    FORMER,
    ID_KEYS,
    TITLE_KEYS,
    SpecText,
    completion_keys,
    invalid,
    newer_version,
    opened_folder,
    read_metadata,
    read_title,
    status_in,
    words_of_unit,
)
from unlatch.increments.files.paths import METADATA, SPEC
from unlatch.increments.files.units import unit_in
from unlatch.increments.model.increment import FROM_SPEC, BrokenIncrement, Increment
from unlatch.worklog.times import read_stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from unlatch.increments.model.link import Link
    from unlatch.increments.model.reopens import ReopenEntry
    from unlatch.increments.model.status import Status
    from unlatch.increments.records.shapes import Shapes
    from unlatch.spi.operation import Operation
    from unlatch.worklog.collection import Folder
    from unlatch.worklog.disk.folder import OpenFolder
    from unlatch.worklog.json_text.document import JsonText

_RECORDS = frozenset({"reopenHistory", "reopened", "pending", "amendments"})
# Usual keys that are no tracker's name: where there are no others, no trackers are looked for.
_USUAL = _RECORDS.union(
    *(ID_KEYS, TITLE_KEYS, CREATED_KEYS, ACTIVITY_KEYS, COMPLETED_KEYS, (APPROVED, FORMER)),
    ("coverageTarget", "description", "formatVersion", "priority", "status", "testMode", "type"),
)
# The parts of most increments: without records, and not of another tool.
_DEFAULTS = (
    *dict.fromkeys(("reopens", "pending", "amendments"), ()).items(),
    *dict.fromkeys(("unit", "evidence", "overridden")).items(),
)


def read_folder(folder: Folder, shapes: Shapes) -> Increment | BrokenIncrement:
    """The increment in `folder`, or the reason why it cannot be read.

    Parts of it are computed at first use: in long lists most are never needed.
    """
    try:
        text = read_metadata(f"{folder.place}{os.sep}{METADATA}", folder)
        return IncrementHeader.of(folder, text, shapes)
    except StoreError as error:
        place = (error.where or "").removeprefix(f"{folder.path}{os.sep}")
        reason = error.message if place in error.message else f"{error.message} ({place})"
        return BrokenIncrement(
            folder.name, folder.path, error.id, reason, folder.archived, error.hint
        )


def read_increment(folder: Folder, shapes: Shapes, last: Increment | None = None) -> Increment:
    """The increment in `folder`.

    Args:
        last: as it was read before, whose file is parsed again only if it changed since.
    """
    with opened_folder(folder) as opened:
        earlier = text_of(last)
        text = read_metadata(f"{folder.place}{os.sep}{METADATA}", folder, opened, earlier=earlier)
        return snapshot(folder, text, shapes, opened, last=last)


def snapshot(
    folder: Folder,
    text: JsonText,
    shapes: Shapes,
    opened: OpenFolder | None = None,
    *,
    last: Increment | None = None,
) -> Increment:
    """The increment in `folder` by the text of its metadata.json, as `read_increment`."""
    header = header_of(folder, text, shapes, last)
    # The only part that is read from the folder, which may be moved or changed later.
    title = _title(header, opened)
    if header is last and header.title != title:
        header = IncrementHeader.of(folder, text, shapes)
    object.__setattr__(header, "title", title)
    return header


def header_of(
    folder: Folder, text: JsonText, shapes: Shapes, last: Increment | None
) -> IncrementHeader:
    """The increment by its text, with a title that is read when it is needed.

    It is `last` itself if that was made from the same text in the same place.
    """
    if isinstance(last, IncrementHeader) and text_of(last) is text and last.unit is None:
        source: Folder = getattr(last, "source")  # noqa: B009  (mypy sees no computed parts)
        if source.place == folder.place:
            return last
    return IncrementHeader.of(folder, text, shapes)


def text_of(increment: Increment | None) -> JsonText | None:
    """The text that an increment was made from; None for a copy with other parts."""
    return getattr(increment, "text", None)


class IncrementHeader(Increment):
    """An increment with parts that are computed at their first use.

    Making it finds every mistake.
    """

    __slots__ = ("shapes", "source", "text")

    @classmethod
    def of(cls, folder: Folder, text: JsonText, shapes: Shapes) -> IncrementHeader:
        data, from_spec = text.value, isinstance(text, SpecText)
        path = f"{folder.place}{os.sep}{SPEC if from_spec else METADATA}"
        if newer := newer_version(data):
            from unlatch.worklog.installer import upgrade_command  # noqa: PLC0415  (rarely needed)

            message, hint = f"metadata.json has {newer}", f"upgrade: {upgrade_command()}"
            raise StoreError("metadata-newer", message, where=path, hint=hint)
        kind = data.get("type")
        header = cls.__new__(cls)
        put = object.__setattr__
        put(header, "id", folder.name)
        put(header, "status", status_in(data, path))
        for name, default in _DEFAULTS:
            put(header, name, default)
        if "unit" in data or unit_in(folder):
            from unlatch.increments.files.unit_collection import unit_parts  # noqa: PLC0415

            for name, part in unit_parts(folder, text, path).items():
                put(header, name, part)
        put(header, "type", kind if isinstance(kind, str) else None)
        put(header, "archived", folder.archived)
        put(header, "data", data)
        put(header, "from_spec", from_spec)
        if not _RECORDS.isdisjoint(data):
            for name, part in _of_records(data, path, shapes).items():
                put(header, name, part)
        put(header, "source", folder)
        put(header, "text", text)
        put(header, "shapes", shapes)
        return header

    if not TYPE_CHECKING:  # type checkers would accept every misspelt attribute

        def __getattr__(self, name: str) -> Any:
            if name not in _COMPUTED:
                raise AttributeError(name)
            part = _COMPUTED[name](self)
            object.__setattr__(self, name, part)
            return part

    def with_status(
        self,
        status: Status,
        pending: tuple[Operation, ...],
        reopens: tuple[ReopenEntry, ...] | None = None,
    ) -> Increment:
        """The same with another status; the other parts are still computed at their first use."""
        header = IncrementHeader.__new__(IncrementHeader)
        for name in (*Increment.__slots__, *IncrementHeader.__slots__):
            with suppress(AttributeError):  # it was not computed yet
                object.__setattr__(header, name, object.__getattribute__(self, name))
        object.__setattr__(header, "status", status)
        object.__setattr__(header, "pending", pending)
        if reopens is not None:
            object.__setattr__(header, "reopens", reopens)
        return header

    @property
    def whole(self) -> Increment:
        """The whole increment, with all parts computed."""
        return Increment(**{field.name: getattr(self, field.name) for field in fields(Increment)})

    def __eq__(self, other: object) -> bool:
        theirs = other.whole if isinstance(other, IncrementHeader) else other
        return self.whole == theirs

    def __hash__(self) -> int:
        return hash(self.whole)


def _of_records(data: Mapping[str, Any], path: str, shapes: Shapes) -> dict[str, Any]:
    """The attributes of an increment that its records of reopens and operations decide."""
    from unlatch.increments.records.pending import read_pending  # noqa: PLC0415  (slow to load)
    from unlatch.increments.records.reopens import AMENDED, read_reopens  # noqa: PLC0415
    from unlatch.worklog.record import BadRecord  # noqa: PLC0415

    try:
        return {
            "reopens": read_reopens(data, shapes.synced),
            "pending": read_pending(data),
            "amendments": AMENDED.read_all(data.get("amendments", []), "/amendments"),
        }
    except BadRecord as error:
        raise invalid(f"metadata.json: {error}", path) from error


def _title(header: Any, opened: OpenFolder | None = None) -> str:
    if header.unit is None:
        return read_title(header.source, header.data, opened)
    from unlatch.increments.files.work.files import work_files  # noqa: PLC0415  (units alone)

    files = work_files(header.source.path, header.unit)
    return files.layout.title_in(files.texts()) or words_of_unit(header.id)


def _links(data: Mapping[str, Any], shapes: Shapes) -> tuple[Link, ...]:
    if _USUAL.issuperset(data):
        return ()
    from unlatch.increments.records.link_places import trackers_in  # noqa: PLC0415  (for links)
    from unlatch.increments.records.links import read_links  # noqa: PLC0415

    return read_links(data, shapes.links) if trackers_in(data, shapes.trackers) else ()


def _warnings(folder: Folder, text: JsonText, shapes: Shapes) -> list[str]:
    warnings = [f"{pointer} occurs twice; the last one counts" for pointer in text.duplicates]
    if isinstance(text, SpecText):
        warnings.append(FROM_SPEC)
    if not _USUAL.issuperset(text.value):
        warnings += _unread(text.value, shapes)
    named = next(filter(None, map(text.value.get, ID_KEYS)), None)
    if isinstance(named, str) and named != folder.name:
        warnings.append(f"the id {named!r} differs from the folder's name; the folder counts")
    return warnings


def _unread(value: Any, shapes: Shapes) -> Iterator[str]:
    from unlatch.increments.records.unread_places import (  # noqa: PLC0415  (`list` shows none)
        names_any,
        unread_places,
        unread_reason,
    )

    if not names_any(value, shapes.trackers):
        return
    for tracker in shapes.trackers:
        if tracker not in shapes.links and names_any(value, (tracker,)):
            yield f"its items of {tracker} are not read, because that plugin cannot be used"
    for tracker, shape in shapes.links.items():
        for path in unread_places(value, tracker, shape):
            place = "/".join(map(str, path))
            yield f"{place} {unread_reason(reduce(getitem, path, value), tracker, shape)}"


def _first_time(data: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    for key in keys:
        raw = data.get(key)
        if raw is not None and (time := read_stamp(raw)):
            return time
    return None


_COMPUTED: dict[str, Callable[[Any], Any]] = {
    "folder": lambda header: header.source.path,
    "title": _title,
    "links": lambda header: _links(header.data, header.shapes),
    "warnings": lambda header: tuple(_warnings(header.source, header.text, header.shapes)),
    "created": lambda header: _first_time(header.data, CREATED_KEYS),
    "last_activity": lambda header: _first_time(header.data, ACTIVITY_KEYS),
    "completed_at": lambda header: _first_time(header.data, completion_keys(header.status)),
}
