"""Increments as documents: title, reasons of reopens, and spec.md with tasks.md and briefing.md."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from unlatch.errors import UnlatchError
from unlatch.increments.files.paths import BRIEFING, METADATA
from unlatch.increments.files.snapshots import read_increment
from unlatch.increments.files.units import unit_in
from unlatch.increments.files.work.files import WorkFiles, work_files
from unlatch.related.kinds import Described
from unlatch.worklog.disk.safe_open import read_file
from unlatch.worklog.search_index import Document, Source, file_stamp

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from unlatch.increments.model.increment import Increment
    from unlatch.project.workspace import Workspace
    from unlatch.worklog.collection import Folder

# Bytes of a briefing; ours are smaller.
_LARGEST = 1 << 16


class IncrementDocuments:
    """The increments of a project, the archived ones included."""

    def __init__(self, workspace: Workspace) -> None:
        self._manager = workspace.manager
        self._folders: dict[str, Folder] = {}

    def sources(self) -> Iterator[Source]:
        for folder in self._manager.collection.folders():
            files = work_files(folder.path, unit_in(folder))
            paths = (
                folder.path / METADATA,
                folder.path / BRIEFING,
                *(files.place / name for name in files.names),
            )
            stamp = " ".join(map(file_stamp, paths))
            # Two folders may have one name, and a name need not be UTF-8, as SQLite's texts are.
            place = str(folder.path.relative_to(self._manager.paths.root))
            key = place.encode(errors="backslashreplace").decode()
            self._folders[key] = folder
            yield Source(key, stamp, partial(self._read, folder))

    def _read(self, folder: Folder) -> Document:
        try:
            increment = read_increment(folder, self._manager.shapes)
        except UnlatchError:
            return Document(folder.name)  # `describe` fails, too
        reasons = "\n".join(entry.reason for entry in increment.reopens)
        files = work_files(folder.path, increment.unit)
        return Document(
            f"{folder.name} {increment.title}", reasons, f"{_text(files)}\n{_briefing(folder.path)}"
        )

    def describe(self, key: str) -> Described | None:
        try:
            increment = read_increment(self._folders[key], self._manager.shapes)
        except UnlatchError:
            return None
        return described(increment)


def described(increment: Increment) -> Described:
    """An increment as a result of a search."""
    changed = increment.last_activity or increment.completed_at or increment.created
    reason = increment.reopens[-1].reason if increment.reopens else None
    return Described(increment.id, increment.title, increment.status, changed, reason)


def _text(files: WorkFiles) -> str:
    texts = []
    for name in files.names:
        with suppress(OSError, UnlatchError):
            texts.append(read_file(files.place / name).decode(errors="replace"))
    return "\n".join(texts)


def _briefing(folder: Path) -> str:
    """What a committed briefing.md keeps of work that may not be here."""
    try:
        text = read_file(folder / BRIEFING, at_most=_LARGEST).decode(errors="replace")
    except (OSError, UnlatchError):
        return ""
    from unlatch.related.briefing.text import read_briefing  # noqa: PLC0415  (most have none)

    kept = read_briefing(text, is_wanted=lambda _: True).sections().values()
    return "\n".join(point.text for points in kept for point in points)
