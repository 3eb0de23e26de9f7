"""Where things lie below a project's root."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UsageError
from unlatch.worklog.ids import matches, number_of
from unlatch.worklog.restore import or_restore
from unlatch.worklog.safe_open import HOMES, OpenFolder, UnsafePath, list_folder, open_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

HOME, SPECWEAVE = HOMES
METADATA = "metadata.json"
EVENTS = "events.jsonl"
SPEC = "spec.md"
TASKS = "tasks.md"


@dataclass(frozen=True, slots=True)
class Folder:
    """An increment's folder.

    Args:
        name: its name, which is the increment's id.
        place: where it lies; as text, because making a path of it takes a while.
        archived: whether that is an archive folder.
        within: the folder around it, while it is open: many are read sooner from there.
    """

    name: str
    place: Path | str
    archived: bool
    within: OpenFolder | None = field(default=None, repr=False, compare=False)

    @property
    def path(self) -> Path:
        """Where it lies."""
        return Path(self.place)


@dataclass(frozen=True, slots=True)
class Layout:
    """The folders of one project.

    Args:
        root: the folder that holds `.unlatch` or `.specweave`.
        increments: the folder that holds the increments.
    """

    root: Path
    increments: Path

    @property
    def home(self) -> Path:
        """What is ours and shared by git: the configuration."""
        return self.root / HOME

    @property
    def config(self) -> Path:
        """The project's configuration."""
        return self.home / "config.toml"

    def archives(self) -> Iterator[Path]:
        """The archive folders, by name."""
        with _listing(self.increments), open_folder(self.increments) as opened:
            for name in opened.folders():
                if name.startswith("_"):
                    yield self.increments / name

    def folders(self) -> Iterator[Folder]:
        """The folders of all increments, by name, the archived ones after the others.

        An archive that is a link, which is not followed, is itself among them: reading it says so.
        """
        yield from sorted_folders(self.increments, archived=False)
        for archive in self.archives():
            try:
                yield from sorted_folders(archive, archived=True)
            except UnsafePath:
                yield Folder(archive.name, archive, archived=True)

    def folders_meant(self, wanted: str, listings: Listings) -> list[Folder]:
        """The folders of increments that `wanted` means, archived ones too.

        Unlike `folders` it looks at none of the others, of which a project may have thousands.

        Args:
            listings: what is known of the folders from before; what appeared this very moment may
                be missing there.
        """
        found: list[Folder] = []
        archives = [name for name in listings.folders_in(self.increments) if name.startswith("_")]
        for place in (self.increments, *(self.increments / name for name in archives)):
            with suppress(UnsafePath):  # none of its increments is known
                names = listings.folders_in(place)
                found += [
                    Folder(name, place / name, place != self.increments)
                    for name in ([wanted] if wanted in names else names)
                    if matches(name, wanted) and number_of(name) is not None
                ]
        return found


class Listings:
    """The folders in folders, listed anew only where something was added or removed since."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[int, list[str]]] = {}

    def folders_in(self, folder: Path) -> list[str]:
        """The names of the folders in it, and of links, which may be folders; sorted."""
        with _listing(folder), open_folder(folder) as opened:
            changed = opened.changed()
            if self._known.get(folder, (None,))[0] != changed:
                self._known[folder] = (changed, opened.folders())
            return self._known[folder][1]
        return []


def sorted_folders(parent: Path, *, archived: bool) -> Iterator[Folder]:
    """The increments' folders directly below `parent`, by name."""
    names: list[str] = []
    with _listing(parent):
        within, names = list_folder(parent)
    for name in names:
        if number_of(name) is not None:
            yield Folder(name, f"{parent}{os.sep}{name}", archived, within)


def _is_folder(place: Path) -> bool:
    """Whether a folder is there, or a link: opening that says what is wrong with it."""
    return place.is_dir() or place.is_symlink()


@contextmanager
def _listing(parent: Path) -> Iterator[None]:
    """Pass over a folder that is not there."""
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
    """The layout of the project that `start` lies in: the nearest folder above with one.

    Raises:
        UsageError: `no-project`.
    """
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
