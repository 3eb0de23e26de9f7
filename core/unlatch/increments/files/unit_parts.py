"""The parts of an increment that the unit of another tool decides."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Any

from unlatch.errors import StoreError
from unlatch.increments.files.reading import NewUnitText, invalid, status_in
from unlatch.increments.files.units import namesake_of, unit_in
from unlatch.increments.files.work.files import work_files
from unlatch.increments.layouts.folders import has
from unlatch.increments.model.status import Status
from unlatch.increments.model.unit import overrides
from unlatch.increments.records.units import read_unit
from unlatch.worklog.record import BadRecord

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch.increments.model.unit import RecordedUnit, Unit
    from unlatch.worklog.collection import Folder
    from unlatch.worklog.json_text.document import JsonText


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
    found: dict[str, Any] = {"unit": unit, "evidence": now}
    if isinstance(text, NewUnitText):
        return found | {"status": now.status if now else Status.PLANNING}
    if recorded and (before := _unit_before(folder, unit, recorded)):
        raise _replaced(folder, unit, before)
    status = status_in(text.value, path)
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
