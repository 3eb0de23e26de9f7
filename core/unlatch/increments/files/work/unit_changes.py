"""What a change of an increment records of a tool's unit, and writes into the tool's files."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.increments.files.metadata_file import conflict_in
from unlatch.increments.files.work.files import WorkFiles, work_files
from unlatch.increments.model.unit import RecordedUnit, Unit
from unlatch.increments.records.units import read_unit, write_unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from unlatch.increments.files.paths import ProjectPaths
    from unlatch.increments.model.status import Status


def note_unit(paths: ProjectPaths, unit: Unit, data: dict[str, Any]) -> None:
    """Record where a unit is, and what its files show, if the status is recorded as well."""
    now, recorded = work_files(unit.place, unit).evidence(), read_unit(data)
    seen = recorded.evidence if recorded else None
    if seen is None or (now and now.status == data["status"]):
        seen = now
    path = unit.place.relative_to(paths.root).as_posix()
    write_unit(data, RecordedUnit(unit.layout, path, unit.uid, seen))


def moved_home(unit: Unit) -> Unit:
    """An archived unit as it is once it has left the archive."""
    home = work_files(unit.place, unit).layout.home(unit)
    return replace(unit, place=home, archived=False)


@contextmanager
def status_in_tool(before: Unit, unit: Unit, to: Status) -> Iterator[None]:
    """Write a new status into the documents of a tool that keeps one there.

    Args:
        before: the unit before it was moved.

    Writing comes before the body, and is taken back if that fails: the evidence that the body
    records is that of the written files.
    """
    files = work_files(unit.place, unit)
    old = {name: text for name, text in files.texts().items() if not conflict_in(text)}
    show = getattr(files.layout, "with_status", None)
    new = show(before, old, to) if show and len(old) == len(files.names) else old
    changed = {name: text for name, text in old.items() if new[name] != text}
    _write(files, {name: new[name] for name in changed})
    try:
        yield
    except BaseException:
        _write(files, changed)
        raise


def _write(files: WorkFiles, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        files.write(name, text.encode())
