"""An increment as text, with its items as they are now."""

from __future__ import annotations

from os.path import relpath
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.cli.render.describe import ago, lines_of, next_command, synced_lines, times
from unlatch.cli.render.related import related_lines
from unlatch.cli.terminal import output
from unlatch.worklog.name_matching import first_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from unlatch.cli.runtime.context import Context
    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.link import Link
    from unlatch.increments.model.reopens import ReopenEntry
    from unlatch.lifecycle.fetch_items import ItemSnapshot

# The number of the last reopens to show.
_SHOWN = 3


def show_increment(context: Context, increment: Increment, *, offline: bool = False) -> None:
    """Show an increment and its items; `offline` leaves out the items' state."""
    seen = items_of(context, increment, offline=offline)
    warnings = warnings_of(context, increment)
    with context.paged():
        _tell(context, increment, seen, warnings)


def warnings_of(context: Context, increment: Increment) -> list[str]:
    """The warnings about an increment's files."""
    warnings = [*increment.warnings]
    if unreadable := context.workspace.manager.unreadable_documents(increment):
        from unlatch.cli.render.notes import not_read  # noqa: PLC0415  (rarely needed)

        warnings += map(not_read, unreadable)
    return warnings


def items_of(context: Context, increment: Increment, *, offline: bool) -> Sequence[ItemSnapshot]:
    if not increment.links or offline:
        return ()
    from unlatch.lifecycle.fetch_items import fetch_items  # noqa: PLC0415  (slow to load)

    with context.trackers() as trackers:
        return fetch_items(trackers, increment.links)


def last_synced(increment: Increment) -> Mapping[Link, datetime]:
    from unlatch.lifecycle.fetch_items import last_synced as find  # noqa: PLC0415  (slow to load)

    return find(increment)


def _tell(
    context: Context, increment: Increment, seen: Sequence[ItemSnapshot], warnings: Sequence[str]
) -> None:
    now = context.workspace.clock()
    head = f"{output.strong(increment.id)}  "
    output.data(*output.hang(head, output.clean(increment.title)))
    archived = " (archived)" if increment.archived else ""
    output.data(f"  Status       {increment.status}{archived}")
    _tell_unit(increment)
    output.data(f"  Type         {output.clean(increment.type or 'none')}")
    for name, moment in (
        ("Created", increment.created),
        ("Completed", increment.completed_at),
        ("Last active", increment.last_activity),
    ):
        if moment:
            output.data(f"  {name:<12} {moment:%Y-%m-%d} ({ago(moment, now)})")
    output.data(f"  Reopened     {times(increment.effective_reopens, 'time')}")
    if len(increment.reopens) > _SHOWN:
        earlier = len(increment.reopens) - _SHOWN
        output.data(f"    {earlier} earlier: unlatch history {quote(increment.id)}")
    for entry in increment.reopens[-_SHOWN:]:
        _tell_reopen(entry)
    _tell_items(context, increment, seen)
    for kind, name, status in related_lines(context, increment):
        output.data(*output.hang(f"  {kind:<13}", f"{output.clean(name)} ({status})"))
    for operation in increment.pending:
        cause = f", blocked: {operation.cause}" if operation.is_blocked else ""
        line = f"{operation.kind} {operation.tracker} {operation.item}{cause}"
        output.data(*output.hang(f"  {output.warn('Pending')}      ", line))
    if increment.unwritten:
        names = ", ".join(increment.unwritten)
        line = f"{names}: changes of the work; unlatch resume {quote(increment.id)}"
        output.data(*output.hang(f"  {output.warn('Not written')}  ", line))
    for warning in warnings:
        note = output.hang(f"  {output.warn('note:')} ", output.clean(warning), aside=True)
        output.talk(*note)
    if increment.pending:
        output.talk(f"Next: {next_command(increment.id, increment.pending)}")


def _tell_reopen(entry: ReopenEntry) -> None:

    when, undone = f"{entry.reopened_at:%Y-%m-%d}", " (undone)" if entry.reverted_at else ""
    head = f"{when} by {output.clean(entry.reopened_by)}{undone}"
    output.data(*lines_of("    ", f"{head}: ", entry.reason))


def _tell_unit(increment: Increment) -> None:
    """Show where another tool keeps the work, and what its files show."""
    if increment.unit is None:
        return
    now, recorded = increment.evidence, increment.overridden
    evidence = f"{now.status} ({output.clean(now.by)})" if now else "no tasks"
    news = f"; unlatch recorded {recorded}, unlatch sync records this" if recorded else ""
    output.data(f"  Files show   {evidence}{news}")
    layout, place = increment.unit.layout, output.clean(relpath(increment.unit.place))
    end = "" if increment.unit.is_file else "/"
    output.data(*output.hang("  Documents    ", f"{place}{end} ({output.clean(layout)})"))


def _tell_items(context: Context, increment: Increment, seen: Sequence[ItemSnapshot]) -> None:
    if not increment.links:
        output.data("  Items        none")
        return
    output.data("  Items")
    registry, now = context.workspace.registry, context.workspace.clock()
    columns = 2 + max(len(registry.manifest(link.tracker).title) for link in increment.links)
    if not seen:
        for link in increment.links:
            title = registry.manifest(link.tracker).title
            output.data(f"    {title:<{columns}}{output.clean(link.key)}")
        return
    from unlatch.cli.render.notes import tell_unread  # noqa: PLC0415  (for items alone)
    from unlatch.sync.check_boxes import absent_boxes  # noqa: PLC0415  (for items alone)

    synced = last_synced(increment)
    for snapshot in seen:
        output.data(*synced_lines(registry, snapshot, synced, columns=columns, now=now))
        if snapshot.item and snapshot.item.labels:
            labels = ", ".join(map(output.clean, snapshot.item.labels))
            output.data(*output.hang(f"    {'':<{columns}}", f"labels: {labels}"))
        if absent := absent_boxes(increment, snapshot.link, snapshot.item):
            line = f"not in its body: {output.clean(first_of(absent))}"
            output.data(*output.hang(f"    {'':<{columns}}", line))
    tell_unread(seen)
