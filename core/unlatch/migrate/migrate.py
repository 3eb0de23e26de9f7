"""Bringing a SpecWeave tree to the current shape, and back.

The increments' folder moves in one step, so that there never are two; then files change one by one,
each from a shape that is read to another one. All of it stands in a journal before it is begun: a
run that was cut short is finished by the next one, or undone.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UsageError
from unlatch.increments.files.layout import METADATA, layout_at
from unlatch.increments.files.locks import MIGRATE, store_lock
from unlatch.migrate.journal import (
    BEGUN,
    DONE,
    UNDOING,
    Edit,
    Journal,
    Move,
    digest,
    read_journals,
    remove_journal,
    write_journal,
)
from unlatch.migrate.plan import (
    OURS,
    THEIRS,
    Change,
    Left,
    Migration,
    blocked,
    moves_between,
)
from unlatch.worklog.atomic import move_folder, remove_file, replace_file
from unlatch.worklog.safe_open import exists, read_file, remove_empty

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from unlatch.increments.files.layout import Layout
    from unlatch.project.workspace import Workspace


def unfinished(workspace: Workspace) -> Journal | None:
    """The migration, or its undoing, that was cut short; None if there is none.

    Raises:
        StoreError: a journal cannot be read.
    """
    journals = read_journals(workspace.layout)
    return next((one for one in journals if one.state != DONE), None)


def migrate(workspace: Workspace, migration: Migration, *, by: str) -> tuple[Left, ...]:
    """Carry a migration out; one that was cut short becomes a part of it.

    Returns:
        The files that somebody else changed in between, which are left as they are.

    Raises:
        StoreError: something cannot be written; running it again goes on from there.
    """
    layout = workspace.layout
    with store_lock(layout, MIGRATE):
        journal = _journal(workspace, migration, by)
        write_journal(layout, journal)
        _move(layout.root, journal.moves)
        left = tuple(
            Left(change.path, "it was changed in between")
            for change in migration.changes
            if not _replace(layout, change)
        )
        write_journal(layout, journal.in_state(DONE))
    return left


def _journal(workspace: Workspace, migration: Migration, by: str) -> Journal:
    edits = tuple(Edit(one.path, one.before, digest(one.after)) for one in migration.changes)
    begun = unfinished(workspace)
    if begun is None:
        new, now = workspace.new_id(), workspace.clock()
        return Journal(new, now, by, BEGUN, migration.moves, edits)
    root = workspace.layout.root
    done = tuple(
        edit for edit in begun.edits if digest(_read(root, edit.path, begun.moves)) == edit.after
    )
    moves = tuple(dict.fromkeys((*begun.moves, *migration.moves)))
    return replace(begun, state=BEGUN, moves=moves, edits=(*done, *edits))


def undo(workspace: Workspace, journal: Journal) -> tuple[Left, ...]:
    """Take a migration back; what was changed since is moved back and else left as it is.

    Returns:
        The files that were changed since.

    Raises:
        StoreError: something cannot be written, or stands in the way.
    """
    layout = workspace.layout
    with store_lock(layout, MIGRATE):
        back = tuple(_back(layout.root, journal.moves))
        write_journal(layout, journal.in_state(UNDOING))
        kept = tuple(
            Left(edit.path, "it was changed since")
            for edit in journal.edits
            if not _restore(layout, edit, journal.moves)
        )
        _move(layout.root, back)
        remove_journal(layout, journal)
    return kept


def changed_since(workspace: Workspace, journal: Journal) -> tuple[Left, ...]:
    """The files of a migration that an undo would leave as they are."""
    root = workspace.layout.root
    return tuple(
        Left(edit.path, "it was changed since")
        for edit in journal.edits
        if not _is_as_left(_place(root, edit.path, journal.moves), edit)
    )


def to_take_back(workspace: Workspace, journal: Journal) -> tuple[Edit, ...]:
    """The changes that an undo would take back: those of files that are as the migration left them.

    Each has the path that its file has after the undo.
    """
    layout, found = workspace.layout, []
    for edit in journal.edits:
        place = _place(layout.root, edit.path, journal.moves)
        if exists(place) and digest(read_file(place)) == edit.after:
            found.append(replace(edit, path=_path_before(edit.path, journal.moves)))
    return tuple(found)


def _path_before(path: str, moves: Iterable[Move]) -> str:
    for move in moves:
        if path.startswith(f"{move.target}/"):
            return f"{move.source}{path.removeprefix(move.target)}"
    return path


def _is_as_left(path: Path, edit: Edit) -> bool:
    content = read_file(path) if exists(path) else None
    return content == edit.before or (content is not None and digest(content) == edit.after)


def last_migration(workspace: Workspace) -> Journal:
    """The migration that can be undone next.

    Raises:
        UsageError: `no-migration`.
        StoreError: a journal cannot be read.
    """
    journals = read_journals(workspace.layout)
    if not journals:
        raise UsageError(
            "no-migration",
            "this project was not migrated",
            where=str(workspace.layout.root),
            hint="unlatch migrate --dry-run shows what migrating would do",
        )
    return journals[-1]


def _back(root: Path, moves: Iterable[Move]) -> Iterator[Move]:
    for move in moves:
        if exists(root / move.target):
            yield from moves_between(root, move.target, move.source)


def _move(root: Path, moves: Iterable[Move]) -> None:
    for move in moves:
        here, there = root / move.source, root / move.target
        if not exists(here):
            continue  # an earlier run did it
        if exists(there):
            raise blocked(move.source, move.target, there)
        move_folder(here, there)
    for left in {(root / move.source).parent for move in moves}:
        _remove_empty(left, root)


def _remove_empty(folder: Path, root: Path) -> None:
    """Remove what is left of a tree whose parts have all moved."""
    trees = [root / tree for tree in (THEIRS, OURS)]
    while any(folder.is_relative_to(tree) for tree in trees):
        try:
            remove_empty(folder)
        except (OSError, StoreError):
            return  # something else is there
        folder = folder.parent


def _replace(layout: Layout, change: Change) -> bool:
    path = layout.root / change.path
    with _lock(layout, path):
        if (read_file(path) if exists(path) else None) != change.before:
            return False
        replace_file(path, change.after)
    return True


def _restore(layout: Layout, edit: Edit, moves: Iterable[Move]) -> bool:
    path = _place(layout.root, edit.path, moves)
    with _lock(layout, path):
        if not _is_as_left(path, edit):
            return False
        if edit.before is not None:
            replace_file(path, edit.before)
        else:
            remove_file(path)
    return True


def _lock(layout: Layout, path: Path) -> AbstractContextManager[None]:
    # Nothing but a migration changes the other files, and this is the only one.
    if path.name != METADATA:
        return nullcontext()
    return store_lock(layout_at(layout.root), path.parent.name)  # the increments have moved


def _read(root: Path, path: str, moves: Iterable[Move]) -> bytes:
    place = _place(root, path, moves)
    return read_file(place) if exists(place) else b""


def _place(root: Path, path: str, moves: Iterable[Move]) -> Path:
    """Where a file is now: at its new place, or still at its old one."""
    if exists(root / path):
        return root / path
    for move in moves:
        if path.startswith(f"{move.target}/"):
            return root / f"{move.source}{path.removeprefix(move.target)}"
    return root / path
