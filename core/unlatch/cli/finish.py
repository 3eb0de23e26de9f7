"""unlatch complete, abandon: finish an increment, and close its items."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli import output
from unlatch.cli.admission import tell_warnings, warning_entries
from unlatch.cli.app import reach
from unlatch.cli.asked import DRY_RUN, OFFLINE, Asked, serving
from unlatch.cli.documents import (
    delivered_code,
    delivery_entry,
    increment_entry,
    link_entry,
)
from unlatch.cli.rehearse import tell_rehearsal
from unlatch.cli.serve import deliver_or_postpone, tell_left
from unlatch.cli.session import BY, ID, JSON, Session, with_session
from unlatch.domain.operation import Kind
from unlatch.domain.status import Status
from unlatch.engine.finish import Finished, finish, may_finish
from unlatch.engine.rehearsal import Act
from unlatch.engine.rehearse import rehearse_finish

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.cli.contracts.documents import FinishDocument
    from unlatch.cli.serve import Delivered
    from unlatch.cli.table import Entry

_FORCE = click.option(
    "--force", is_flag=True, help="Complete it although work is open; that is recorded."
)
STATUSES = {"complete": Status.COMPLETED, "abandon": Status.ABANDONED}


def command(entry: Entry) -> click.Command:
    """The command."""
    to = STATUSES[entry.name]

    @click.command(entry.name, help=reach(entry))
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
        asked: Asked,
        as_json: bool,
    ) -> int:
        session.workspace.check_config()
        with session.trackers() as trackers:
            if dry_run:
                act = Act(session.who(by), reason, asked.job(), offline=offline)
                before = session.workspace.manager.read(wanted)
                clearance = may_finish(before, to, reason=reason, force=force)
                found = rehearse_finish(session.workspace, trackers, wanted, to, act=act)
                found = replace(found, warnings=clearance.warnings)
                return tell_rehearsal(session, found, as_json=as_json)
            finished = finish(
                session.workspace,
                wanted,
                to,
                by=session.who(by),
                reason=reason,
                force=force,
                manner=asked.manner,
            )
            if not as_json:
                _tell(finished)
            job = asked.job(finished.fresh)
            delivered = deliver_or_postpone(
                session, trackers, finished.increment, job, offline=offline, silent=as_json
            )
        code = 0 if offline else delivered_code(delivered.deliveries, delivered.left)
        if as_json:
            output.document(_document(entry.name, finished, delivered, code))
        elif code:
            tell_left(delivered)
        return code

    return run


def _forcing(to: Status) -> Callable[[Any], Any]:
    # Only completing is refused for what is left to do; giving up is for just that.
    return _FORCE if to is Status.COMPLETED else lambda function: function


def _document(name: str, finished: Finished, delivered: Delivered, code: int) -> FinishDocument:
    return {
        "schema": f"unlatch.{name}/1",
        "increment": increment_entry(delivered.increment, finished.previous),
        "spared": [
            {**link_entry(link), "neededBy": list(needed)} for link, needed in finished.spared
        ],
        "trackers": [delivery_entry(one) for one in delivered.deliveries],
        "forced": list(finished.clearance.forced),
        "warnings": warning_entries(finished.clearance.warnings),
        "exitCode": code,
    }


def _tell(finished: Finished) -> None:
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
