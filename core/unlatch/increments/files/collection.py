"""The increments of a project, to find, read and list them."""

from __future__ import annotations

import gc
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UsageError
from unlatch.increments.files.layout import SPEC, Folder, Layout, listing
from unlatch.increments.files.reading import unreadable_documents, words_of
from unlatch.increments.files.snapshots import Shapes, read_folder, read_increment
from unlatch.increments.model.increment import BrokenIncrement, Increment
from unlatch.worklog.atomic import vanished
from unlatch.worklog.file_check import UnsafePath
from unlatch.worklog.ids import matches, number_of
from unlatch.worklog.safe_open import open_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path


class IncrementCollection:
    """The increments of one project, for reading; a folder is listed again only after it changed.

    Args:
        layout: the project's folders.
        shapes: how the trackers' links are written.
    """

    def __init__(self, layout: Layout, *, shapes: Shapes) -> None:
        self.layout = layout
        self.shapes = shapes
        self._found: set[str] = set()
        self._listings: dict[Path, tuple[int, Sequence[str]]] = {}

    def find(self, wanted: str) -> Folder:
        """The folder for 7, 0007, or a folder's name; archived ones too.

        Raises:
            UsageError: `unknown-increment` or `ambiguous-increment`.
            StoreError: `folder-vanished`, if it was found before.
        """
        increments = self.layout.increments
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

    def read(self, wanted: str) -> Increment:
        """One increment; raises StoreError if its files cannot be read, or as `find`."""
        return read_increment(self.find(wanted), self.shapes)

    def list(self) -> list[Increment | BrokenIncrement]:
        """All increments, archived and broken ones included."""
        return [*self.each(self.layout.folders())]

    def read_all(self) -> tuple[Sequence[Increment], Sequence[BrokenIncrement]]:
        """The increments that can be read, and those that cannot."""
        found = self.list()
        broken = [one for one in found if isinstance(one, BrokenIncrement)]
        return [one for one in found if not isinstance(one, BrokenIncrement)], broken

    def each(self, folders: Iterable[Folder]) -> Iterator[Increment | BrokenIncrement]:
        """The increments in these folders, read one by one."""
        with _without_collection():
            for folder in folders:
                yield read_folder(folder, self.shapes)

    def unreadable_documents(self, increment: Increment) -> Sequence[StoreError]:
        """Why spec.md or tasks.md cannot be read."""
        return unreadable_documents(increment.folder)

    def unreadable_title(self, increment: Increment) -> StoreError | None:
        """Why the title of an increment is its folder's name, if spec.md cannot be read."""
        if increment.title != words_of(increment.id):
            return None
        errors = self.unreadable_documents(increment)
        return next((one for one in errors if (one.where or "").endswith(SPEC)), None)

    def has_frequent_reopens(self, wanted: str, threshold: int = 3) -> bool:
        """Whether it was reopened `threshold` times or more; undone reopens do not count."""
        return self.read(wanted).has_frequent_reopens(threshold)

    def _candidates(self, wanted: str) -> Sequence[Folder]:
        increments = self.layout.increments
        archives = [name for name in self._folders_in(increments) if name.startswith("_")]
        found = []
        for place in (increments, *(increments / name for name in archives)):
            with suppress(UnsafePath):  # its increments are unknown
                names = self._folders_in(place)
                found += [
                    Folder(name, place / name, place != increments)
                    for name in ([wanted] if wanted in names else names)
                    if matches(name, wanted) and number_of(name) is not None
                ]
        return found

    def _folders_in(self, folder: Path) -> Sequence[str]:
        """The sorted names of the folders in it, and of links, which may be folders."""
        with listing(folder), open_folder(folder) as opened:
            changed = opened.changed()
            if self._listings.get(folder, (None,))[0] != changed:
                self._listings[folder] = (changed, opened.folders())
            return self._listings[folder][1]
        return []


@contextmanager
def _without_collection() -> Iterator[None]:
    """Pause the garbage collector while many files are parsed: there is no garbage among them."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
