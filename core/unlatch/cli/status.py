"""unlatch status: what needs somebody."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli import output
from unlatch.cli.app import reach
from unlatch.cli.describe import ago, times
from unlatch.cli.documents import pending_of
from unlatch.cli.list import list_entry, tell_hint
from unlatch.cli.session import JSON, Session, with_session
from unlatch.domain.increment import BrokenIncrement, Increment
from unlatch.domain.status import Status

if TYPE_CHECKING:
    from unlatch.cli.contracts.documents import StatusDocument
    from unlatch.cli.table import Entry


def command(entry: Entry) -> click.Command:
    """The command."""

    @click.command(entry.name, help=reach(entry))
    @JSON
    @with_session
    def run(session: Session, *, as_json: bool) -> int:
        found = session.workspace.manager.list()
        broken = [one for one in found if isinstance(one, BrokenIncrement)]
        sound = [one for one in found if isinstance(one, Increment)]
        if as_json:
            output.document(_document(session, sound, broken))
        else:
            _tell(session, sound, broken)
        return 0

    return run


def _often(session: Session, sound: list[Increment]) -> list[Increment]:
    most = session.workspace.config.frequent_reopens
    return [one for one in sound if one.effective_reopens >= most]


def _document(
    session: Session, sound: list[Increment], broken: list[BrokenIncrement]
) -> StatusDocument:
    return {
        "schema": "unlatch.status/1",
        "active": [list_entry(one) for one in sound if one.status is Status.ACTIVE],
        "maxActive": session.workspace.config.limits.max_active,
        "paused": [list_entry(one) for one in sound if one.status is Status.PAUSED],
        "pending": [owed for one in sound for owed in pending_of(one)],
        "reopenedOften": [one.id for one in _often(session, sound)],
        "broken": [list_entry(one) for one in broken],
        "exitCode": 0,
    }


def _tell(session: Session, sound: list[Increment], broken: list[BrokenIncrement]) -> None:
    now = session.workspace.clock()
    active = [one for one in sound if one.status is Status.ACTIVE]
    most = session.workspace.config.limits.max_active
    limit = f" of at most {most}" if most else ""
    heading = f"Active       {len(active)}{limit}"
    output.data(output.warn(heading) if most and len(active) > most else heading)
    for one in active:
        output.data(f"  {one.id}  {output.clean(one.title)}")
    paused = [one for one in sound if one.status is Status.PAUSED]
    if paused:
        output.data(f"Paused       {len(paused)}")
    for one in paused:
        since = f" ({ago(one.last_activity, now)})" if one.last_activity else ""
        output.data(f"  {one.id}{since}")
    _tell_pending(session, sound)
    for one in _often(session, sound):
        output.data(f"{output.warn('Reopened')}     {one.id}: {one.effective_reopens} times")
    for lost in broken:
        output.data(f"{output.bad('Broken')}       {lost.id}: {output.clean(lost.reason)}")
        tell_hint(lost)


def _tell_pending(session: Session, sound: list[Increment]) -> None:
    now = session.workspace.clock()
    owing = [one for one in sound if one.pending]
    count = sum(len(one.pending) for one in owing)
    output.data(f"Pending      {times(count, 'operation')}")
    for one in owing:
        for operation in one.pending:
            cause = f", parked: {operation.cause}" if operation.cause else ""
            owed = f"{operation.kind} {operation.tracker} {operation.item}"
            output.data(f"  {one.id}  {owed} ({ago(operation.at, now)}{cause})")
        output.talk(f"  Next: unlatch sync {one.id}")
