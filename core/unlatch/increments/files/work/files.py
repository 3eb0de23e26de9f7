"""The documents of an increment, where its layout keeps them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.increments.files.metadata_file import conflict_in, document, read_document
from unlatch.increments.files.paths import DISCARDED_MARKS, METADATA, SPEC, TASKS
from unlatch.increments.files.units import UnitFolder, unit_in
from unlatch.values import dataclass

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch.increments.layouts.interface import Layout
    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.unit import Evidence, Unit
    from unlatch.worklog.collection import Folder


@dataclass(frozen=True, slots=True)
class WorkFiles:
    """The documents of one increment.

    Args:
        place: the folder that their `names` begin at; the first has the title.
    """

    place: Path
    names: tuple[str, ...]
    unit: Unit | None = None

    @property
    def listing(self) -> str:
        """The document with the tasks, the first of them where a tool has several."""
        return TASKS if TASKS in self.names else self.names[:2][-1]

    @property
    def layout(self) -> Layout:
        """What reads them; loaded at first use, because many commands only check the files."""
        from unlatch.increments.layouts.native import UNLATCH  # noqa: PLC0415  (slow to load)

        layout = _layout(self.unit) if self.unit else UNLATCH
        marks = _discarded_marks(self.place)
        if not (marks and getattr(layout, "discards", False)):
            return layout
        from unlatch.increments.layouts.discarding import Discarding  # noqa: PLC0415  (rare)

        return Discarding(layout, marks)

    def texts(self) -> dict[str, str]:
        """The texts by name; empty for a document that is missing or not UTF-8 text."""
        return {name: read_document(self.place / name) or "" for name in self.names}

    def checked_texts(self) -> dict[str, str]:
        """The texts by name, empty for missing documents; StoreError if one cannot be read."""
        return {name: document(self.place, name) for name in self.names}

    def unreadable(self) -> list[StoreError]:
        """The errors of reading them."""
        errors = []
        for name in self.names:
            try:
                document(self.place, name)
            except StoreError as error:
                errors.append(error)
        return errors

    def write(self, name: str, content: bytes) -> None:
        """Write a document; the caller holds the increment's lock.

        In the folder of another tool, a file that a crash left beside it is removed first; in a
        folder that units share only one of this document.
        """
        from unlatch.worklog.disk.atomic import replace_file, sweep  # noqa: PLC0415  (to write)

        path = self.place / name
        if self.unit is not None:
            sweep(path.parent, of=path.name if self.unit.is_file else None)
        replace_file(path, content)

    def evidence(self) -> Evidence | None:
        """The status that the files of a unit show now.

        None in a conflict left by git, because both sides of it would count, and where one cannot
        be read: nobody knows what is open in it. An archive shows the status without its files.
        """
        if self.unit is None:
            return None
        texts = self.texts()
        if any(map(conflict_in, texts.values())):
            return None
        if not self.unit.archived and any(map(self._is_unreadable, texts, texts.values())):
            return None
        return self.layout.evidence(self.unit, texts)

    def _is_unreadable(self, name: str, text: str) -> bool:
        if text or read_document(self.place / name) is not None:
            return False
        from unlatch.increments.layouts.folders import has  # noqa: PLC0415  (for units alone)

        return has(self.place / name)


def _discarded_marks(place: Path) -> tuple[str, ...]:
    """The marks that the project around a folder counts as discarded."""
    if not any(DISCARDED_MARKS.values()):
        return ()
    root = next((folder for folder in (place, *place.parents) if folder in DISCARDED_MARKS), None)
    return DISCARDED_MARKS[root] if root else ()


def work_files(folder: Path, unit: Unit | None) -> WorkFiles:
    """The documents of the increment in `folder`; StoreError `layout-missing`."""
    if unit is None:
        return WorkFiles(folder, (SPEC, TASKS))
    return WorkFiles(unit.folder, tuple(_layout(unit).documents(unit)), unit)


def texts_of(folder: Folder) -> list[Path]:
    """The files with the words of an increment: metadata.json, and the documents if known."""
    texts = [folder.path / METADATA]
    with suppress(StoreError):  # its layout is not installed
        files = work_files(folder.path, unit_in(folder))
        texts += (files.place / name for name in files.names)
    return texts


def _layout(unit: Unit) -> Layout:
    from unlatch.increments.layouts.installed import layout_named  # noqa: PLC0415  (slow to load)

    return layout_named(unit.layout)


def files_of(increment: Increment) -> WorkFiles:
    return work_files(increment.folder, increment.unit)


def places_of(folder: UnitFolder) -> tuple[Path, ...]:
    """The place of a unit, and the one that it moves to when it leaves its archive."""
    unit = folder.unit
    if unit is None:
        return ()
    home = work_files(folder.path, unit).layout.home(unit)
    return tuple(dict.fromkeys((unit.place, home)))
