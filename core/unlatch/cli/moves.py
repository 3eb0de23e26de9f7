"""unlatch start, pause, review, backlog: moves along the status table that no tracker sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli import output
from unlatch.cli.app import reach
from unlatch.cli.documents import increment_entry
from unlatch.cli.session import BY, ID, JSON, REASON, Session, with_session
from unlatch.domain.status import Status
from unlatch.errors import StoreError

if TYPE_CHECKING:
    from unlatch.cli.contracts.documents import MoveDocument
    from unlatch.cli.table import Entry

STATUSES = {
    "start": Status.ACTIVE,
    "pause": Status.PAUSED,
    "review": Status.READY_FOR_REVIEW,
    "backlog": Status.BACKLOG,
}


def command(entry: Entry) -> click.Command:
    """The command."""
    to = STATUSES[entry.name]

    @click.command(entry.name, help=reach(entry))
    @ID
    @REASON
    @BY
    @JSON
    @with_session
    def run(
        session: Session, *, wanted: str, reason: str | None, by: str | None, as_json: bool
    ) -> int:
        before = session.workspace.manager.read(wanted)
        if before.status.is_finished:
            raise StoreError(
                "finished",
                f"{before.id} is {before.status}; taking it up again is a decision of its own",
                hint=f"unlatch resume {before.id}",
            )
        after = before
        if before.status is not to:
            after = session.workspace.manager.transition(
                before.id, to, by=session.who(by), reason=reason
            )
        if as_json:
            document: MoveDocument = {
                "schema": f"unlatch.{entry.name}/1",
                "increment": increment_entry(after, before.status),
                "exitCode": 0,
            }
            output.document(document)
        else:
            moved = f"{before.status} -> {to}" if before.status is not to else f"is {to} already"
            output.data(f"{output.good(output.sign('ok'))} Increment {after.id}: {moved}")
        return 0

    return run
