"""unlatch undo: take the last reopen back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli import output
from unlatch.cli.app import reach
from unlatch.cli.asked import DRY_RUN, OFFLINE, YES, Asked, serving
from unlatch.cli.describe import times
from unlatch.cli.documents import delivered_code, delivery_entry, increment_entry
from unlatch.cli.rehearse import tell_rehearsal
from unlatch.cli.serve import deliver_or_postpone, tell_left
from unlatch.cli.session import BY, ID, JSON, Session, is_interactive, with_session
from unlatch.domain.operation import Kind
from unlatch.engine.rehearsal import Act
from unlatch.engine.rehearse import rehearse_undo
from unlatch.errors import UsageError
from unlatch.store.manager import checked_reason
from unlatch.store.outbox import new_operations
from unlatch.store.undoing import undo, undoable

if TYPE_CHECKING:
    from unlatch.cli.contracts.documents import UndoDocument
    from unlatch.cli.serve import Delivered
    from unlatch.cli.table import Entry
    from unlatch.domain.increment import Increment, ReopenEntry

DECLINED = 2


def command(entry: Entry) -> click.Command:
    """The command."""

    @click.command(entry.name, help=reach(entry))
    @ID
    @click.option("--reason", metavar="TEXT", help="Why; it is posted on each item.")
    @BY
    @YES
    @OFFLINE
    @DRY_RUN
    @serving(Kind.CLOSE)
    @JSON
    @with_session
    def run(
        session: Session,
        *,
        wanted: str,
        reason: str | None,
        by: str | None,
        yes: bool,
        offline: bool,
        dry_run: bool,
        asked: Asked,
        as_json: bool,
    ) -> int:
        before = session.workspace.manager.read(wanted)
        session.workspace.check_config()
        reason = checked_reason(reason) if reason is not None else None
        if dry_run:
            act = Act(session.who(by), reason, asked.job(), offline=offline)
            with session.trackers() as trackers:
                found = rehearse_undo(session.workspace, trackers, before, act=act)
                return tell_rehearsal(session, found, as_json=as_json)
        if not _agreed(before, undoable(before), yes=yes):
            output.talk("Nothing was changed.")
            return DECLINED
        after, undone = undo(
            session.workspace.manager,
            before.id,
            by=session.who(by),
            reason=reason,
            manner=asked.manner,
        )
        if not as_json:
            mark = output.good(output.sign("ok"))
            output.data(f"{mark} Increment {after.id}: {before.status} -> {after.status}")
            for warning in after.warnings:
                output.talk(f"    {output.warn('note:')} {output.clean(warning)}")
            if undone.amendment:
                kept = "spec.md and tasks.md keep what the reopen wrote; git can take it out again"
                output.talk(f"    {output.warn('note:')} {kept}")
        with session.trackers() as trackers:
            job = asked.job(new_operations(before, after))
            delivered = deliver_or_postpone(
                session, trackers, after, job, offline=offline, silent=as_json
            )
        return _end(before, undone, delivered, as_json=as_json)

    return run


def _agreed(increment: Increment, entry: ReopenEntry, *, yes: bool) -> bool:
    if yes:
        return True
    if not is_interactive():
        raise UsageError(
            "not-interactive",
            "undo closes items again, and nobody is here to be asked",
            hint=f"unlatch undo {increment.id} --yes",
        )
    reason = output.clean(entry.reason)
    output.talk(
        f"{output.warn('!')} {increment.id} was reopened by "
        f"{output.clean(entry.reopened_by)}: {reason}"
    )
    items = times(len(increment.links), "item")
    output.talk(f"  Undoing will set it back to {entry.previous_status}, and close what the")
    output.talk(f"  reopen opened among its {items}, where nobody touched it since.")
    return click.confirm("Continue?", err=True)


def _end(before: Increment, undone: ReopenEntry, delivered: Delivered, *, as_json: bool) -> int:
    code = 0 if delivered.by_wish else delivered_code(delivered.deliveries, delivered.left)
    if as_json:
        document: UndoDocument = {
            "schema": "unlatch.undo/1",
            "increment": increment_entry(delivered.increment, before.status),
            "undone": undone.id,
            "trackers": [delivery_entry(one) for one in delivered.deliveries],
            "exitCode": code,
        }
        output.document(document)
    elif code:
        tell_left(delivered)
    return code
