"""unlatch complete, abandon: finish an increment, and close its items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.options.delivery import DRY_RUN, OFFLINE, serving
from unlatch.cli.render.deliveries import deliver_and_tell, tell_left
from unlatch.cli.render.documents import (
    delivered_code,
    delivery_entry,
    increment_entry,
    spared_entries,
)
from unlatch.cli.render.preview import preview_and_tell
from unlatch.cli.render.rule_warnings import tell_warnings, warning_entries
from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import BY, ID, JSON, Session, with_session
from unlatch.increments.model.status import Status
from unlatch.lifecycle.status_change import ChangePlan, ChangeResult, apply_change, plan_finish
from unlatch.spi.operation import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.cli.table import Entry
    from unlatch.spi.operation import DeliveryOptions

_FORCE = click.option(
    "--force", is_flag=True, help="Complete it although work is open; that is recorded."
)
STATUSES = {"complete": Status.COMPLETED, "abandon": Status.ABANDONED}


def command(entry: Entry) -> click.Command:
    """The command."""
    to = STATUSES[entry.name]

    @click.command(entry.name, help=entry.own_help)
    @ID
    @click.option("--reason", metavar="TEXT", help="Post this reason on each item.")
    @BY
    @OFFLINE
    @DRY_RUN
    @_force_to(to)
    @serving(Kind.CLOSE)
    @JSON
    @with_session
    def run(
        session: Session,
        *,
        wanted: str,
        by: str | None,
        offline: bool,
        dry_run: bool,
        delivery: DeliveryOptions,
        as_json: bool,
        **options: Any,
    ) -> int:
        workspace = session.workspace
        workspace.check_config()
        who = session.who(by)
        plan = plan_finish(workspace, wanted, to, by=who, options=delivery, **options)
        if dry_run:
            return preview_and_tell(
                session,
                plan.preview(workspace),
                delivery,
                offline=offline,
                as_json=as_json,
                spared=plan.spared,
                warnings=plan.approval.warnings,
            )
        result = apply_change(workspace, plan)
        if not as_json:
            _tell(plan, result)
        delivered = deliver_and_tell(
            session,
            result.increment,
            options=delivery,
            fresh=result.fresh,
            offline=offline,
            silent=as_json,
            shared=plan.shared,
        )
        code = 0 if offline else delivered_code(delivered.deliveries, delivered.left)
        if as_json:
            output.document(
                entry.name,
                code,
                increment=increment_entry(delivered.increment, plan.before.status),
                spared=spared_entries(plan.spared),
                trackers=[delivery_entry(one) for one in delivered.deliveries],
                forced=list(plan.approval.forced),
                warnings=warning_entries(plan.approval.warnings),
            )
        elif code:
            tell_left(delivered)
        return code

    return run


def _force_to(to: Status) -> Callable[[Any], Any]:
    """--force, for complete: open work is no reason against abandoning."""
    return _FORCE if to is Status.COMPLETED else lambda function: function


def _tell(plan: ChangePlan, result: ChangeResult) -> None:
    before, after = plan.before.status, result.increment.status
    moved = f" is {after} already" if before is after else f": {before} -> {after}"
    output.ok(f"Increment {result.increment.id}{moved}")
    for link, needed in plan.spared:
        output.data(f"  {link.key} stays open: {', '.join(needed)} needs it")
    for warning in result.increment.warnings:
        output.remark(warning)
    tell_warnings(plan.approval.warnings)
