"""Move an increment out of its archive, while it is changed."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.increments.files.units import UnitFolder, unit_in
from unlatch.worklog.collection import Folder
from unlatch.worklog.disk.atomic import writing
from unlatch.worklog.disk.safe_open import make_folders, open_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from unlatch.increments.files.paths import ProjectPaths


@contextmanager
def moved_out(
    paths: ProjectPaths, folder: Folder, *, record: Callable[[], None]
) -> Iterator[Folder]:
    """Move the folder or file out of the archive; move it back if the body fails.

    Moving comes first: a crash in between leaves a completed increment outside the archive, which
    the next resume can reopen. `record` runs before, and not if it cannot be moved.
    """
    here, place, moved = _way_out(paths, folder)
    with suppress(FileExistsError):
        make_folders(place.parent)  # git keeps no empty ones
    with open_folder(place.parent) as increments, open_folder(here.parent) as archive:
        if increments.has(place.name):
            unit = unit_in(folder)
            kind = "file" if unit and unit.is_file else "folder"
            raise StoreError(
                "archive-blocked",
                f"{folder.name} cannot leave the archive: another {kind} has its place",
                where=str(place),
                hint=f"rename or remove that {kind}",
            )
        record()
        with writing(place):
            archive.move(here.name, increments, place.name)
        try:
            yield moved
        except BaseException:
            increments.move(place.name, archive, here.name)
            raise
        with writing(place):
            increments.sync()
            archive.sync()


def _way_out(paths: ProjectPaths, folder: Folder) -> tuple[Path, Path, Folder]:
    """Where an archived increment is and where it belongs, and its folder once it is there."""
    unit = unit_in(folder)
    if unit is None:
        place = paths.increments / folder.name
        return folder.path, place, Folder(folder.name, place, archived=False)
    from unlatch.increments.files.work.unit_changes import moved_home  # noqa: PLC0415  (as above)

    moved = moved_home(unit)
    outside = UnitFolder(folder.name, folder.path, archived=False, unit=moved)
    return unit.place, moved.place, outside
