"""unlatch show: show an increment, and its items as they are now."""

from __future__ import annotations

from os.path import relpath
from shlex import quote
from typing import TYPE_CHECKING

import click

from unlatch.cli.render.describe import ago, next_command, synced_lines, times
from unlatch.cli.render.related import related_keys, related_lines
from unlatch.cli.runtime.increments import increment_argument, increment_id
from unlatch.cli.runtime.session import JSON, Session, complete_tracker, flag, with_session
from unlatch.cli.terminal import output
from unlatch.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from unlatch.cli.runtime.references import Reference
    from unlatch.cli.terminal.output import Json
    from unlatch.increments.model.increment import Increment, Link, ReopenEntry
    from unlatch.lifecycle.fetch_items import ItemSnapshot

# The number of the last reopens to show.
_SHOWN = 3


# The command for each other kind of work.
_VERBS = {"effort": "show", "session": "show", "run": "status"}


def _meant(ctx: click.Context, param: click.Parameter, value: str) -> str | Reference:
    if ":" in value:
        from unlatch.cli.runtime.references import read_reference  # noqa: PLC0415

        if reference := read_reference(value):
            return reference
    return increment_id(ctx, param, value)


@click.command()
@increment_argument("wanted", metavar="ID", callback=_meant)
@flag("--offline", is_eager=True, help="Do not read the items from the trackers.")
@flag("--briefing", help="Show what is known of it: decisions, failures and open work.")
@flag("--web", help="Open an item in the browser; of several, the one that you choose.")
@click.option(
    "--tracker",
    metavar="NAME",
    shell_complete=complete_tracker,
    help="With --web, the item on this tracker.",
)
@JSON
@with_session
def run(
    session: Session,
    *,
    wanted: str | Reference,
    offline: bool,
    briefing: bool,
    web: bool,
    tracker: str | None,
    as_json: bool,
) -> int:
    if not isinstance(wanted, str):
        from unlatch.cli.runtime.references import run_instead  # noqa: PLC0415

        if briefing:
            message = f"--briefing takes an increment, and {wanted} is none"
            raise UsageError("usage", message, hint=f"unlatch show {quote(str(wanted))}")
        return run_instead(wanted, _VERBS[wanted.kind], without={"offline"})
    if (web and as_json) or (tracker is not None and not web):
        raise click.UsageError("--tracker goes with --web, and --json does not")
    increment = session.workspace.manager.read(wanted)
    if web:
        from unlatch.cli.commands.items.web import open_item_of  # noqa: PLC0415

        return open_item_of(session, increment, tracker)
    if briefing and not as_json:
        from unlatch.cli.commands.work.other_work import show_briefing  # noqa: PLC0415

        show_briefing(session, increment)
        return 0
    seen = _fetched(session, increment, offline=offline)
    warnings = [*increment.warnings]
    if unreadable := session.workspace.manager.unreadable_documents(increment):
        from unlatch.cli.render.notes import not_read  # noqa: PLC0415  (rarely needed)

        warnings += map(not_read, unreadable)
    if not as_json:
        with session.paged():
            _tell(session, increment, seen, warnings)
        return 0
    more = related_keys(session, increment)
    if briefing:
        from unlatch.cli.commands.work.other_work import briefing_entry, briefing_now  # noqa: PLC0415

        more["briefing"] = briefing_entry(briefing_now(session, increment))
    output.document("show", **_entries(increment, seen), warnings=warnings, **more)
    return 0


def _fetched(session: Session, increment: Increment, *, offline: bool) -> Sequence[ItemSnapshot]:
    if not increment.links or offline:
        return ()
    from unlatch.lifecycle.fetch_items import fetch_items  # noqa: PLC0415  (slow to load)

    with session.trackers() as trackers:
        return fetch_items(trackers, increment.links)


def _last_synced(increment: Increment) -> Mapping[Link, datetime]:
    from unlatch.lifecycle.fetch_items import last_synced  # noqa: PLC0415  (slow to load)

    return last_synced(increment)


def _entries(increment: Increment, seen: Sequence[ItemSnapshot]) -> Json:
    from unlatch.cli.render.documents import list_entry, synced_item_entry  # noqa: PLC0415
    from unlatch.increments.records.pending import operation_entry  # noqa: PLC0415

    synced = _last_synced(increment) if seen else {}
    return {
        "increment": list_entry(increment),
        "reopenHistory": increment.data.get("reopenHistory", []),
        "pending": [operation_entry(operation) for operation in increment.pending],
        "items": [synced_item_entry(one, synced) for one in seen],
    }


def _tell(
    session: Session, increment: Increment, seen: Sequence[ItemSnapshot], warnings: Sequence[str]
) -> None:
    now = session.workspace.clock()
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
    _tell_items(session, increment, seen)
    for kind, name, status in related_lines(session, increment):
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
    from unlatch.cli.render.texts import lines_of  # noqa: PLC0415  (most were never reopened)

    when, undone = f"{entry.reopened_at:%Y-%m-%d}", " (undone)" if entry.reverted_at else ""
    head = f"{when} by {output.clean(entry.reopened_by)}{undone}"
    output.data(*lines_of("    ", f"{head}: ", entry.reason))


def _tell_unit(increment: Increment) -> None:
    """Show where another tool keeps the work, and what its files show."""
    if increment.unit is None:
        return
    now, recorded = increment.evidence, increment.overridden
    shown = f"{now.status} ({output.clean(now.by)})" if now else "no tasks"
    news = f"; unlatch recorded {recorded}, unlatch sync records this" if recorded else ""
    output.data(f"  Files show   {shown}{news}")
    layout, place = increment.unit.layout, output.clean(relpath(increment.unit.place))
    output.data(*output.hang("  Documents    ", f"{place}/ ({output.clean(layout)})"))


def _tell_items(session: Session, increment: Increment, seen: Sequence[ItemSnapshot]) -> None:
    if not increment.links:
        output.data("  Items        none")
        return
    output.data("  Items")
    registry, now = session.workspace.registry, session.workspace.clock()
    columns = 2 + max(len(registry.manifest(link.tracker).title) for link in increment.links)
    if not seen:
        for link in increment.links:
            title = registry.manifest(link.tracker).title
            output.data(f"    {title:<{columns}}{output.clean(link.key)}")
        return
    from unlatch.cli.render.notes import tell_unread  # noqa: PLC0415  (for items alone)

    synced = _last_synced(increment)
    for one in seen:
        output.data(*synced_lines(registry, one, synced, columns=columns, now=now))
        if one.item and one.item.labels:
            labels = ", ".join(map(output.clean, one.item.labels))
            output.data(*output.hang(f"    {'':<{columns}}", f"labels: {labels}"))
    tell_unread(seen)
