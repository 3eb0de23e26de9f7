"""The journal of a migration: what it does, written before it does it, and all that undoes it.

It lies in `.unlatch/migrations/` and belongs into git, so that a migration can be finished or
undone in any clone, also when everything local was deleted. Because it comes with the repository it
is not trusted: it can name only the places that a migration changes.
"""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from unlatch.errors import StoreError
from unlatch.worklog.atomic import remove_file, replace_file, writing
from unlatch.worklog.ids import is_ulid
from unlatch.worklog.json_text.document import JsonText, JsonTextError, render_new
from unlatch.worklog.restore import or_restore, restore_command
from unlatch.worklog.safe_open import make_folders, open_folder, read_file
from unlatch.worklog.times import read_stamp, stamp

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from unlatch.increments.files.layout import Layout

FORMAT_VERSION = 1
DONE, BEGUN, UNDOING = "done", "begun", "undoing"
_STATES = (DONE, BEGUN, UNDOING)

_TREE = r"\.(?:specweave|unlatch)/increments"
_MOVABLE = re.compile(rf"{_TREE}(?:/[^/]+){{0,2}}")
_EDITABLE = re.compile(
    rf"{_TREE}(?:/[^/.][^/]*){{1,3}}/metadata\.json|\.unlatch/config\.toml|\.gitattributes"
)


@dataclass(frozen=True, slots=True)
class Move:
    """A folder or file that goes elsewhere; both are paths from the project's root."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Edit:
    """A file that changes.

    Args:
        path: where it is once everything has moved, from the project's root.
        before: its content before; None if it was not there.
        after: the SHA-256 of its content after.
    """

    path: str
    before: bytes | None
    after: str


@dataclass(frozen=True, slots=True)
class Journal:
    """One migration."""

    id: str
    at: datetime
    by: str
    state: str
    moves: tuple[Move, ...]
    edits: tuple[Edit, ...]

    def in_state(self, state: str) -> Journal:
        """The same migration, further on."""
        return replace(self, state=state)


def digest(content: bytes) -> str:
    """What a journal knows a content by."""
    return sha256(content).hexdigest()


def write_journal(layout: Layout, journal: Journal) -> None:
    """Keep a journal, on disk when this returns.

    Raises:
        StoreError: `not-writable`.
    """
    folder = _folder(layout)
    with writing(folder), contextlib.suppress(FileExistsError):
        make_folders(folder)
    written = {
        "formatVersion": FORMAT_VERSION,
        "id": journal.id,
        "at": stamp(journal.at),
        "by": journal.by,
        "state": journal.state,
        "moves": [{"from": one.source, "to": one.target} for one in journal.moves],
        "files": [
            {
                "path": one.path,
                "before": None if one.before is None else one.before.decode(),
                "after": one.after,
            }
            for one in journal.edits
        ],
    }
    replace_file(_path(layout, journal.id), render_new(written))


def remove_journal(layout: Layout, journal: Journal) -> None:
    """Forget a migration that is undone.

    Raises:
        StoreError: `not-writable`.
    """
    path = _path(layout, journal.id)
    remove_file(path)
    with writing(path), open_folder(layout.home) as home:
        with home.folder(path.parent.name) as folder:
            is_empty = not folder.names()
        if is_empty:
            home.remove_folder(path.parent.name)


def read_journals(layout: Layout) -> tuple[Journal, ...]:
    """The project's migrations, oldest first.

    Raises:
        StoreError: `migration-unreadable` or `migration-newer`.
    """
    try:
        with open_folder(_folder(layout)) as folder:
            paths = [_folder(layout) / name for name in folder.names()]
    except FileNotFoundError:
        return ()
    except NotADirectoryError as error:
        raise StoreError(
            "migration-unreadable",
            "a file is in place of the folder of migrations",
            where=str(_folder(layout)),
            hint=or_restore("remove it", _folder(layout), what="the folder"),
        ) from error
    return tuple(_read(path) for path in paths if path.suffix == ".json" and is_ulid(path.stem))


def _folder(layout: Layout) -> Path:
    return layout.home / "migrations"


def _path(layout: Layout, id: str) -> Path:
    return _folder(layout) / f"{id}.json"


def _read(path: Path) -> Journal:
    try:
        data = JsonText.parse(read_file(path)).value
        version = data.get("formatVersion")
        if isinstance(version, int) and version > FORMAT_VERSION:
            raise StoreError(
                "migration-newer",
                f"the journal has format version {version}; this unlatch knows {FORMAT_VERSION}",
                where=str(path),
                hint="upgrade: pipx upgrade unlatch",
            )
        return _journal(data, path.stem)
    except (OSError, JsonTextError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise StoreError(
            "migration-unreadable",
            f"the journal of a migration cannot be read: {error}",
            where=str(path),
            hint=restore_command(path) or "put back the file as it was",
        ) from error


def _journal(data: dict[str, Any], id: str) -> Journal:
    at, state = read_stamp(data["at"]), data["state"]
    lists = all(isinstance(data[key], list) for key in ("moves", "files"))
    if data["id"] != id or at is None or state not in _STATES or not lists:
        raise ValueError("id, at or state is not what it has to be")
    moves = tuple(
        Move(_place(m["from"], _MOVABLE), _place(m["to"], _MOVABLE)) for m in data["moves"]
    )
    return Journal(id, at, str(data["by"]), state, moves, tuple(map(_edit, data["files"])))


def _edit(entry: dict[str, Any]) -> Edit:
    before = entry["before"]
    content = None if before is None else before.encode()
    return Edit(_place(entry["path"], _EDITABLE), content, str(entry["after"]))


def _place(path: str, known: re.Pattern[str]) -> str:
    parts = PurePosixPath(path).parts
    if ".." in parts or not known.fullmatch(path) or "\0" in path or "\\" in path:
        raise ValueError(f"{json.dumps(path)} is no place that a migration changes")
    return path
