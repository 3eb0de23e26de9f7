"""unlatch migrate: bring a SpecWeave tree to the current shape, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli.render.diff import agreed, diff_of, show_diff
from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import BY, JSON, Session, with_session

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch.cli.table import Entry
    from unlatch.migrate.journal import Journal, Move
    from unlatch.migrate.plan import MigrationPlan, SkippedFile

DECLINED = 2


def command(entry: Entry) -> click.Command:
    """The command."""

    @click.command(entry.name, help=entry.own_help)
    @click.option("--undo", "back", is_flag=True, help="Take the last migration back.")
    @click.option("--dry-run", is_flag=True, help="Only show what would change.")
    @click.option("--yes", is_flag=True, help="Ask nothing.")
    @BY
    @JSON
    @with_session
    def run(
        session: Session, *, back: bool, dry_run: bool, yes: bool, by: str | None, as_json: bool
    ) -> int:
        if back:
            return _undo(session, dry_run=dry_run, yes=yes, as_json=as_json)
        return _migrate(session, dry_run=dry_run, yes=yes, by=by, as_json=as_json)

    return run


def _migrate(session: Session, *, dry_run: bool, yes: bool, by: str | None, as_json: bool) -> int:
    from unlatch.migrate.migrate import find_unfinished, migrate  # noqa: PLC0415
    from unlatch.migrate.plan import plan_migration  # noqa: PLC0415

    begun = find_unfinished(session.workspace)
    found = plan_migration(session.workspace)
    left = found.skipped
    is_due = begun is not None or not found.is_empty
    if not as_json:
        _announce(found, begun, diffs=dry_run)
    if is_due and not dry_run:
        if not agreed("Migrate?", yes=yes, command="unlatch migrate --yes"):
            output.talk("Nothing was changed.")
            return DECLINED
        left = (*left, *migrate(session.workspace, found, by=session.who(by)))
    if as_json:
        output.document(
            "migrate",
            dryRun=dry_run,
            undo=False,
            moved=[{"from": one.source, "to": one.target} for one in found.moves],
            changed=[
                {
                    "path": one.path,
                    "diff": diff_of(one.path, one.before, one.after),
                    "deleted": False,
                }
                for one in found.changes
            ],
            left=[{"path": one.path, "why": one.why} for one in left],
        )
        return 0
    _tell_left(left)
    if is_due and not dry_run:
        _tell_done("Migrated; unlatch migrate --undo takes it back")
        output.talk("Next: unlatch doctor, then commit")
    return 0


def _announce(found: MigrationPlan, begun: Journal | None, *, diffs: bool) -> None:
    if begun is not None:
        output.talk("A migration was cut short; this finishes it.")
    elif found.is_empty:
        output.talk("Nothing to migrate.")
    _tell_moves(found.moves)
    for change in found.changes:
        if diffs:
            show_diff(diff_of(change.path, change.before, change.after))
        else:
            verb = "make" if change.before is None else "change"
            output.data(f"  {verb} {output.clean(change.path)}")


def _undo(session: Session, *, dry_run: bool, yes: bool, as_json: bool) -> int:
    from unlatch.migrate.migrate import last_migration, plan_undo, undo  # noqa: PLC0415

    journal = last_migration(session.workspace)
    changes, kept = plan_undo(session.workspace, journal)
    moves = [(one.target, one.source) for one in journal.moves]
    if not as_json:
        for source, target in moves:
            output.data(f"  move {output.clean(source)} to {output.clean(target)}")
        for edit in changes:
            verb = "delete" if edit.before is None else "restore"
            output.data(f"  {verb} {output.clean(edit.path)}")
    if not dry_run:
        if not agreed("Undo the migration?", yes=yes, command="unlatch migrate --undo --yes"):
            output.talk("Nothing was changed.")
            return DECLINED
        kept = undo(session.workspace, journal)
    if as_json:
        output.document(
            "migrate",
            dryRun=dry_run,
            undo=True,
            moved=[{"from": source, "to": target} for source, target in moves],
            changed=[
                {"path": edit.path, "diff": None, "deleted": edit.before is None}
                for edit in changes
            ],
            left=[{"path": one.path, "why": one.why} for one in kept],
        )
        return 0
    _tell_left(kept)
    if not dry_run:
        _tell_done("The migration is undone")
    return 0


def _tell_moves(moves: Iterable[Move]) -> None:
    for move in moves:
        output.data(f"  move {output.clean(move.source)} to {output.clean(move.target)}")


def _tell_left(left: Iterable[SkippedFile]) -> None:
    for one in left:
        note = output.warn("note:")
        output.talk(f"{note} {output.clean(one.path)} is left as it is: {output.clean(one.why)}")


def _tell_done(text: str) -> None:
    output.data(f"{output.good(output.sign('ok'))} {text}")
