"""Where things lie below a project's root."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.domain.ids import number_of
from unlatch.errors import StoreError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOME = ".unlatch"
SPECWEAVE = ".specweave"
METADATA = "metadata.json"
EVENTS = "events.jsonl"
SPEC = "spec.md"
TASKS = "tasks.md"


@dataclass(frozen=True, slots=True)
class Folder:
    """An increment's folder.

    Args:
        name: its name, which is the increment's id.
        path: where it lies.
        archived: whether that is an archive folder.
    """

    name: str
    path: Path
    archived: bool


@dataclass(frozen=True, slots=True)
class Layout:
    """The folders of one project.

    Args:
        root: the folder that holds `.unlatch` or `.specweave`.
        increments: the folder that holds the increments.
        command: what the command that is at work here calls itself, for those who wait for it.
    """

    root: Path
    increments: Path
    command: str | None = None

    @property
    def home(self) -> Path:
        """What is ours and shared by git: the configuration."""
        return self.root / HOME

    @property
    def config(self) -> Path:
        """The project's configuration."""
        return self.home / "config.toml"

    @property
    def local(self) -> Path:
        """What is ours and stays on this machine: locks, caches, attempts."""
        return self.home / "local"

    def folders(self) -> Iterator[Folder]:
        """The folders of all increments, by name, the archived ones after the others."""
        yield from sorted_folders(self.increments, archived=False)
        for archive in sorted(_subfolders(self.increments)):
            if archive.startswith("_"):
                yield from sorted_folders(self.increments / archive, archived=True)


def sorted_folders(parent: Path, *, archived: bool) -> Iterator[Folder]:
    """The increments' folders directly below `parent`, by name."""
    for name in sorted(_subfolders(parent)):
        if number_of(name) is not None:
            yield Folder(name, parent / name, archived)


def _subfolders(parent: Path) -> list[str]:
    try:
        with os.scandir(parent) as entries:
            return [entry.name for entry in entries if entry.is_dir()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise StoreError(
            "folder-unreadable",
            f"the increments cannot be listed: {error.strerror}",
            where=str(parent),
            hint="check the folder's permissions",
        ) from error


def find_layout(start: Path) -> Layout:
    """The layout of the project that `start` lies in: the nearest folder above with one.

    Raises:
        UsageError: `no-project`.
    """
    for root in (start, *start.parents):
        if (root / HOME).is_dir() or (root / SPECWEAVE / "increments").is_dir():
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
    return Layout(root, theirs if theirs.is_dir() and not ours.is_dir() else ours)
