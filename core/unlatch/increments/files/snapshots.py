"""Read increments from their folders, in all shapes that their files may have."""

from __future__ import annotations

import os
from dataclasses import fields
from shlex import quote
from typing import TYPE_CHECKING, Any

from unlatch.errors import StoreError
from unlatch.increments.files.paths import METADATA, SPEC
from unlatch.increments.files.reading import (
    ACTIVITY_KEYS,
    CREATED_KEYS,
    ID_KEYS,
    NewUnitText,
    SpecText,
    completion_keys,
    invalid,
    newer_version,
    read_metadata,
    read_title,
    words_of_unit,
)
from unlatch.increments.files.units import namesake_of, unit_in
from unlatch.increments.files.work.files import work_files
from unlatch.increments.layouts.folders import has
from unlatch.increments.model.increment import FROM_SPEC, BrokenIncrement, Increment
from unlatch.increments.model.status import Status, read_status
from unlatch.increments.model.unit import RecordedUnit, Unit, overrides
from unlatch.increments.records.link_edits import block_at
from unlatch.increments.records.links import Shapes, read_links
from unlatch.increments.records.pending import read_pending
from unlatch.increments.records.reopens import AMENDED, AMENDMENTS, read_reopens
from unlatch.increments.records.units import UNIT, read_unit
from unlatch.increments.records.unread_places import unread_places, unread_reason
from unlatch.worklog.record import BadRecord
from unlatch.worklog.times import read_stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from unlatch.worklog.collection import Folder
    from unlatch.worklog.json_text.document import JsonText

_RECORDS = frozenset({"reopenHistory", "pending", AMENDMENTS})


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


def read_increment(folder: Folder, shapes: Shapes) -> Increment:
    return snapshot(folder, read_metadata(folder.path / METADATA, folder), shapes)


def snapshot(folder: Folder, text: JsonText, shapes: Shapes) -> Increment:
    """The increment in `folder` by the text of its metadata.json."""
    return IncrementHeader.of(folder, text, shapes).whole


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
            message, hint = f"metadata.json has {newer}", "upgrade: pipx upgrade unlatch"
            raise StoreError("metadata-newer", message, where=path, hint=hint)
        kind = data.get("type")
        one = cls.__new__(cls)
        put = object.__setattr__
        put(one, "id", folder.name)
        put(one, "status", _status(data, path))
        if UNIT in data or unit_in(folder):
            for name, part in _of_unit(folder, text, path).items():
                put(one, name, part)
        put(one, "raw_status", data["status"])
        put(one, "type", kind if isinstance(kind, str) else None)
        put(one, "archived", folder.archived)
        put(one, "data", data)
        put(one, "from_spec", from_spec)
        if not _RECORDS.isdisjoint(data):
            try:
                put(one, "reopens", read_reopens(data, shapes.synced))
                put(one, "pending", read_pending(data))
                amendments = AMENDED.read_all(data.get(AMENDMENTS, []), f"/{AMENDMENTS}")
                put(one, "amendments", amendments)
            except BadRecord as error:
                raise invalid(f"metadata.json: {error}", path) from error
        put(one, "source", folder)
        put(one, "text", text)
        put(one, "shapes", shapes)
        return one

    if not TYPE_CHECKING:  # type checkers would accept every misspelt attribute

        def __getattr__(self, name: str) -> Any:
            if name not in _COMPUTED:
                raise AttributeError(name)
            part = _COMPUTED[name](self)
            object.__setattr__(self, name, part)
            return part

    @property
    def whole(self) -> Increment:
        """The whole increment, with all parts computed."""
        return Increment(**{field.name: getattr(self, field.name) for field in fields(Increment)})

    def __eq__(self, other: object) -> bool:
        theirs = other.whole if isinstance(other, IncrementHeader) else other
        return self.whole == theirs

    def __hash__(self) -> int:
        return hash(self.whole)


def _status(data: Mapping[str, Any], path: str) -> Status:
    raw = data.get("status")
    status = read_status(raw) if isinstance(raw, str) else None
    if status is not None:
        return status
    raise StoreError(
        "status-unknown",
        f"unknown status {raw!r} (known: {', '.join(Status)})"
        if "status" in data
        else f"metadata.json has no status (known: {', '.join(Status)})",
        where=path,
        hint="set status to one of these in metadata.json",
    )


