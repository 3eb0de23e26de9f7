"""unlatch complete, abandon: finish an increment, and close its items."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli import output
from unlatch.cli.app import reach
from unlatch.cli.documents import (
    delivered_code,
    delivery_entry,
    increment_entry,
    link_entry,
)
from unlatch.cli.rehearse import tell_rehearsal
from unlatch.cli.serve import deliver_or_postpone, style, tell_left
from unlatch.cli.session import BY, COMMENT, ID, JSON, Session, with_session
from unlatch.domain.operation import Manner
from unlatch.domain.status import Status
from unlatch.engine.deliver import Job
from unlatch.engine.finish import Finished, finish
from unlatch.engine.rehearse import Act, rehearse_finish

if TYPE_CHECKING:
    from unlatch.cli.contracts.documents import FinishDocument
    from unlatch.cli.serve import Delivered
    from unlatch.cli.table import Entry

STATUSES = {"complete": Status.COMPLETED, "abandon": Status.ABANDONED}


def command(entry: Entry) -> click.Command:
    """The command."""
    to = STATUSES[entry.name]

    @click.command(entry.name, help=reach(entry))
    @ID
    @click.option("--reason", metavar="TEXT", help="Why; it is posted on each item.")
    @BY
    @click.option("--offline", is_flag=True, help="Leave the items for unlatch sync.")
    @click.option("--dry-run", is_flag=True, help="Show what would be done, and do nothing.")
    @COMMENT
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
        comment: str | None,
        as_json: bool,
    ) -> int:
        session.workspace.check_config()
        with session.trackers() as trackers:
            if dry_run:
                act = Act(session.who(by), reason, Job(comment=style(comment)), offline=offline)
                found = rehearse_finish(session.workspace, trackers, wanted, to, act=act)
                return tell_rehearsal(session, found, as_json=as_json)
            finished = finish(
                session.workspace,
                wanted,
                to,
                by=session.who(by),
                reason=reason,
                manner=Manner(comment),
            )
            if not as_json:
                _tell(finished)
            job = Job(fresh=finished.fresh, comment=style(comment))
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


def _document(name: str, finished: Finished, delivered: Delivered, code: int) -> FinishDocument:
    return {
        "schema": f"unlatch.{name}/1",
        "increment": increment_entry(delivered.increment, finished.previous),
        "spared": [
            {**link_entry(link), "neededBy": list(needed)} for link, needed in finished.spared
        ],
        "trackers": [delivery_entry(one) for one in delivered.deliveries],
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
