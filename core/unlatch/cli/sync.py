"""unlatch sync: deliver what items are still owed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli import output
from unlatch.cli.app import reach
from unlatch.cli.describe import times
from unlatch.cli.documents import delivered_code, delivery_entry, pending_of
from unlatch.cli.serve import deliver_and_tell, style, tell_left
from unlatch.cli.session import COMMENT, JSON, Session, with_session
from unlatch.domain.increment import BrokenIncrement
from unlatch.engine.deliver import Job

if TYPE_CHECKING:
    from unlatch.cli.contracts.documents import SyncDocument, SyncDryRunDocument
    from unlatch.cli.serve import Delivered
    from unlatch.cli.table import Entry
    from unlatch.domain.increment import Increment


def command(entry: Entry) -> click.Command:
    """The command."""

    @click.command(entry.name, help=reach(entry))
    @click.argument("wanted", metavar="[ID...]", nargs=-1)
    @click.option(
        "--all", "everything", is_flag=True, help="All increments; so it is without an ID, too."
    )
    @click.option("--dry-run", is_flag=True, help="Show what is owed, and send nothing.")
    @click.option(
        "--even-if-not-planned",
        is_flag=True,
        help="Also reopen items that were closed on purpose.",
    )
    @COMMENT
    @JSON
    @with_session
    def run(
        session: Session,
        *,
        wanted: tuple[str, ...],
        everything: bool,
        dry_run: bool,
        even_if_not_planned: bool,
        comment: str | None,
        as_json: bool,
    ) -> int:
        if wanted and everything:
            raise click.UsageError("name increments, or --all")
        owing = _owing(session, wanted)
        session.workspace.check_config()
        if dry_run:
            return _rehearse(owing, as_json=as_json)
        job = Job(even_if_deliberate=even_if_not_planned, comment=style(comment))
        done: list[Delivered] = []
        with session.trackers() as trackers:
            for increment in owing:
                if not as_json:
                    owed = times(len(increment.pending), "operation")
                    output.talk(f"{increment.id}: delivering {owed}")
                done.append(deliver_and_tell(session, trackers, increment, job, silent=as_json))
        return _end(done, as_json=as_json)

    return run


def _owing(session: Session, wanted: tuple[str, ...]) -> list[Increment]:
    manager = session.workspace.manager
    if wanted:
        return [one for one in map(manager.read, wanted) if one.pending]
    return [one for one in manager.list() if not isinstance(one, BrokenIncrement) and one.pending]


def _rehearse(owing: list[Increment], *, as_json: bool) -> int:
    owed = [(increment, operation) for increment in owing for operation in increment.pending]
    if as_json:
        document: SyncDryRunDocument = {
            "schema": "unlatch.sync-dry-run/1",
            "pending": [entry for increment in owing for entry in pending_of(increment)],
            "exitCode": 0,
        }
        output.document(document)
        return 0
    for increment, operation in owed:
        cause = f" (parked: {operation.cause})" if operation.cause else ""
        output.data(f"{increment.id}  {operation.kind} {operation.tracker} {operation.item}{cause}")
    output.talk(f"{times(len(owed), 'operation')} pending; nothing was sent.")
    return 0


def _end(done: list[Delivered], *, as_json: bool) -> int:
    code = max((delivered_code(one.deliveries, one.left) for one in done), default=0)
    if as_json:
        document: SyncDocument = {
            "schema": "unlatch.sync/1",
            "increments": [
                {
                    "id": one.increment.id,
                    "trackers": [delivery_entry(delivery) for delivery in one.deliveries],
                    "left": one.left,
                }
                for one in done
            ],
            "exitCode": code,
        }
        output.document(document)
        return code
    for one in done:
        if one.left:
            tell_left(one)
    if not done:
        output.talk("Nothing is pending.")
    return code
