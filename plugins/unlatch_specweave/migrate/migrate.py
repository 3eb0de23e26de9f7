"""Migrate a SpecWeave tree to the current shape.

The folder of the increments moves in one step, so that there are never two; then the files change
one by one, each from one readable shape to another. git has the files as they were: a migration
begins only if all that it touches is committed. Earlier versions wrote a journal instead, and what
one began is finished or undone with it.
"""

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

from unlatch.errors import StoreError, UsageError
from unlatch.increments.files.locks import MIGRATE, store_lock
from unlatch.increments.files.paths import METADATA, ProjectPaths, paths_at
from unlatch.project.workspace import Workspace
from unlatch.worklog.disk.atomic import move_folder, remove_file, replace_file
from unlatch.worklog.disk.safe_open import exists, read_file, remove_empty
from unlatch_specweave.migrate.committed import check_committed
from unlatch_specweave.migrate.journal import (
    Edit,
    Journal,
    Move,
    State,
    digest,
    read_journals,
    remove_journal,
    write_journal,
)
from unlatch_specweave.migrate.plan import (
    OURS,
    THEIRS,
    FileChange,
    MigrationPlan,
    SkippedFile,
    blocked,
    moves_between,
)


def find_unfinished(workspace: Workspace) -> Journal | None:
    """An interrupted migration or undo; None if there is none."""
    journals = read_journals(workspace.paths)
    return next((journal for journal in journals if journal.state is not State.DONE), None)


def migrate(workspace: Workspace, plan: MigrationPlan) -> tuple[SkippedFile, ...]:
    """Carry out a migration, also the rest of one that an earlier version began.

    Returns:
        The skipped files, which changed in the meantime.

    Raises:
        UsageError: `no-git`.
        StoreError: `migrate-uncommitted`, or something cannot be written.
    """
    paths = workspace.paths
    with store_lock(paths, MIGRATE):
        begun = find_unfinished(workspace)
        if begun is None:
            check_committed(paths.root, plan)
        _move(paths.root, plan.moves)
        skipped = tuple(
            SkippedFile(change.path, "it was changed in between")
            for change in plan.changes
            if not _replace(paths, change)
        )
        if begun is not None:
            write_journal(paths, replace(begun, state=State.DONE))
    return skipped


def undo(workspace: Workspace, journal: Journal) -> tuple[SkippedFile, ...]:
    """Undo a migration; files that changed since keep their content, and are returned."""
    paths = workspace.paths
    with store_lock(paths, MIGRATE):
        back = [
            reverse
            for move in journal.moves
            if exists(paths.root / move.target)
            for reverse in moves_between(paths.root, move.target, move.source)
        ]
        write_journal(paths, replace(journal, state=State.UNDOING))
        skipped = tuple(
            _changed(edit) for edit in journal.edits if not _restore(paths, edit, journal.moves)
        )
        _move(paths.root, back)
        remove_journal(paths, journal)
    return skipped


def plan_undo(
    workspace: Workspace, journal: Journal
) -> tuple[tuple[Edit, ...], tuple[SkippedFile, ...]]:
    """The changes that an undo reverts, and the files that changed since the migration.

    Each change has the path of its file after the undo.
    """
    edits, skipped = [], []
    for edit in journal.edits:
        content = _read(_place(workspace.paths.root, edit.path, journal.moves))
        if content is not None and digest(content) == edit.after:
            edits.append(replace(edit, path=_path_before(edit.path, journal.moves)))
        elif content != edit.before:
            skipped.append(_changed(edit))
    return tuple(edits), tuple(skipped)


def last_migration(workspace: Workspace) -> Journal:
    """The last migration of an earlier version; UsageError `no-migration`."""
    journals = read_journals(workspace.paths)
    if not journals:
        raise UsageError(
            "no-migration",
            "no earlier version of unlatch migrated this project; git has what was there before",
            where=str(workspace.paths.root),
            hint="git log -- .unlatch",
        )
    return journals[-1]


def _changed(edit: Edit) -> SkippedFile:
    return SkippedFile(edit.path, "it was changed since")


def _move(root: Path, moves: Iterable[Move]) -> None:
    for move in moves:
        here, there = root / move.source, root / move.target
        if not exists(here):
            continue  # an earlier run moved it
        if exists(there):
            raise blocked(move.source, move.target, there)
        move_folder(here, there)
    for left in {(root / move.source).parent for move in moves}:
        _remove_empty(left, root)


def _remove_empty(folder: Path, root: Path) -> None:
    """Remove the empty folders that a move left."""
    trees = [root / tree for tree in (THEIRS, OURS)]
    while any(folder.is_relative_to(tree) for tree in trees):
        try:
            remove_empty(folder)
        except (OSError, StoreError):
            return  # it holds something else
        folder = folder.parent


def _replace(paths: ProjectPaths, change: FileChange) -> bool:
    path = paths.root / change.path
    with _lock(paths, path):
        if _read(path) != change.before:
            return False
        replace_file(path, change.after)
    return True


def _restore(paths: ProjectPaths, edit: Edit, moves: Iterable[Move]) -> bool:
    path = _place(paths.root, edit.path, moves)
    with _lock(paths, path):
        content = _read(path)
        if content != edit.before and (content is None or digest(content) != edit.after):
            return False
        if edit.before is not None:
            replace_file(path, edit.before)
        else:
            remove_file(path)
    return True


def _lock(paths: ProjectPaths, path: Path) -> AbstractContextManager[None]:
    # Only a migration changes the other files, and this one holds the lock.
    if path.name != METADATA:
        return nullcontext()
    return store_lock(paths_at(paths.root), path.parent.name)  # the increments have moved


def _read(path: Path) -> bytes | None:
    return read_file(path) if exists(path) else None


def _place(root: Path, path: str, moves: Iterable[Move]) -> Path:
    """The present place of a file: the new or the old one."""
    return root / path if exists(root / path) else root / _path_before(path, moves)


def _path_before(path: str, moves: Iterable[Move]) -> str:
    for move in moves:
        if path.startswith(f"{move.target}/"):
            return f"{move.source}{path.removeprefix(move.target)}"
    return path
