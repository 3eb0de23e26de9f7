"""The journal of a migration, written before it: its changes, and the data to undo them.

It is in `.unlatch/migrations/` and belongs in git, so that any clone can finish or undo a
migration, also without local state. A journal comes with the repository and is not trusted: it can
name only places that a migration changes.
"""

import contextlib
import json
import re
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any

from unlatch.errors import StoreError
from unlatch.increments.files.paths import ProjectPaths
from unlatch.worklog.disk.atomic import remove_file, replace_file, writing
from unlatch.worklog.disk.file_check import or_restore, restore_command
from unlatch.worklog.disk.safe_open import make_folders, open_folder, read_file
from unlatch.worklog.ids import is_ulid
from unlatch.worklog.installer import upgrade_command
from unlatch.worklog.json_text.document import JsonText, JsonTextError, render_new
from unlatch.worklog.record import TEXT, TIME, ULID, BadRecord, Record, Type, key, record, text

FORMAT_VERSION = 1
_TREE = r"\.(?:specweave|unlatch)/increments"


class State(StrEnum):
    DONE = "done"
    BEGUN = "begun"
    UNDOING = "undoing"


def _state(raw: Any) -> State:
    try:
        return State(raw)
    except ValueError as error:
        raise BadRecord(f" is not one of {', '.join(State)}") from error


def _place(pattern: str) -> Type:
    """A path from the project's root to a place that a migration changes."""

    def read(raw: Any) -> str:
        path = text(raw)
        is_foreign = ".." in PurePosixPath(path).parts or not re.fullmatch(pattern, path)
        if is_foreign or "\0" in path or "\\" in path:
            raise BadRecord(f": a migration does not change {json.dumps(path)}")
        return path

    return Type("Place", read)


def _list(model: Record) -> Type:
    return Type("List", model.read_all, model.write_all)


_MOVABLE = _place(rf"{_TREE}(?:/[^/]+){{0,2}}")
_EDITABLE = _place(
    rf"{_TREE}(?:/[^/.][^/]*){{1,3}}/metadata\.json|\.unlatch/config\.toml|\.gitattributes"
)
_CONTENT = Type(
    "Content",
    lambda raw: None if raw is None else text(raw).encode(),
    lambda content: None if content is None else content.decode(),
)


@record
class Move:
    """A folder or file that moves."""

    source: str = key(_MOVABLE, "from")
    target: str = key(_MOVABLE, "to")


@record
class Edit:
    """A file that changes.

    Args:
        path: its place after all moves.
        after: the SHA-256 of its content after.
    """

    path: str = key(_EDITABLE)
    before: bytes | None = key(_CONTENT)
    after: str = key(TEXT)


@record
class Journal:
    id: str = key(ULID)
    at: datetime = key(TIME)
    by: str = key(TEXT)
    state: State = key(Type("State", _state))
    moves: tuple[Move, ...] = key(_list(Record.of(Move)))
    edits: tuple[Edit, ...] = key(_list(Record.of(Edit)), "files")


_JOURNAL = Record.of(Journal)


def digest(content: bytes) -> str:
    """The hash of a content in a journal."""
    return sha256(content).hexdigest()


def write_journal(paths: ProjectPaths, journal: Journal) -> None:
    """Write a journal durably."""
    folder = _folder(paths)
    with writing(folder), contextlib.suppress(FileExistsError):
        make_folders(folder)
    entry = {"formatVersion": FORMAT_VERSION, **_JOURNAL.write(journal)}
    replace_file(folder / f"{journal.id}.json", render_new(entry))


def remove_journal(paths: ProjectPaths, journal: Journal) -> None:
    """Remove the journal of a migration that is undone."""
    path = _folder(paths) / f"{journal.id}.json"
    remove_file(path)
    with writing(path), open_folder(paths.home) as home:
        with home.folder(path.parent.name) as folder:
            is_empty = not folder.names()
        if is_empty:
            home.remove_folder(path.parent.name)


def read_journals(paths: ProjectPaths) -> tuple[Journal, ...]:
    """The project's migrations, oldest first."""
    place = _folder(paths)
    try:
        with open_folder(place) as folder:
            files = [place / name for name in folder.names()]
    except FileNotFoundError:
        return ()
    except NotADirectoryError as error:
        raise StoreError(
            "migration-unreadable",
            "a file is in place of the folder of migrations",
            where=str(place),
            hint=or_restore("remove it", place, what="the folder"),
        ) from error
    except PermissionError as error:
        message = f"the folder of migrations cannot be read: {error.strerror}"
        hint = "check its permissions and those of the folders above it"
        raise StoreError("migration-unreadable", message, where=str(place), hint=hint) from error
    return tuple(_read(path) for path in files if path.suffix == ".json" and is_ulid(path.stem))


def _folder(paths: ProjectPaths) -> Path:
    return paths.home / "migrations"


def _read(path: Path) -> Journal:
    try:
        entry = JsonText.parse(read_file(path)).value
        version = entry.get("formatVersion") if isinstance(entry, dict) else None
        if isinstance(version, int) and version > FORMAT_VERSION:
            raise StoreError(
                "migration-newer",
                f"the journal has format version {version}; this unlatch knows {FORMAT_VERSION}",
                where=str(path),
                hint=f"upgrade: {upgrade_command()}",
            )
        journal: Journal = _JOURNAL.read(entry)
        if journal.id != path.stem:
            raise BadRecord("/id differs from the file's name")
    except (OSError, JsonTextError, ValueError) as error:
        raise StoreError(
            "migration-unreadable",
            f"the journal of a migration cannot be read: {error}",
            where=str(path),
            hint=restore_command(path) or "restore the file",
        ) from error
    return journal
