"""unlatch status: increments and operations that need attention, on one screen."""

import sys
from collections.abc import Sequence
from datetime import datetime
from itertools import chain

import click

from unlatch.cli.commands.items.pending import (
    find_pending,
    show_pending,
    tell_none_pending,
)
from unlatch.cli.commands.items.render import pending_line, record_status, tell_broken
from unlatch.cli.options.common import flag, with_json
from unlatch.cli.options.items import check_items
from unlatch.cli.render.delivery_documents import pending_of
from unlatch.cli.render.describe import ago, next_command, times
from unlatch.cli.render.documents import list_entry, warning_entries
from unlatch.cli.render.notes import (
    adoption_entry,
    adoption_line,
    not_read,
    tell_hint,
    tell_unread_work,
)
from unlatch.cli.runtime.context import Context
from unlatch.cli.terminal import output
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.limits import Use
from unlatch.increments.records.pending import operation_entry
from unlatch.lifecycle.lists.overview import Overview, PendingOperation, overview
from unlatch.project.git.revisions import other_branch
from unlatch.project.workspace import Workspace
from unlatch.related.unfinished import unfinished
from unlatch.worklog.times import stamp

_WHOLE = "unlatch status --json"
# The lines of headings and other text, beside the lists.
_HEADINGS = 10
_LISTS = 5
_LEAST = 2


@click.command()
@click.argument("items", metavar="[ITEM...]", callback=check_items, nargs=-1)
@flag("--web", help="Open the named items in the browser.")
@with_json
def run(context: Context, *, items: tuple[str, ...], web: bool, as_json: bool) -> int:
    if web:
        if as_json or not items:
            raise click.UsageError("--web goes with an item, and without --json")
        from unlatch.cli.commands.items.web import open_items  # noqa: PLC0415

        return open_items(context, items)
    if items:
        from unlatch.cli.commands.items.status import show_items  # noqa: PLC0415

        return show_items(context, items, as_json=as_json)
    here, elsewhere = find_pending(context)
    if not context.has_project:
        if as_json:
            output.document("item-status", items=[record_status(record) for record in here.records])
        elif here.is_done:
            tell_none_pending(context)
        else:
            output.data(*map(pending_line, here.records))
        tell_broken(here.broken)
        return 0
    state = overview(context.workspace)
    others, warnings = unfinished(context.workspace)
    if as_json:
        waiting = (*here.records, *elsewhere.records)
        pending = [entry for record in waiting for entry in pending_of(record)]
        other = [{"ref": f"{kind}:{name}", "status": status} for kind, name, status in others]
        more = {"otherWork": other} if other else {}
        more["warnings"] = warning_entries(warnings)
        output.document("status", **_document(state), itemsPending=pending, **more)
    else:
        workspace = context.workspace
        _Screen(state, workspace.clock(), next_sync=_next_sync(workspace, state)).show()
        for kind, name, status in others:
            text = f"{output.clean(name)} ({status})"
            output.data(*output.hang(f"{kind.capitalize():<13}", text))
        show_pending(here, elsewhere)
    tell_unread_work(warnings)
    manager = context.workspace.manager
    for error in filter(None, map(manager.unreadable_title, state.wip.active)):
        output.note(not_read(error))
    return 0


def _next_sync(workspace: Workspace, state: Overview) -> str:
    """What records the statuses that files show; on a feature branch sync leaves them."""
    if not state.adoptions or state.mistakes:
        return "Next: unlatch sync"
    branch = workspace.raw_config.core.sync.branch
    if other_branch(workspace.paths.root, workspace.environ, branch):
        return "Sync does not record it on this branch. Next: merge, then unlatch sync"
    return "Next: unlatch sync"