def _of_unit(folder: Folder, text: JsonText, path: str) -> dict[str, Any]:
    """The attributes of an increment that the unit of another tool decides."""
    try:
        recorded, unit = read_unit(text.value), unit_in(folder)
    except BadRecord as error:
        raise invalid(f"metadata.json: {error}", path) from error
    if unit is None:
        raise _vanished(folder, recorded)
    if namesake := namesake_of(folder):
        raise _ambiguous(folder, unit, namesake)
    now = work_files(folder.path, unit).evidence()
    found: dict[str, Any] = {"unit": unit, "evidence": now}
    if isinstance(text, NewUnitText):
        return found | {"status": now.status if now else Status.PLANNING}
    if recorded and (before := _unit_before(folder, unit, recorded)):
        raise _replaced(folder, unit, before)
    status = _status(text.value, path)
    if now and overrides(status, recorded.evidence if recorded else None, now):
        if unit.older and status.is_finished:
            raise _replaced(folder, unit, unit.older)
        found |= {"status": now.status, "overridden": status}
    return found


def _unit_before(folder: Folder, unit: Unit, recorded: RecordedUnit) -> Path | None:
    """The unit that the records are of, if it is still there and another has its name now."""
    if unit.archived:
        return None  # where it was before, a new one may be
    place = _root_of(folder) / recorded.path
    return place if place != unit.place and has(place) else None


def _root_of(folder: Folder) -> Path:
    return folder.path.parents[2]  # from .unlatch/increments/KEY


def _vanished(folder: Folder, recorded: RecordedUnit | None) -> StoreError:
    place = f"{recorded.path} ({recorded.layout})" if recorded else "the folder of its tool"
    records = _from_root(folder, folder.path)
    return StoreError(
        "unit-vanished",
        f"{folder.name} is not at {place} any more",
        where=str(folder.path),
        hint=f"if it was renamed, give {records} its new name; if it is gone, remove {records}; if "
        "[layouts] in .unlatch/config.toml lacks its tool, add it",
    )


def _ambiguous(folder: Folder, unit: Unit, namesake: Path) -> StoreError:
    here, there = (_from_root(folder, one) for one in (unit.place, namesake))
    return StoreError(
        "unit-ambiguous",
        f"{here} and {there} have one name",
        where=str(folder.path),
        hint=f"rename or remove one of {here} and {there}",
    )


def _from_root(folder: Folder, place: Path) -> str:
    return place.relative_to(_root_of(folder)).as_posix()


def _replaced(folder: Folder, unit: Unit, before: Path) -> StoreError:
    moved = (folder.path, folder.path.with_name(before.name))
    command = " ".join(quote(_from_root(folder, one)) for one in moved)
    here, there = (_from_root(folder, one) for one in (unit.place, before))
    return StoreError(
        "unit-replaced",
        f"the records are of {there}, and {here} has its name now",
        where=str(folder.path),
        hint=f"mv -- {command}; or remove one of the two",
    )


def _title(one: Any) -> str:
    if one.unit is None:
        return read_title(one.source, one.data)
    files = work_files(one.source.path, one.unit)
    return files.layout.title_in(files.texts()) or words_of_unit(one.id)


def _warnings(folder: Folder, text: JsonText, shapes: Shapes) -> list[str]:
    found = [f"{pointer} occurs twice; the last one counts" for pointer in text.duplicates]
    if isinstance(text, SpecText):
        found.append(FROM_SPEC)
    for tracker, shape in shapes.links.items():
        for path in unread_places(text.value, tracker, shape):
            place = "/".join(map(str, path))
            reason = unread_reason(block_at(text.value, path), tracker, shape)
            found.append(f"{place} {reason}")
    named = next(filter(None, map(text.value.get, ID_KEYS)), None)
    if isinstance(named, str) and named != folder.name:
        found.append(f"the id {named!r} differs from the folder's name; the folder counts")
    return found


def _first_time(data: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    for key in keys:
        raw = data.get(key)
        if raw is not None and (time := read_stamp(raw)):
            return time
    return None


_COMPUTED: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("reopens", "pending", "amendments"), lambda _one: ()),
    "folder": lambda one: one.source.path,
    **dict.fromkeys(("unit", "evidence", "overridden"), lambda _one: None),
    "title": _title,
    "links": lambda one: read_links(one.data, one.shapes.links),
    "warnings": lambda one: tuple(_warnings(one.source, one.text, one.shapes)),
    "created": lambda one: _first_time(one.data, CREATED_KEYS),
    "last_activity": lambda one: _first_time(one.data, ACTIVITY_KEYS),
    "completed_at": lambda one: _first_time(one.data, completion_keys(one.status)),
}
