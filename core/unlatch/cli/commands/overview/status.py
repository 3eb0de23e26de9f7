"""unlatch status: increments and operations that need attention, on one screen."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from unlatch.cli.commands.overview.list import tell_notes, title_note
from unlatch.cli.render.delivery import next_command
from unlatch.cli.render.describe import ago, times
from unlatch.cli.render.increments import list_entry, tell_hint
from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import JSON, Session, with_session
from unlatch.increments.records.operation import operation_entry
from unlatch.lifecycle.overview import Overview, PendingOperation, overview
from unlatch.worklog.times import stamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from unlatch.cli.table import Entry
    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.limits import Use

# A heading for each list, and what else takes a line.
_HEADINGS = 10
_LISTS = 5
_LEAST = 2


def command(entry: Entry) -> click.Command:
    """The command."""

    @click.command(entry.name, help=entry.own_help)
    @JSON
    @with_session
    def run(session: Session, *, as_json: bool) -> int:
        found = overview(session.workspace)
        if as_json:
            output.document("status", **_document(found))
        else:
            _Screen(found, session.workspace.clock()).tell()
        tell_notes(filter(None, map(title_note, found.wip.active)))
        return 0

    return run


def _document(found: Overview) -> output.Json:
    return {
        "active": [list_entry(one) for one in found.wip.active],
        "maxActive": found.limits.max_active,
        "limits": _limits_entry(found),
        "wip": _wip_entry(found),
        "paused": [list_entry(one) for one in found.paused],
        "stale": [
            {"increment": one.increment.id, "status": one.increment.status, "days": one.days}
            for one in found.stale
        ],
        "pending": [_waiting_entry(one) for one in found.pending],
        "notRecorded": [
            {"increment": one.increment.id, **operation_entry(one.operation)}
            for one in found.not_recorded
        ],
        "reopenedOften": [one.id for one in found.reopened_often],
        "broken": [list_entry(one) for one in found.broken],
        "configMistakes": list(found.mistakes),
    }


def _limits_entry(found: Overview) -> output.Json:
    limits = found.limits
    return {
        "maxActive": limits.max_active,
        "hardCap": limits.hard_cap,
        "perType": dict(limits.per_type),
        "canInterrupt": sorted(limits.can_interrupt),
        "policy": limits.policy,
        "staleAfter": {status.value: days for status, days in limits.stale_after.items()},
    }


def _wip_entry(found: Overview) -> output.Json:
    return {
        "active": found.wip.total.active,
        "types": {kind: use.active for kind, use in found.wip.types.items()},
        "over": [use.setting for use in found.wip.over],
    }


def _waiting_entry(one: PendingOperation) -> output.Json:
    attempt = one.operation.attempt
    retry_at = attempt.retry_at if attempt else None
    return {
        "increment": one.increment.id,
        **operation_entry(one.operation),
        "cause": one.cause,
        "attempts": attempt.number if attempt else 0,
        "nextTry": stamp(retry_at) if retry_at else None,
        "blocked": one.operation.is_blocked,
    }


class _Screen:
    """The overview for people; at a terminal no list is longer than leaves room for the others."""

    def __init__(self, found: Overview, now: datetime) -> None:
        self._found = found
        self._now = now
        self._most = _rows()
        self._stale = {one.increment.id: one.days for one in found.stale}

    def tell(self) -> None:
        """Show all of it."""
        self._active()
        self._paused()
        self._pending()
        self._not_recorded()
        self._reopened()
        self._broken()
        if self._found.mistakes:
            told = times(len(self._found.mistakes), "mistake")
            output.data(f"{output.bad('Configured')}   {told}: {self._found.mistakes[0]}")
            output.talk("  Next: unlatch doctor")

    def _active(self) -> None:
        active, wip = self._found.wip.active, self._found.wip
        use = wip.total if wip.total.most or not wip.capped.most else wip.capped
        heading = f"Active       {_used(use)}{self._idle([one.id for one in active])}"
        output.data(output.warn(heading) if {wip.total, wip.capped} & {*wip.over} else heading)
        lines = [f"  {one.id}  {output.clean(one.title)}{self._mark(one.id)}" for one in active]
        self._rows(lines, "unlatch list --status active")
        limited = [(kind, use) for kind, use in wip.types.items() if use.most is not None]
        if limited:
            told = (f"{kind} {_used(use)}" for kind, use in limited)
            heading = f"By type      {output.clean('; '.join(told))}"
            over = any(use.is_over for _, use in limited)
            output.data(output.warn(heading) if over else heading)

    def _paused(self) -> None:
        paused = self._found.paused
        if not paused:
            return
        output.data(f"Paused       {len(paused)}{self._idle([one.id for one in paused])}")
        lines = [f"  {one.id}{self._since(one)}" for one in paused]
        self._rows(lines, "unlatch list --status paused")

    def _since(self, paused: Increment) -> str:
        facts = [ago(paused.last_activity, self._now)] if paused.last_activity else []
        facts += ["stale"] if paused.id in self._stale else []
        return f" ({', '.join(facts)})" if facts else ""

    def _idle(self, ids: Sequence[str]) -> str:
        stale = sum(one in self._stale for one in ids)
        return f", {stale} stale" if stale else ""

    def _mark(self, id: str) -> str:
        days = self._stale.get(id)
        return "" if days is None else output.warn(f" (stale: {times(days, 'day')})")

    def _pending(self) -> None:
        waiting = self._found.pending
        blocked = sum(one.operation.is_blocked for one in waiting)
        told_blocked = f", {blocked} blocked" if blocked else ""
        output.data(f"Pending      {times(len(waiting), 'operation')}{told_blocked}")
        told = list(dict.fromkeys(one.increment.id for one in waiting))
        room = self._most
        for number, increment in enumerate(told):
            theirs = [one for one in waiting if one.increment.id == increment]
            if room is not None and number and len(theirs) > room:
                output.talk(f"  and {times(len(told) - number, 'increment')} more: unlatch sync")
                break
            self._rows([f"  {increment}  {_waiting_line(one, self._now)}" for one in theirs])
            command = next_command(increment, [one.operation for one in theirs])
            output.talk(f"  Next: {command}")
            room = None if room is None else room - len(theirs)

    def _not_recorded(self) -> None:
        done = self._found.not_recorded
        if not done:
            return
        heading = output.warn("Delivered")
        output.data(f"{heading}    {times(len(done), 'operation')}, not recorded")
        self._rows([f"  {one.increment.id}  {_named(one)}" for one in done])
        output.talk("  Next: commit the metadata.json of these increments")

    def _reopened(self) -> None:
        self._rows(
            f"{output.warn('Reopened')}     {one.id}: {one.effective_reopens} times"
            for one in self._found.reopened_often
        )

    def _broken(self) -> None:
        broken = self._found.broken
        for lost in broken[: self._most]:
            output.data(f"{output.bad('broken')}       {lost.id}: {output.clean(lost.reason)}")
            tell_hint(lost)
        self._rest(len(broken), "unlatch doctor")

    def _rows(self, lines: Iterable[str], whole: str = "unlatch status --json") -> None:
        lines = list(lines)
        for line in lines[: self._most]:
            output.data(line)
        self._rest(len(lines), whole)

    def _rest(self, count: int, whole: str) -> None:
        if self._most is not None and count > self._most:
            output.talk(f"  and {count - self._most} more: {whole}")


def _rows() -> int | None:
    """How many rows a list may have; None where nobody has to see all at once."""
    if not sys.stdout.isatty():
        return None
    from shutil import get_terminal_size  # noqa: PLC0415

    return max(_LEAST, (get_terminal_size().lines - _HEADINGS) // _LISTS)


def _used(use: Use) -> str:
    return f"{use.active} of at most {use.most}" if use.most is not None else str(use.active)


def _named(one: PendingOperation) -> str:
    operation = one.operation
    return output.clean(f"{operation.kind} {operation.tracker} {operation.item}")


def _waiting_line(one: PendingOperation, now: datetime) -> str:
    operation, attempt = one.operation, one.operation.attempt
    facts = [ago(operation.at, now)]
    if attempt and attempt.number:
        facts.append(f"tried {times(attempt.number, 'time')}")
    if one.cause:
        facts.append(f"{'blocked' if operation.is_blocked else 'last'}: {one.cause}")
    elif attempt and attempt.is_open:
        facts.append("outcome unknown")
    if attempt and attempt.retry_at and attempt.retry_at > now:
        facts.append(f"not before {attempt.retry_at:%H:%M} UTC")
    return f"{_named(one)} ({', '.join(facts)})"
