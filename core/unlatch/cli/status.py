"""unlatch status: what needs somebody."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli import output
from unlatch.cli.app import reach
from unlatch.cli.describe import ago, times
from unlatch.cli.documents import pending_entry
from unlatch.cli.list import list_entry, tell_hint
from unlatch.cli.session import JSON, Session, with_session
from unlatch.domain.increment import BrokenIncrement, Increment
from unlatch.domain.status import Status
from unlatch.domain.times import stamp
from unlatch.engine.overview import Owed, not_recorded, owed

if TYPE_CHECKING:
    from unlatch.cli.contracts.documents import StatusDocument
    from unlatch.cli.contracts.parts import WaitingEntry
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
    return [one for one in sound if one.has_frequent_reopens(most)]


def _document(
    session: Session, sound: list[Increment], broken: list[BrokenIncrement]
) -> StatusDocument:
    return {
        "schema": "unlatch.status/1",
        "active": [list_entry(one) for one in sound if one.status is Status.ACTIVE],
        "maxActive": session.workspace.config.limits.max_active,
        "paused": [list_entry(one) for one in sound if one.status is Status.PAUSED],
        "pending": [_waiting_entry(one) for one in owed(session.workspace, sound)],
        "notRecorded": [
            {"increment": one.increment.id, **pending_entry(one.operation)}
            for one in not_recorded(session.workspace, sound)
        ],
        "reopenedOften": [one.id for one in _often(session, sound)],
        "broken": [list_entry(one) for one in broken],
        "exitCode": 0,
    }


def _waiting_entry(one: Owed) -> WaitingEntry:
    tried = one.tried
    not_before = tried.not_before if tried else None
    return {
        "increment": one.increment.id,
        **pending_entry(one.operation),
        "cause": one.cause,
        "attempts": tried.count if tried else 0,
        "nextTry": stamp(not_before) if not_before else None,
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
    waiting = owed(session.workspace, sound)
    output.data(f"Pending      {times(len(waiting), 'operation')}")
    for increment in dict.fromkeys(one.increment.id for one in waiting):
        for one in waiting:
            if one.increment.id == increment:
                output.data(f"  {increment}  {_owed_line(session, one)}")
        output.talk(f"  Next: unlatch sync {increment}")
    done = not_recorded(session.workspace, sound)
    if done:
        output.data(f"{output.warn('Delivered')}    {times(len(done), 'operation')}, not recorded")
    for one in done:
        operation = one.operation
        output.data(f"  {one.increment.id}  {operation.kind} {operation.tracker} {operation.item}")
    if done:
        output.talk("  Next: commit the metadata.json of these increments")


def _owed_line(session: Session, one: Owed) -> str:
    now, operation = session.workspace.clock(), one.operation
    facts = [ago(operation.at, now)]
    if one.tried:
        facts.append(f"tried {times(one.tried.count, 'time')}")
    if one.cause:
        facts.append(f"{'parked' if operation.parked_at else 'last'}: {one.cause}")
    if one.tried and one.tried.not_before and one.tried.not_before > now:
        facts.append(f"not before {one.tried.not_before:%H:%M} UTC")
    owing = f"{operation.kind} {operation.tracker} {operation.item}"
    return f"{output.clean(owing)} ({', '.join(facts)})"