def _document(state: Overview) -> output.Json:
    limits, wip = state.limits, state.wip
    return {
        "active": [list_entry(increment) for increment in wip.active],
        "maxActive": limits.max_active,
        "limits": {
            **output.fields(limits, "max_active", "hard_cap"),
            "perType": dict(limits.per_type),
            "canInterrupt": sorted(limits.can_interrupt),
            "policy": limits.policy,
            "staleAfter": {status.value: days for status, days in limits.stale_after.items()},
        },
        "wip": {
            "active": wip.total.active,
            "types": {kind: use.active for kind, use in wip.types.items()},
            "over": [use.setting for use in wip.over],
        },
        "paused": [list_entry(increment) for increment in state.paused],
        "stale": [
            {"increment": idle.increment.id, "status": idle.increment.status, "days": idle.days}
            for idle in state.stale
        ],
        "pending": [_pending_entry(operation) for operation in state.pending],
        "notRecorded": [_operation_entry(operation) for operation in state.not_recorded],
        "reopenedOften": [increment.id for increment in state.reopened_often],
        "broken": [list_entry(increment) for increment in state.broken],
        "configMistakes": list(state.mistakes),
        "adoptions": [adoption_entry(adoption) for adoption in state.adoptions],
    }


def _operation_entry(operation: PendingOperation) -> output.Json:
    return {"increment": operation.increment.id, **operation_entry(operation.operation)}


def _pending_entry(operation: PendingOperation) -> output.Json:
    attempt = operation.operation.attempt
    retry_at = attempt.retry_at if attempt else None
    return {
        **_operation_entry(operation),
        "cause": operation.cause,
        "attempts": attempt.number if attempt else 0,
        "nextTry": stamp(retry_at) if retry_at else None,
        "blocked": operation.operation.is_blocked,
    }


