"""The folders of one kind of work (`0007-search`) and its archives (`_archive`)."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field
from itertools import takewhile
from pathlib import Path

from unlatch.errors import StoreError
from unlatch.values import dataclass
from unlatch.worklog.disk.file_check import UnsafePath, not_a_folder, vanished
from unlatch.worklog.disk.safe_open import ListedFolder, list_folder, open_folder
from unlatch.worklog.ids import has_number
from unlatch.worklog.name_matching import Match, candidates, matching

# A folder, and the time of the last addition or removal.
_Version = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Folder:
    """The folder of one piece of work.

    Args:
        place: its path; a string in long lists, because a Path takes time to make.
        within: its parent folder, while that is open; reading from there is faster.
    """

    name: str
    place: Path | str
    archived: bool
    within: ListedFolder | None = field(default=None, repr=False, compare=False)

    @property
    def path(self) -> Path:
        return self.place if isinstance(self.place, Path) else Path(self.place)


class Collection:
    """The folders of one kind of work in a project; `find` lists them again only after a change.

    Each method raises StoreError `folder-unreadable` if they cannot be listed.

    Args:
        earlier: other places of such folders; of two with one name, `find` returns that in `path`.
    """

    def __init__(self, path: Path, earlier: Sequence[Path] = ()) -> None:
        self.path, self.earlier = path, earlier
        self._found: set[str] = set()
        self._listings: dict[Path, tuple[_Version | None, dict[str, None]]] = {}

    def archives(self) -> Iterator[Path]:
        """The archive folders, by name."""
        yield from self._archives_in(self._names(self.path))

    def _archives_in(self, names: dict[str, None]) -> Iterator[Path]:
        # From the end: of thousands, all but these begin with a number.
        last = takewhile(lambda name: name >= "_", reversed(names))
        yield from (self.path / name for name in sorted(last) if name.startswith("_"))

    def folders(self) -> Iterator[Folder]:
        """All folders by name, the archived ones last.

        An archive that is a link is listed as a folder of its own: reading it fails.
        """
        for place in (self.path, *self.earlier):
            yield from sorted_folders(place, archived=False)
        for archive in self.archives():
            try:
                yield from sorted_folders(archive, archived=True)
            except UnsafePath:
                yield Folder(archive.name, archive, archived=True)

    def ignored(self) -> Iterator[Folder]:
        """The folders whose names do not begin with a number."""
        for parent in (self.path, *self.archives()):
            with suppress(UnsafePath):
                for name in self._names(parent):
                    if not has_number(name) and not name.startswith(("_", ".")):
                        yield Folder(name, parent / name, parent != self.path)

    def find(self, name: str) -> Sequence[Folder]:
        """The folders of this name or number (7, 0007, 24G); archived ones too.

        Raises:
            StoreError: `folder-vanished`, if one of this name was found before.
        """
        folders = self.match(name, up_to=Match.NUMBER_OF_LETTERED)[1]
        if not folders and name in self._found:
            raise vanished(self.path / name)
        return folders

    def match(
        self, wanted: str, *, up_to: Match = Match.WORDS
    ) -> tuple[Match | None, Sequence[Folder]]:
        """The folders that a word means, as `matching`; archived ones too."""
        match = self._match(wanted, up_to)
        if not match[1]:
            # A folder that appeared in the same clock tick may be missing in a known listing.
            self._listings.clear()
            match = self._match(wanted, up_to)
        self._found.update(folder.name for folder in match[1])
        return match

    def _match(self, wanted: str, up_to: Match) -> tuple[Match | None, Sequence[Folder]]:
        places: dict[Path, dict[str, None]] = {self.path: self._names(self.path)}
        for archive in self._archives_in(places[self.path]):
            with suppress(UnsafePath):  # its folders are unknown
                places[archive] = self._names(archive)
        for place in self.earlier:
            known_names = {name for names in places.values() for name in names}
            places[place] = dict.fromkeys(
                name for name in self._names(place) if name not in known_names
            )
        how: Match | None = Match.NAME
        meant: Sequence[str] = (wanted,)
        if not has_number(wanted) or not any(wanted in names for names in places.values()):
            likely = {name for names in places.values() for name in candidates(names, wanted)}
            numbered = [name for name in likely if has_number(name)]
            how, meant = matching(numbered, wanted, up_to=up_to)
        chosen = sorted(set(meant))
        return how, [
            Folder(name, place / name, place not in (self.path, *self.earlier))
            for place, names in places.items()
            for name in chosen
            if name in names
        ]

    def _names(self, parent: Path) -> dict[str, None]:
        """The sorted names of the folders in it, and of links, which may be folders.

        A dictionary, because each of many is looked up by its name.
        """
        with listing(parent):
            version, listed = _version_of(parent), self._listings.get(parent)
            if listed is None or version is None or listed[0] != version:
                with open_folder(parent) as opened:
                    listed = version, dict.fromkeys(opened.folders())
                self._listings[parent] = listed
            return listed[1]
        return {}


def _version_of(folder: Path) -> _Version | None:
    """The version of a folder; None if opening it says why there is none.

    Another folder, behind a link that came in its place, has another version.
    """
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_mtime_ns


def sorted_folders(parent: Path, *, archived: bool) -> Iterator[Folder]:
    """The folders of work directly below `parent`, by name; StoreError as `Collection`."""
    names: list[str] = []
    with listing(parent):
        within, names = list_folder(parent)
    for name in names:
        if has_number(name):
            yield Folder(name, f"{parent}{os.sep}{name}", archived, within)


@contextmanager
def listing(parent: Path) -> Iterator[None]:
    """Raise errors of listing a folder as StoreError; ignore a missing folder."""
    try:
        yield
    except FileNotFoundError:
        return
    except NotADirectoryError as error:
        raise not_a_folder(parent) from error
    except OSError as error:
        raise StoreError(
            "folder-unreadable",
            f"the folder cannot be listed: {error.strerror}",
            where=str(parent),
            hint="check the folder's permissions",
        ) from error
