"""Plan the migration of a SpecWeave tree to the current shape; writes nothing."""

from __future__ import annotations

import contextlib
from functools import reduce
from operator import getitem
from typing import TYPE_CHECKING, Any

from unlatch.errors import StoreError
from unlatch.increments.files.metadata_file import read_metadata
from unlatch.increments.files.paths import HOME, METADATA, SPECWEAVE
from unlatch.spi.table_models import dumped
from unlatch.values import dataclass
from unlatch.worklog.collection import Collection, Folder, sorted_folders
from unlatch.worklog.disk.safe_open import exists, open_folder, read_file
from unlatch_specweave.migrate.canonical import canonical
from unlatch_specweave.migrate.journal import Move

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from unlatch.config.config import RawConfig
    from unlatch.project.workspace import Workspace

THEIRS, OURS = f"{SPECWEAVE}/increments", f"{HOME}/increments"
_ATTRIBUTES = ".gitattributes"
_HEADING = "Configuration of unlatch. `unlatch doctor --settings` lists all settings."
_SOURCE = f"{SPECWEAVE}/config.json"


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file that a migration changes; `path` is its place afterwards, from the root."""

    path: str
    before: bytes | None
    after: bytes


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that is left as it is, and the reason."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class MigrationPlan:
    """A migration; skipped files have another shape, but move unchanged."""

    moves: tuple[Move, ...]
    changes: tuple[FileChange, ...]
    skipped: tuple[SkippedFile, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether the project already has the current shape."""
        return not self.moves and not self.changes


def plan_migration(workspace: Workspace) -> MigrationPlan:
    root = workspace.paths.root
    theirs, ours = root / THEIRS, root / OURS
    moves = tuple(moves_between(root, THEIRS, OURS)) if theirs.is_dir() else ()
    parts = [
        _metadata(workspace, folder, f"{OURS}/{folder.path.relative_to(place).as_posix()}")
        for place in (theirs, ours)
        for folder in _folders(place)
    ]
    parts += [_config(workspace), _attributes(root)]
    return MigrationPlan(
        moves,
        tuple(part for part in parts if isinstance(part, FileChange)),
        tuple(part for part in parts if isinstance(part, SkippedFile)),
    )


def _folders(increments: Path) -> Iterator[Folder]:
    yield from sorted_folders(increments, archived=False)
    for archive in Collection(increments).archives():
        yield from sorted_folders(archive, archived=True)


def moves_between(root: Path, source: str, target: str) -> Iterator[Move]:
    """The fewest moves from all of `source` to `target`."""
    here, there = root / source, root / target
    if not exists(there):
        yield Move(source=source, target=target)
        return
    try:
        with open_folder(here) as opened, open_folder(there):
            names = opened.names()
    except NotADirectoryError:
        names = [METADATA]
    if METADATA in names:
        raise blocked(source, target, there)
    for name in names:
        yield from moves_between(root, f"{source}/{name}", f"{target}/{name}")


def blocked(source: str, target: str, there: Path) -> StoreError:
    """The error for a move to an occupied place."""
    return StoreError(
        "migrate-blocked",
        f"{source} cannot move to {target}, which already exists",
        where=str(there),
        hint="rename or remove one of the two, then run the command again",
    )


def _metadata(workspace: Workspace, folder: Folder, place: str) -> FileChange | SkippedFile | None:
    path = f"{place}/{METADATA}"
    if not exists(folder.path / METADATA):
        return None
    try:
        before = read_file(folder.path / METADATA)
        text = read_metadata(folder.path / METADATA)
        if text.duplicates:
            return SkippedFile(path, f"{', '.join(text.duplicates)} occurs twice")
        after = canonical(folder, text, workspace.manager.shapes)
    except OSError as error:
        return SkippedFile(path, error.strerror or str(error))
    except StoreError as error:
        return SkippedFile(path, error.message)
    if after is None:
        return SkippedFile(
            path, "in the current shape it would lose values or be read in another way"
        )
    return FileChange(path, before, after) if after != before else None


def _attributes(root: Path) -> FileChange | None:
    """.gitattributes with its lines about the increments changed to their new place."""
    with contextlib.suppress(OSError):
        before = read_file(root / _ATTRIBUTES)
        after = before.replace(f"/{THEIRS}/".encode(), f"/{OURS}/".encode())
        if after != before:
            return FileChange(_ATTRIBUTES, before, after)
    return None


def _config(workspace: Workspace) -> FileChange | None:
    """config.toml with all settings of SpecWeave's config.json, which stays for other programs."""
    if not exists(workspace.paths.root / _SOURCE) or not workspace.config.specweave:
        return None
    import tomlkit  # noqa: PLC0415  (slow to load)

    path = workspace.paths.config
    before = read_file(path) if exists(path) else None
    document = tomlkit.parse(before.decode()) if before else tomlkit.document()
    if before is None:
        document.add(tomlkit.comment(_HEADING))
    off = tomlkit.item(False)
    document.add("specweave", off.comment(f"{_SOURCE} is not read any more"))
    for steps, value in _inherited(workspace.raw_config):
        table: Any = document
        for depth, step in enumerate(steps[:-1], 2):
            if step not in table:
                table.add(step, tomlkit.table(is_super_table=depth < len(steps)))
            table = table[step]
        table.add(steps[-1], tomlkit.item(value).comment(f"from {_SOURCE}"))
    return FileChange(f"{HOME}/{path.name}", before, tomlkit.dumps(document).encode())


def _inherited(raw: RawConfig) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The settings that come from config.json, by the steps of their keys."""
    values = {**dumped(raw.core), "trackers": dict(raw.trackers)}
    for key, origin in raw.origins.items():
        if origin == _SOURCE:
            steps = tuple(key.split("."))
            yield steps, reduce(getitem, steps, values)
