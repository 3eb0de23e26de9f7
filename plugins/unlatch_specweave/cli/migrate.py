"""unlatch migrate: migrate a SpecWeave tree to the current format."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import flag, with_json
from unlatch.cli.render.diff import ask_consent, diff_of, show_diff
from unlatch.cli.runtime.failure import DECLINED
from unlatch.cli.terminal import output
from unlatch.errors import UnlatchError
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.project.workspace import Workspace
    from unlatch_specweave.migrate.plan import SkippedFile


@click.command()
@flag("--undo", help="Undo the last migration of an earlier version, which left a journal.")
@flag("--dry-run", help="Show the changes, and write nothing.")
@flag("--yes", help="Do not ask.")
@with_json
def run(context: Context, *, undo: bool, dry_run: bool, yes: bool, as_json: bool) -> int:
    workspace = context.workspace
    task = _undo(workspace) if undo else _migration(workspace)
    left = task.left
    is_applied = task.is_due and not dry_run
    if is_applied:
        task.check()
    if not as_json:
        _show(task, diffs=dry_run)
    if dry_run:
        _note_refusal(task)
    if is_applied:
        output.talk(*task.advice)  # before the first change: after a crash, it is all there is
        if not ask_consent(task.question, yes=yes, command=task.command):
            output.talk("Nothing was changed.")
            return DECLINED
        left = task.apply()
    if as_json:
        output.document(
            "migrate",
            dryRun=dry_run,
            undo=undo,
            moved=[{"from": source, "to": target} for source, target in task.moves],
            changed=[
                {"path": path, "diff": diff, "deleted": verb == "delete"}
                for verb, path, diff in task.changes
            ],
            left=[output.fields(file, "path", "why") for file in left],
        )
        return 0
    for file in left:
        output.note(f"{file.path} is left as it is: {file.why}")
    if is_applied:
        output.ok(task.done)
        if not undo:
            output.talk("Next: unlatch doctor, then commit")
    return 0


@dataclass(frozen=True, slots=True)
class _Task:
    """A migration, or the undo of one.

    Args:
        moves: the old and the new place of each file or folder that moves.
        changes: verb, path and diff; the diff is None for a file that an undo restores.
        left: files that stay as they are.
        apply: carries it out, and returns the skipped files.
        check: raises what refuses it.
        advice: what is shown before it begins.
    """

    moves: list[tuple[str, str]]
    changes: list[tuple[str, str, str | None]]
    left: Sequence[SkippedFile]
    apply: Callable[[], Sequence[SkippedFile]]
    check: Callable[[], None]
    question: str
    command: str
    done: str
    advice: tuple[str, ...] = ()
    heading: str | None = None
    is_due: bool = True


def _note_refusal(task: _Task) -> None:
    try:
        task.check()
    except UnlatchError as error:
        output.note(f"without --dry-run this is refused: {error.message}")


def _migration(workspace: Workspace) -> _Task:
    from unlatch_specweave.migrate.committed import check_committed, way_back  # noqa: PLC0415
    from unlatch_specweave.migrate.migrate import find_unfinished, migrate  # noqa: PLC0415
    from unlatch_specweave.migrate.plan import plan_migration  # noqa: PLC0415

    is_begun = find_unfinished(workspace) is not None
    plan = plan_migration(workspace)
    heading = "Nothing to migrate." if plan.is_empty else None
    back = output.clean(way_back(plan))
    files = [(change.path, change.before, change.after) for change in plan.changes]
    return _Task(
        [(move.source, move.target) for move in plan.moves],
        [("make" if file[1] is None else "change", file[0], diff_of(*file)) for file in files],
        plan.skipped,
        lambda: (*plan.skipped, *migrate(workspace, plan)),
        lambda: None if is_begun else check_committed(workspace.paths.root, plan),
        question="Migrate?",
        command="unlatch migrate --yes",
        done="Migrated",
        advice=() if is_begun else (f"Before you commit, this undoes it: {back}",),
        heading="This finishes an interrupted migration." if is_begun else heading,
        is_due=is_begun or not plan.is_empty,
    )


def _undo(workspace: Workspace) -> _Task:
    from unlatch_specweave.migrate.migrate import last_migration, plan_undo, undo  # noqa: PLC0415

    journal = last_migration(workspace)
    changes, left = plan_undo(workspace, journal)
    return _Task(
        [(move.target, move.source) for move in journal.moves],
        [
            ("delete" if change.before is None else "restore", change.path, None)
            for change in changes
        ],
        left,
        partial(undo, workspace, journal),
        lambda: None,
        question="Undo the migration?",
        command="unlatch migrate --undo --yes",
        done="The migration is undone",
    )


def _show(task: _Task, *, diffs: bool) -> None:
    if task.heading:
        output.talk(task.heading)
    for source, target in task.moves:
        output.data(f"  move {source} to {target}")
    for verb, path, diff in task.changes:
        if diffs and diff is not None:
            show_diff(diff)
        else:
            output.data(f"  {verb} {path}")
