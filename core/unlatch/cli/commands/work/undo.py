"""unlatch undo: take the last reopen back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli.options.delivery import DRY_RUN, OFFLINE, YES, serving
from unlatch.cli.render.deliveries import deliver_and_tell, tell_left
from unlatch.cli.render.describe import times
from unlatch.cli.render.documents import delivered_code, delivery_entry, increment_entry
from unlatch.cli.render.preview import preview_and_tell
from unlatch.cli.runtime import output
from unlatch.cli.runtime.failure import DECLINED, UNDECIDED
from unlatch.cli.runtime.session import BY, ID, JSON, Session, require_terminal, with_session
from unlatch.lifecycle.status_change import apply_change, plan_undo_reopen
from unlatch.spi.operation import Kind

if TYPE_CHECKING:
    from unlatch.cli.table import Entry
    from unlatch.increments.model.increment import Increment, ReopenEntry
    from unlatch.lifecycle.deliver import Delivered
    from unlatch.spi.operation import DeliveryOptions


def command(entry: Entry) -> click.Command:
    """The command."""

    @click.command(entry.name, help=entry.own_help)
    @ID
    @click.option("--reason", metavar="TEXT", help="Post this reason on each item.")
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
        who = session.who(by)
        plan, entry = plan_undo_reopen(workspace, wanted, by=who, reason=reason, options=delivery)
        workspace.check_config()
        if dry_run:
            change = plan.preview(workspace)
            return preview_and_tell(session, change, delivery, offline=offline, as_json=as_json)
        if not yes and not _confirmed(plan.before, entry):
            output.talk("Nothing was changed.")
            return DECLINED
        result = apply_change(workspace, plan)
        undone = result.undone or entry
        if not as_json:
            _tell(plan.before, result.increment, undone)
        delivered = deliver_and_tell(
            session,
            result.increment,
            options=delivery,
            fresh=result.fresh,
            offline=offline,
            silent=as_json,
        )
        code = 0 if offline else delivered_code(delivered.deliveries, delivered.left)
        if as_json:
            output.document(
                "undo",
                code,
                increment=increment_entry(delivered.increment, plan.before.status),
                undone=undone.id,
                trackers=[delivery_entry(one) for one in delivered.deliveries],
            )
        elif code == UNDECIDED:
            _tell_undecided(session, delivered)
        elif code:
            tell_left(delivered)
        return code

    return run


def _confirmed(increment: Increment, entry: ReopenEntry) -> bool:
    require_terminal("undo closes items again", f"unlatch undo {increment.id} --yes")
    by, reason = output.clean(entry.reopened_by), output.clean(entry.reason)
    output.talk(f"{output.warn('!')} {increment.id} was reopened by {by}: {reason}")
    items = times(len(increment.links), "item")
    output.talk(f"  Undoing will set it back to {entry.previous_status}, and close those of its")
    output.talk(f"  {items} that the reopen opened.")
    return output.confirm("Continue?")


def _tell(before: Increment, after: Increment, undone: ReopenEntry) -> None:
    output.ok(f"Increment {after.id}: {before.status} -> {after.status}")
    for warning in after.warnings:
        output.remark(warning)
    if undone.amendment:
        output.remark("spec.md and tasks.md keep what the reopen wrote; git can take it out again")


def _tell_undecided(session: Session, delivered: Delivered) -> None:
    """Name the commands that close the items that undo left open."""
    manifests = session.workspace.registry.manifests
    undecided = [one for one in delivered.deliveries if one.undecided is not None]
    for name in dict.fromkeys(one.operation.tracker for one in undecided):
        command = f"unlatch {name} close-{manifests[name].slug} {delivered.increment.id}"
        output.talk(f"Not decided: see the note above. To close the item: {command}")
