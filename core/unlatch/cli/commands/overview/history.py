"""unlatch history: show the events of an increment, list all reopens, or verify them."""

from collections.abc import Iterator, Sequence
from datetime import datetime

import click

from unlatch.cli.options.common import complete_tracker, filter_option, flag, with_json
from unlatch.cli.options.increments import increment_argument, pick_increment
from unlatch.cli.render.delivery_text import RESULTS
from unlatch.cli.render.describe import lines_of, times
from unlatch.cli.runtime.context import Context
from unlatch.cli.runtime.failure import part
from unlatch.cli.runtime.groups import GroupWithArguments
from unlatch.cli.runtime.increments import named_increment
from unlatch.cli.runtime.work_references import read_reference, run_instead
from unlatch.cli.terminal import output
from unlatch.errors import UsageError
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.reopens import ReopenEntry
from unlatch.increments.records.events import (
    Amended,
    Broken,
    Delivered,
    EventOnItem,
    GuardsChanged,
    Parked,
    Reopened,
    Repointed,
    Synced,
    Undone,
)
from unlatch.increments.records.pending import operation_entry
from unlatch.increments.records.status_events import LOG, Transitioned
from unlatch.spi.operation import Operation
from unlatch.worklog.event_log import Event
from unlatch.worklog.times import stamp

_UNKNOWN_USER = "unknown user"
_INDENT = " " * len("2025-11-04 10:00:00  ")


@click.group(cls=GroupWithArguments, invoke_without_command=True)
@increment_argument("wanted", metavar="[ID|ITEM|KIND:ID]", required=False)
@flag("--all", "over_all", help="List the reopens of all increments, with statistics.")
@click.option(
    "--since", metavar="TIME", help="With --all, from this day or time (UTC); 30d for 30 days."
)
@click.option("--until", metavar="TIME", help="With --all, until this day or time (UTC).")
@click.option("--by", metavar="NAME", help="With --all, only reopens by this person.")
@filter_option(
    "--tracker",
    metavar="NAME",
    shell_complete=complete_tracker,
    help="With --all, only reopens with an item on this tracker.",
)
@flag("--csv", "as_csv", help="With --all, print one line of CSV for each reopen.")
@with_json
def run(
    context: Context,
    *,
    wanted: str | None,
    over_all: bool,
    as_csv: bool,
    as_json: bool,
    **filters: str | None,
) -> int:
    if wanted is None and not over_all:
        wanted = pick_increment(click.get_current_context())
    if (wanted is None) is not over_all:
        raise click.UsageError("name an increment, or --all")
    if as_csv and as_json:
        raise click.UsageError("choose --csv or --json")
    if wanted is None:
        code: int = part("history_all", of="unlatch.audit")(
            context, as_csv=as_csv, as_json=as_json, **filters
        )
        return code
    if as_csv or any(given is not None for given in filters.values()):
        raise click.UsageError("--since, --until, --by, --tracker and --csv go with --all")
    if reference := read_reference(wanted):
        return run_instead(reference, "history")
    if "#" in wanted or "/" in wanted:
        from unlatch.cli.runtime.item_words import items_typed  # noqa: PLC0415  (rarely needed)

        (wanted,) = items_typed(context, [wanted])
    target = _find_item(context, wanted) or (context, named_increment(context, wanted))
    return _tell(*target, as_json=as_json)


def _find_item(context: Context, wanted: str) -> tuple[Context, str] | None:
    """The record of an item; None if it has none, or if the word may be a part of a name."""
    if not context.is_item(wanted):
        return None
    from unlatch.cli.runtime.item_words import (  # noqa: PLC0415  (slow to load)
        find_record,
        nothing_recorded,
    )

    try:
        record = find_record(context, wanted)
    except UsageError:
        if not context.has_project:
            raise
        return None
    if record is None and not context.has_project:
        raise nothing_recorded(context, wanted)
    return record


def _tell(context: Context, wanted: str, *, as_json: bool) -> int:
    from unlatch.lifecycle.history import read_history  # noqa: PLC0415

    history = read_history(context.workspace, wanted)
    increment = history.increment
    if history.lost:
        lost = times(history.lost, "line")
        output.note(f"{lost} of events.jsonl cannot be read; unlatch doctor shows it")
    if as_json:
        from unlatch.increments.records.reopens import reopen_entries  # noqa: PLC0415

        output.document(
            "history",
            id=increment.id,
            events=[_event_entry(event) for event in history.events],
            pending=[operation_entry(operation) for operation in increment.pending],
            reopens=reopen_entries(increment.data, increment.reopens),
        )
        return 0
    with context.paged():
        for event in history.events:
            output.data(*_lines(event, increment, history.events))
        for operation in increment.pending:
            output.data(*_pending_lines(operation, increment))
        if not history.events:
            output.talk("Nothing is recorded yet.")
    return 0


