"""unlatch undo: take the last reopen back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli.options.delivery import DRY_RUN, OFFLINE, YES, serving
from unlatch.cli.render.delivery import deliver_and_tell, tell_left
from unlatch.cli.render.describe import times
from unlatch.cli.render.documents import delivered_code, delivery_entry, increment_entry
from unlatch.cli.render.preview import preview_and_tell
from unlatch.cli.runtime import output
from unlatch.cli.runtime.failure import UNDECIDED
from unlatch.cli.runtime.session import BY, ID, JSON, Session, is_interactive, with_session
from unlatch.errors import UsageError
from unlatch.increments.files.manager import checked_reason
from unlatch.increments.files.outbox import new_operations
from unlatch.increments.files.plans import plan_undo, undoable
from unlatch.spi.operation import Kind

if TYPE_CHECKING:
    from unlatch.cli.table import Entry
    from unlatch.increments.model.increment import Increment, ReopenEntry
    from unlatch.lifecycle.deliver import Delivered
    from unlatch.spi.options import DeliveryOptions

DECLINED = 2


def command(entry: Entry) -> click.Command:
    """The command."""

    @click.command(entry.name, help=entry.own_help)
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
        delivery: DeliveryOptions,
        as_json: bool,
    ) -> int:
        workspace = session.workspace
        before = workspace.manager.read(wanted)
        workspace.check_config()
        reason = checked_reason(reason) if reason is not None else None
        if dry_run:
            intent = workspace.manager.intent(by=session.who(by), reason=reason, options=delivery)
            plan = plan_undo(before, intent)
            return preview_and_tell(session, plan, delivery, offline=offline, as_json=as_json)
        if not _agreed(before, undoable(before), yes=yes):
            output.talk("Nothing was changed.")
            return DECLINED
        after, undone = workspace.manager.undo(
            before.id, by=session.who(by), reason=reason, options=delivery
        )
        if not as_json:
            _tell(before, after, undone)
        with session.trackers() as trackers:
            delivered = deliver_and_tell(
                session,
                trackers,
                after,
                options=delivery,
                fresh=new_operations(before, after),
                offline=offline,
                silent=as_json,
            )
        return _end(session, before, undone, delivered, as_json=as_json)

    return run


def _tell(before: Increment, after: Increment, undone: ReopenEntry) -> None:
    mark = output.good(output.sign("ok"))
    output.data(f"{mark} Increment {after.id}: {before.status} -> {after.status}")
    for warning in after.warnings:
        output.talk(f"    {output.warn('note:')} {output.clean(warning)}")
    if undone.amendment:
        kept = "spec.md and tasks.md keep what the reopen wrote; git can take it out again"
        output.talk(f"    {output.warn('note:')} {kept}")


def _agreed(increment: Increment, entry: ReopenEntry, *, yes: bool) -> bool:
    if yes:
        return True
    if not is_interactive():
        raise UsageError(
            "not-interactive",
            "undo closes items again; cannot prompt: stdin is not a terminal",
            hint=f"unlatch undo {increment.id} --yes",
        )
    reason = output.clean(entry.reason)
    output.talk(
        f"{output.warn('!')} {increment.id} was reopened by "
        f"{output.clean(entry.reopened_by)}: {reason}"
    )
    items = times(len(increment.links), "item")
    output.talk(f"  Undoing will set it back to {entry.previous_status}, and close those of its")
    output.talk(f"  {items} that the reopen opened.")
    return output.confirm("Continue?")


def _end(
    session: Session,
    before: Increment,
    undone: ReopenEntry,
    delivered: Delivered,
    *,
    as_json: bool,
) -> int:
    code = 0 if delivered.on_purpose else delivered_code(delivered.deliveries, delivered.left)
    if as_json:
        output.document(
            "undo",
            code,
            increment=increment_entry(delivered.increment, before.status),
            undone=undone.id,
            trackers=[delivery_entry(one) for one in delivered.deliveries],
        )
    elif code == UNDECIDED:
        _tell_undecided(session, delivered)
    elif code:
        tell_left(delivered)
    return code


def _tell_undecided(session: Session, delivered: Delivered) -> None:
    """Name the commands that close what undo left open."""
    manifests = session.workspace.registry.manifests
    trackers = dict.fromkeys(
        one.operation.tracker for one in delivered.deliveries if one.undecided is not None
    )
    for name in trackers:
        command = f"unlatch {name} close-{manifests[name].slug} {delivered.increment.id}"
        output.talk(f"Not decided: see the note above. To close the item: {command}")
