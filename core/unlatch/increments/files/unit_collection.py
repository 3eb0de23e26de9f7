"""The units of other tools among the increments of a project.

unlatch keeps its records of a unit in `.unlatch/increments/KEY`. Until it changed the unit for the
first time, that folder is missing.
"""

from __future__ import annotations

import os
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING, Any

from unlatch.errors import StoreError
from unlatch.increments.files.metadata_file import NewUnitText, invalid, status_in
from unlatch.increments.files.paths import METADATA, SPEC
from unlatch.increments.files.units import UnitFolder, namesake_of, unit_in
from unlatch.increments.files.work.files import work_files
from unlatch.increments.layouts.folders import has
from unlatch.increments.model.status import Status
from unlatch.increments.model.unit import RecordedUnit, Unit, overrides
from unlatch.increments.records.units import read_unit
from unlatch.patterns import pattern
from unlatch.worklog.collection import Collection, Folder, listing
from unlatch.worklog.disk.safe_open import read_file
from unlatch.worklog.ids import number_of
from unlatch.worklog.json_text import json_object
from unlatch.worklog.name_matching import Match, matching
from unlatch.worklog.record import BadRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from unlatch.worklog.json_text.document import JsonText


_PARTS = pattern(r"([^0-9]*)([0-9]{0,18})")


def has_records(folder: Folder) -> bool:
    """Whether unlatch keeps records of an increment; of a unit only once it has changed it."""
    return unit_in(folder) is None or has(folder.path / METADATA)


class UnitCollection(Collection):
    """The increments of a project, and the units of the layouts that it uses."""

    def __init__(self, path: Path, *, root: Path, states: Path, layouts: Sequence[str]) -> None:
        super().__init__(path)
        self.root, self.states, self.layouts = root, states, layouts
        self._last: dict[str, UnitFolder] = {}

    def folders(self) -> Iterator[Folder]:
        units = self._units()
        names = {folder.name for folder in units}
        own = [
            folder
            for folder in super().folders()
            if folder.name not in names or _has_documents(folder)
        ]
        units = _with_namesakes(units, {folder.name: folder.path for folder in own})
        yield from (folder for folder in own if not folder.archived)
        yield from (folder for folder in units if not folder.archived)
        yield from self._without_unit(names)
        yield from (folder for folder in (*own, *units) if folder.archived)

    def ignored(self) -> Iterator[Folder]:
        names = {folder.name for folder in self.folders()}
        yield from (folder for folder in super().ignored() if folder.name not in names)

    def _match(self, wanted: str, up_to: Match) -> tuple[Match | None, Sequence[Folder]]:
        # Listing all units for each of many would take long.
        unit = self._last.get(wanted)
        if unit and unit.unit and has(unit.unit.place) and not _has_documents(unit):
            return Match.NAME, [unit]
        folders = [*self.folders()]
        how, meant = matching({folder.name for folder in folders}, wanted, up_to=up_to)
        chosen = frozenset(meant)
        return how, [folder for folder in folders if folder.name in chosen]

    def _units(self) -> list[UnitFolder]:
        units = [unit for name in self.layouts for unit in self._units_of(name)]
        names = self._recorded_names(units)
        folders = []
        for unit in units:
            name = names.get(unit.uid, unit.key)
            folders.append(UnitFolder(name, self.states / name, unit.archived, unit=unit))
        # Of two with one name neither is meant: `find` lists both.
        twice = {
            name for name, count in Counter(folder.name for folder in folders).items() if count > 1
        }
        self._last = {folder.name: folder for folder in folders if folder.name not in twice}
        return sorted(folders, key=lambda folder: _by_number(folder.name))

    def _recorded_names(self, units: Iterable[Unit]) -> Mapping[str | None, str]:
        """The names under which units with a permanent id are recorded, if they were renamed."""
        keys = {unit.key for unit in units}
        wanted = {unit.uid for unit in units if unit.uid}
        names_by_uid: dict[str | None, str] = {}
        for name in self._names(self.states) if wanted else ():
            if name not in keys and (uid := _recorded_uid(self.states / name)) in wanted:
                names_by_uid[uid] = name
        return names_by_uid

    def _units_of(self, name: str) -> list[Unit]:
        from unlatch.increments.layouts.installed import layout_named  # noqa: PLC0415

        layout = layout_named(name)
        with listing(self.root):
            return [*layout.units(self.root)]
        return []

    def _without_unit(self, names: set[str]) -> Iterator[Folder]:
        """The records of units that are gone; those with a number are among the increments."""
        for name in self._names(self.states):
            if name in names or name.startswith(("_", ".")) or number_of(name) is not None:
                continue
            if has(self.states / name / METADATA):
                yield Folder(name, f"{self.states}{os.sep}{name}", archived=False)


def _by_number(name: str) -> list[tuple[str, int]]:
    """A name as people sort it: TASK-9 is before TASK-10."""
    return [(words, int(digits or 0)) for words, digits in _PARTS.findall(name)]


def _recorded_uid(folder: Path) -> str | None:
    with suppress(OSError, StoreError):
        unit = json_object(read_file(folder / METADATA)).get("unit")
        uid = unit.get("uid") if isinstance(unit, dict) else None
        return uid if isinstance(uid, str) else None
    return None


def _with_namesakes(units: Sequence[UnitFolder], own: Mapping[str, Path]) -> list[UnitFolder]:
    by_name: dict[str, list[UnitFolder]] = {}
    for folder in units:
        by_name.setdefault(folder.name, []).append(folder)

    def namesake(folder: UnitFolder) -> Path | None:
        others = (
            other.unit.place for other in by_name[folder.name] if other.unit and other != folder
        )
        return next(others, own.get(folder.name))

    return [replace(folder, namesake=namesake(folder)) for folder in units]


def _has_documents(folder: Folder) -> bool:
    return has(folder.path / SPEC)


def unit_parts(folder: Folder, text: JsonText, path: str) -> dict[str, Any]:
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
    parts: dict[str, Any] = {"unit": unit, "evidence": now}
    if isinstance(text, NewUnitText):
        return parts | {"status": now.status if now else Status.PLANNING}
    if recorded and (before := _unit_before(folder, unit, recorded)):
        raise _replaced(folder, unit, before)
    status = status_in(text.value, path)
    if now and overrides(status, recorded.evidence if recorded else None, now):
        if unit.older and status.is_finished:
            raise _replaced(folder, unit, unit.older)
        parts |= {"status": now.status, "overridden": status}
    return parts


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
    here, there = (_from_root(folder, path) for path in (unit.place, namesake))
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
    command = " ".join(quote(_from_root(folder, path)) for path in moved)
    here, there = (_from_root(folder, path) for path in (unit.place, before))
    return StoreError(
        "unit-replaced",
        f"the records are of {there}, and {here} has its name now",
        where=str(folder.path),
        hint=f"mv -- {command}; or remove one of the two",
    )