class _Screen:
    """The overview as text; at a terminal each list leaves room for the others."""

    def __init__(self, state: Overview, now: datetime, *, next_sync: str) -> None:
        self._found, self._now, self._most = state, now, _max_rows()
        self._next_sync = next_sync
        self._stale = {idle.increment.id: idle.days for idle in state.stale}

    def show(self) -> None:
        self._show_active()
        self._show_paused()
        self._show_adoptions()
        self._show_pending()
        self._show_not_recorded()
        heading = output.warn("Reopened")
        often = self._found.reopened_often
        rows = [
            (f"{heading}     ", f"{increment.id}: {increment.effective_reopens} times")
            for increment in often
        ]
        self._show_rows(rows)
        for lost in self._found.broken[: self._most]:
            text = f"{lost.id}: {output.clean(lost.reason)}"
            output.data(*output.hang(f"{output.bad('Broken')}       ", text))
            tell_hint(lost)
        self._show_rest(len(self._found.broken), "unlatch doctor")
        if mistakes := self._found.mistakes:
            more = "" if len(mistakes) == 1 else f" (the first of {len(mistakes)})"
            text = f"{output.clean(mistakes[0])}{more}"
            output.data(*output.hang(f"{output.bad('Config')}       ", text))
            output.talk("  Next: unlatch doctor")

    def _show_active(self) -> None:
        active, wip = self._found.wip.active, self._found.wip
        use = wip.total if wip.total.most or not wip.capped.most else wip.capped
        heading = f"Active       {_used(use)}{self._count_stale(active)}"
        output.data(output.warn(heading) if {wip.total, wip.capped} & {*wip.over} else heading)
        rows = [
            (f"  {increment.id}  ", f"{output.clean(increment.title)}{self._mark(increment.id)}")
            for increment in active
        ]
        self._show_rows(rows, "unlatch list --status active")
        limited = {kind: use for kind, use in wip.types.items() if use.most is not None}
        if limited:
            types = "; ".join(f"{kind} {_used(use)}" for kind, use in limited.items())
            heading = f"By type      {output.clean(types)}"
            is_over = any(use.is_over for use in limited.values())
            output.data(output.warn(heading) if is_over else heading)

    def _show_paused(self) -> None:
        if paused := self._found.paused:
            output.data(f"Paused       {len(paused)}{self._count_stale(paused)}")
            rows = [("  ", f"{increment.id}{self._since(increment)}") for increment in paused]
            self._show_rows(rows, "unlatch list --status paused")

    def _since(self, paused: Increment) -> str:
        facts = [ago(paused.last_activity, self._now)] if paused.last_activity else []
        facts += ["stale"] if paused.id in self._stale else []
        return f" ({', '.join(facts)})" if facts else ""

    def _count_stale(self, increments: Sequence[Increment]) -> str:
        stale = sum(increment.id in self._stale for increment in increments)
        return f", {stale} stale" if stale else ""

    def _mark(self, id: str) -> str:
        days = self._stale.get(id)
        return "" if days is None else output.warn(f" (stale: {times(days, 'day')})")

    def _show_adoptions(self) -> None:
        if adoptions := self._found.adoptions:
            output.data(
                f"In files     {times(len(adoptions), 'change')} of status, not recorded yet"
            )
            self._show_rows([("  ", adoption_line(adoption)) for adoption in adoptions])
            output.talk(f"  {self._next_sync}")

    def _show_pending(self) -> None:
        pending = self._found.pending
        blocked = sum(pending.operation.is_blocked for pending in pending)
        suffix = f", {blocked} blocked" if blocked else ""
        output.data(f"Pending      {times(len(pending), 'operation')}{suffix}")
        increments = list(dict.fromkeys(pending.increment.id for pending in pending))
        room = self._most
        for number, increment in enumerate(increments):
            theirs = [pending for pending in pending if pending.increment.id == increment]
            if room is not None and number and len(theirs) > room:
                more = times(len(increments) - number, "increment")
                output.talk(f"  and {more} more: unlatch sync")
                break
            self._show_rows(
                [(f"  {increment}  ", _pending_line(pending, self._now)) for pending in theirs]
            )
            output.talk(
                f"  Next: {next_command(increment, [pending.operation for pending in theirs])}"
            )
            room = None if room is None else room - len(theirs)

    def _show_not_recorded(self) -> None:
        if done := self._found.not_recorded:
            heading = output.warn("Delivered")
            output.data(f"{heading}    {times(len(done), 'operation')}, not recorded")
            self._show_rows([(f"  {pending.increment.id}  ", _name(pending)) for pending in done])
            output.talk("  Next: commit the metadata.json of these increments")

    def _show_rows(self, rows: Sequence[tuple[str, str]], whole: str = _WHOLE) -> None:
        """Show a list of rows (head and text)."""
        lines = (output.hang(head, text) for head, text in rows[: self._most])
        output.data(*chain.from_iterable(lines))  # each call writes to the stream
        self._show_rest(len(rows), whole)

    def _show_rest(self, count: int, whole: str = _WHOLE) -> None:
        if self._most is not None and count > self._most:
            output.talk(f"  and {count - self._most} more: {whole}")


def _max_rows() -> int | None:
    """The maximum number of rows of a list at a terminal; None elsewhere."""
    if not sys.stdout.isatty():
        return None
    from shutil import get_terminal_size  # noqa: PLC0415

    return max(_LEAST, (get_terminal_size().lines - _HEADINGS) // _LISTS)


def _used(use: Use) -> str:
    return f"{use.active} of at most {use.most}" if use.most is not None else str(use.active)


def _name(pending: PendingOperation) -> str:
    operation = pending.operation
    return output.clean(f"{operation.kind} {operation.tracker} {operation.item}")


def _pending_line(pending: PendingOperation, now: datetime) -> str:
    operation, attempt = pending.operation, pending.operation.attempt
    facts = [ago(operation.at, now)]
    if attempt and attempt.number:
        facts.append(times(attempt.number, "attempt"))
    if pending.cause:
        facts.append(f"{'blocked' if operation.is_blocked else 'last'}: {pending.cause}")
    elif attempt and attempt.is_open:
        facts.append("outcome unknown")
    if attempt and attempt.retry_at and attempt.retry_at > now:
        facts.append(f"asked to wait until {attempt.retry_at:%H:%M} UTC")
    return f"{_name(pending)} ({', '.join(facts)})"
