"""Finding the folder of one increment without listing all others anew."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from unlatch.errors import UsageError
from unlatch.increments.files.layout import Folder, Layout, listing
from unlatch.worklog.atomic import vanished
from unlatch.worklog.file_check import UnsafePath
from unlatch.worklog.ids import matches, number_of
from unlatch.worklog.safe_open import open_folder

if TYPE_CHECKING:
    from pathlib import Path


class Finder:
    """Finds increments by number or name; a folder is listed again only after it changed."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._found: set[str] = set()
        self._listings: dict[Path, tuple[int, list[str]]] = {}

    def find(self, wanted: str) -> Folder:
        """The folder for 7, 0007, or a folder's name; archived ones too."""
        increments = self._layout.increments
        candidates = self._candidates(wanted)
        if not candidates:
            # A folder that appeared in the same clock tick may be missing in a known listing.
            self._listings.clear()
            candidates = self._candidates(wanted)
        if len(candidates) == 1:
            self._found.add(candidates[0].name)
            return candidates[0]
        if wanted in self._found:
            raise vanished(increments / wanted)
        if not candidates:
            raise UsageError(
                "unknown-increment",
                f"there is no increment {wanted!r}",
                where=str(increments),
                hint="unlatch list --all",
            )
        names = ", ".join(str(one.path.relative_to(increments)) for one in candidates)
        raise UsageError(
            "ambiguous-increment",
            f"{wanted!r} may be any of {names}",
            where=str(increments),
            hint="name the folder; of two with one name, rename or remove one",
        )

    def _candidates(self, wanted: str) -> list[Folder]:
        increments = self._layout.increments
        archives = [name for name in self._folders_in(increments) if name.startswith("_")]
        found: list[Folder] = []
        for place in (increments, *(increments / name for name in archives)):
            with suppress(UnsafePath):  # its increments are unknown
                names = self._folders_in(place)
                found += [
                    Folder(name, place / name, place != increments)
                    for name in ([wanted] if wanted in names else names)
                    if matches(name, wanted) and number_of(name) is not None
                ]
        return found

    def _folders_in(self, folder: Path) -> list[str]:
        """The sorted names of the folders in it, and of links, which may be folders."""
        with listing(folder), open_folder(folder) as opened:
            changed = opened.changed()
            if self._listings.get(folder, (None,))[0] != changed:
                self._listings[folder] = (changed, opened.folders())
            return self._listings[folder][1]
        return []
