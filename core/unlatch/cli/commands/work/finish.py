"""unlatch complete, abandon: finish an increment, and close its items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.options.delivery import DRY_RUN, OFFLINE, serving
from unlatch.cli.render.delivery import deliver_and_tell, tell_left
from unlatch.cli.render.documents import (
    delivered_code,
    delivery_entry,
    increment_entry,
    link_entry,
)
from unlatch.cli.render.preview import preview_and_tell
from unlatch.cli.render.rule_warnings import tell_warnings, warning_entries
from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import BY, ID, JSON, Session, with_session
from unlatch.increments.model.status import Status
from unlatch.lifecycle.finish import FinishResult, check_finish, finish, plan_finish
from unlatch.spi.operation import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.cli.table import Entry
    from unlatch.lifecycle.deliver import Delivered
    from unlatch.spi.options import DeliveryOptions

_FORCE = click.option(
    "--force", is_flag=True, help="Complete it although work is open; that is recorded."
)
STATUSES = {"complete": Status.COMPLETED, "abandon": Status.ABANDONED}


def command(entry: Entry) -> click.Command:
    """The command."""
    to = STATUSES[entry.name]

    @click.command(entry.name, help=entry.own_help)
    @ID
    @click.option("--reason", metavar="TEXT", help="Why; it is posted on each item.")
    @BY
    @OFFLINE
    @DRY_RUN
    @_forcing(to)
    @serving(Kind.CLOSE)
    @JSON
    @with_session
    def run(
        session: Session,
        *,
        wanted: str,
        reason: str | None,
        by: str | None,
        offline: bool,
        dry_run: bool,
        force: bool = False,
        delivery: DeliveryOptions,
        as_json: bool,
    ) -> int:
        workspace = session.workspace
        workspace.check_config()
        who = session.who(by)
        if dry_run:
            before = workspace.manager.read(wanted)
            clearance = check_finish(before, to, reason=reason, force=force)
            plan, spared = plan_finish(workspace, before, to, by=who, reason=reason)
            return preview_and_tell(
                session,
                plan,
                delivery,
                offline=offline,
                as_json=as_json,
                spared=spared,
                warnings=clearance.warnings,
            )
        finished = finish(
            workspace, wanted, to, by=who, reason=reason, force=force, options=delivery
        )
        if not as_json:
            _tell(finished)
        with session.trackers() as trackers:
            delivered = deliver_and_tell(
                session,
                trackers,
                finished.increment,
                options=delivery,
                fresh=finished.fresh,
                offline=offline,
                silent=as_json,
                shared=finished.shared,
            )
        code = 0 if offline else delivered_code(delivered.deliveries, delivered.left)
        if as_json:
            output.document(entry.name, code, **_document(finished, delivered))
        elif code:
            tell_left(delivered)
        return code

    return run


def _forcing(to: Status) -> Callable[[Any], Any]:
    # Only completing is refused for what is left to do; giving up is for just that.
    return _FORCE if to is Status.COMPLETED else lambda function: function


def _document(finished: FinishResult, delivered: Delivered) -> output.Json:
    return {
        "increment": increment_entry(delivered.increment, finished.previous),
        "spared": [
            {**link_entry(link), "neededBy": list(needed)} for link, needed in finished.spared
        ],
        "trackers": [delivery_entry(one) for one in delivered.deliveries],
        "forced": list(finished.clearance.forced),
        "warnings": warning_entries(finished.clearance.warnings),
    }


def _tell(finished: FinishResult) -> None:
    increment = finished.increment
    mark = output.good(output.sign("ok"))
    moved = f": {finished.previous} -> {increment.status}"
    if finished.previous is increment.status:
        moved = f" is {increment.status} already"
    output.data(f"{mark} Increment {increment.id}{moved}")
    for link, needed in finished.spared:
        output.data(f"  {link.key} stays open: {', '.join(needed)} needs it")
    for warning in increment.warnings:
        output.talk(f"    {output.warn('note:')} {output.clean(warning)}")
    tell_warnings(finished.clearance.warnings)
