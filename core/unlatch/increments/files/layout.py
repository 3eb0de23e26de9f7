"""The folders of a project, and those of its increments."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UsageError
from unlatch.worklog.file_check import UnsafePath, or_restore
from unlatch.worklog.ids import number_of
from unlatch.worklog.safe_open import HOMES, list_folder, open_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.worklog.folder import OpenFolder

HOME, SPECWEAVE = HOMES
METADATA, EVENTS, SPEC, TASKS = "metadata.json", "events.jsonl", "spec.md", "tasks.md"


@dataclass(frozen=True, slots=True)
class Folder:
    """An increment's folder.

    Args:
        place: its path; a string where many are listed, because making a Path takes a while.
        within: the folder around it, while that is open: many are read faster from there.
    """

    name: str
    place: Path | str
    archived: bool
    within: OpenFolder | None = field(default=None, repr=False, compare=False)

    @property
    def path(self) -> Path:
        return Path(self.place)


@dataclass(frozen=True, slots=True)
class Layout:
    """The folders of one project; its root holds `.unlatch` or `.specweave`."""

    root: Path
    increments: Path

    @property
    def home(self) -> Path:
        """The folder of our own files that git shares: the configuration."""
        return self.root / HOME

    @property
    def config(self) -> Path:
        return self.home / "config.toml"

    def archives(self) -> Iterator[Path]:
        """The archive folders, by name."""
        with listing(self.increments), open_folder(self.increments) as opened:
            for name in opened.folders():
                if name.startswith("_"):
                    yield self.increments / name

    def folders(self) -> Iterator[Folder]:
        """The folders of all increments by name, the archived ones last.

        An archive that is a link is not followed and is itself among them: reading it fails.
        """
        yield from sorted_folders(self.increments, archived=False)
        for archive in self.archives():
            try:
                yield from sorted_folders(archive, archived=True)
            except UnsafePath:
                yield Folder(archive.name, archive, archived=True)


def sorted_folders(parent: Path, *, archived: bool) -> Iterator[Folder]:
    """The increments' folders directly below `parent`, by name."""
    names: list[str] = []
    with listing(parent):
        within, names = list_folder(parent)
    for name in names:
        if number_of(name) is not None:
            yield Folder(name, f"{parent}{os.sep}{name}", archived, within)


@contextmanager
def listing(parent: Path) -> Iterator[None]:
    """Explain errors of listing a folder; a missing one is passed over."""
    try:
        yield
    except FileNotFoundError:
        return
    except NotADirectoryError as error:
        raise StoreError(
            "folder-unreadable",
            "a file is in place of the folder",
            where=str(parent),
            hint=or_restore("put the folder in its place", parent, what="it"),
        ) from error
    except OSError as error:
        raise StoreError(
            "folder-unreadable",
            f"the increments cannot be listed: {error.strerror}",
            where=str(parent),
            hint="check the folder's permissions",
        ) from error


def find_layout(start: Path) -> Layout:
    """The layout of the nearest project at or above `start`; raises `no-project`."""
    for root in (start, *start.parents):
        if _is_folder(root / HOME) or _is_folder(root / SPECWEAVE / "increments"):
            return layout_at(root)
    raise UsageError(
        "no-project",
        "no increments here: neither this folder nor one above has .unlatch or .specweave",
        where=str(start),
        hint="unlatch init",
    )


def layout_at(root: Path) -> Layout:
    """The layout of the project at `root`; `.unlatch/increments` goes before `.specweave`'s."""
    ours = root / HOME / "increments"
    theirs = root / SPECWEAVE / "increments"
    return Layout(root, theirs if _is_folder(theirs) and not _is_folder(ours) else ours)


def _is_folder(place: Path) -> bool:
    """Whether a folder is there, or a link: opening a link fails with the reason."""
    return place.is_dir() or place.is_symlink()