def _event_entry(event: Event) -> output.Json:
    # Moments recorded only in metadata.json have neither.
    return {**LOG.entry(event), "id": event.id or None, "by": event.by or None}


def _pending_lines(operation: Operation, increment: Increment) -> list[str]:
    entry = next((entry for entry in increment.reopens if entry.id == operation.op), None)
    by = operation.by or (entry.reopened_by if entry else None)
    what = f"pending: {operation.kind} {operation.tracker} {operation.item}"
    return _moment(
        operation.at, by or _UNKNOWN_USER, _with_reason(what, operation.reason or operation.why)
    )


def _moment(at: datetime, by: str, text: str) -> list[str]:
    when = stamp(at).replace("T", " ").removesuffix("Z")
    return lines_of(f"{when}  ", f"{output.clean(by)}  ", text)


def _with_reason(text: str, reason: str | None) -> str:
    return f"{text}: {reason}" if reason else text


def _lines(event: Event, increment: Increment, events: Sequence[Event]) -> Iterator[str]:
    by = event.by or (_UNKNOWN_USER if event.id else "-")
    yield from _moment(event.at, by, _description(event, events))
    entry = next((reopen for reopen in increment.reopens if reopen.id == event.id), None)
    if entry is not None:
        for line in _about(entry, events):
            yield from lines_of(_INDENT, "", line)


def _about(entry: ReopenEntry, events: Sequence[Event]) -> Iterator[str]:
    """The further details of a reopen."""
    if entry.category:
        yield f"category: {entry.category}"
    if entry.amendment is not None and entry.amendment.change:
        yield f"scope: {entry.amendment.change}"
    if entry.forced:
        yield f"forced: {', '.join(entry.forced)}"
    # Deliveries with an event have a line of their own.
    own = (
        event for event in events if isinstance(event, Delivered | Parked) and event.op == entry.id
    )
    items_with_event = {event.item for event in own}
    synced = (item for item in entry.synced_to if item.url not in items_with_event)
    if reached := [item.url or f"{item.tracker} {item.item}" for item in synced]:
        yield f"reached: {', '.join(reached)}"
    undone = {event.reopen for event in events if isinstance(event, Undone)}
    if entry.reverted_at is not None and entry.id not in undone:
        yield f"undone: {stamp(entry.reverted_at)}"


def _description(event: Event, events: Sequence[Event]) -> str:
    match event:
        case Amended():
            parts = f"to be done again: {', '.join(event.parts)}"
            change = f"scope changed: {event.change}" if event.change else parts
            return f"{change} (reason: {event.reason})" if event.reason else change
        case Broken() | GuardsChanged():
            return _about_guards(event)
        case Transitioned():
            forced = f" (forced: {', '.join(event.forced)})" if event.forced else ""
            return _with_reason(f"{event.origin} -> {event.to}", event.reason) + forced
        case Reopened() | Undone():
            done = "reopened" if isinstance(event, Reopened) else "reopen undone"
            return _with_reason(done, event.reason)
        case EventOnItem():
            return _about_item(event, events)
        case other:
            return LOG.word(other)


def _about_guards(event: Broken | GuardsChanged) -> str:
    if isinstance(event, Broken):
        return f"broken again: {'; '.join(cause.evidence for cause in event.causes)}"
    changed = (*event.linked, *(f"not {test}" for test in event.unlinked))
    return f"guarded by: {', '.join(changed)}"


def _labels(event: Delivered) -> str:
    """The change of an item whose state and comments stayed."""
    signs = (("+", event.labels_added), ("-", event.labels_removed))
    changed = [f"{sign}{label}" for sign, labels in signs for label in labels]
    return f"labels {' '.join(changed)}" if changed else "left unchanged"


def _about_item(event: EventOnItem, events: Sequence[Event]) -> str:
    name = f"{event.tracker} {event.item}"
    match event:
        case Delivered():
            kept = "commented" if event.commented else _labels(event)
            # The reason of an increment's change has its own line.
            reason = (
                None
                if any(event_of_change.id == event.op for event_of_change in events)
                else event.reason
            )
            refused = ", ".join(event.labels_refused)
            about = _with_reason(f"{name} {RESULTS.get(event.result, kept)}", reason)
            return f"{about}; labels refused: {refused}" if refused else about
        case Parked():
            return f"{name} blocked: {event.cause}"
        case Synced(asked=str(asked)):
            return f"{name} changed alone, as asked in {asked}"
        case Synced():
            marks = (("ticked", event.ticked), ("unticked", event.unticked))
            changed = [f"{mark} there: {', '.join(ids)}" for mark, ids in marks if ids]
            return f"{name} {'; '.join(changed) or 'in sync'}"
        case Repointed():
            return f"{event.tracker} {event.origin} moved to {event.item}"
        case _:
            return f"{LOG.word(event)} {name}"
