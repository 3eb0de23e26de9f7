"""unlatch history: the life of an increment, or what the reopens of all have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli.render.describe import times
from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import JSON, Session, with_session
from unlatch.increments.records.events import (
    LOG,
    Amended,
    Delivered,
    Linked,
    Parked,
    Reopened,
    Transitioned,
    Unlinked,
    read_events,
)
from unlatch.worklog.times import stamp

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.cli.table import Entry
    from unlatch.increments.model.increment import Increment, ReopenEntry
    from unlatch.worklog.event_log import Event

_INDENT = " " * len("2025-11-04 10:00:00  ")


def command(entry: Entry) -> click.Command:
    """The command."""

    @click.command(entry.name, help=entry.own_help)
    @click.argument("wanted", metavar="[ID]", required=False)
    @click.option("--all", "over_all", is_flag=True, help="The reopens of all increments.")
    @JSON
    @with_session
    def run(session: Session, *, wanted: str | None, over_all: bool, as_json: bool) -> int:
        if (wanted is None) is not over_all:
            raise click.UsageError("name an increment, or --all")
        if wanted is not None:
            return _tell(session, wanted, as_json=as_json)
        from unlatch.cli.commands.overview.history_all import tell_all  # noqa: PLC0415

        return tell_all(session, as_json=as_json)

    return run


def _tell(session: Session, wanted: str, *, as_json: bool) -> int:
    from unlatch.lifecycle.history import life  # noqa: PLC0415

    increment = session.workspace.manager.read(wanted)
    events = life(increment)
    if lost := LOG.lost_lines(increment.folder):
        told = f"{times(lost, 'line')} of events.jsonl cannot be read; unlatch doctor shows it"
        output.talk(f"{output.warn('note:')} {told}")
    if as_json:
        recorded = read_events(increment.folder, increment.reopens)
        output.document(
            "history",
            id=increment.id,
            events=[LOG.entry(one) for one in recorded],
            reopens=increment.data.get("reopenHistory", []),
        )
        return 0
    for event in events:
        for line in _lines(event, increment, events):
            output.data(line)
    if not events:
        output.talk("Nothing is recorded yet.")
    return 0


def _lines(event: Event, increment: Increment, events: list[Event]) -> Iterator[str]:
    when = stamp(event.at).replace("T", " ").removesuffix("Z")
    yield f"{when}  {output.clean(event.by or 'unknown')}  {output.clean(_what(event))}"
    entry = next((one for one in increment.reopens if one.id == event.id), None)
    if entry is not None:
        for line in _about(entry, events):
            yield f"{_INDENT}{output.clean(line)}"


def _about(entry: ReopenEntry, events: list[Event]) -> Iterator[str]:
    """What there is to tell of a reopen besides who, when and why."""
    if entry.category:
        yield f"category: {entry.category}"
    if entry.amendment is not None and entry.amendment.change:
        yield f"scope: {entry.amendment.change}"
    if entry.forced:
        yield f"forced: {', '.join(entry.forced)}"
    # What an event tells of has a line of its own.
    own = (one for one in events if isinstance(one, Delivered | Parked) and one.op == entry.id)
    told = {event.item for event in own}
    reached = [
        one.url or f"{one.tracker} {one.item}" for one in entry.synced_to if one.url not in told
    ]
    if reached:
        yield f"reached: {', '.join(reached)}"
    if entry.reverted_at is not None:
        yield "undone"


def _what(event: Event) -> str:
    match event:
        case Transitioned() | Amended():
            return _change(event)
        case Reopened():
            return f"reopened it: {event.reason}"
        case Delivered():
            return f"{event.tracker} {event.item} {event.result}"
        case Parked():
            return f"{event.tracker} {event.item} blocked: {event.cause}"
        case Linked() | Unlinked():
            return f"{LOG.word(event)} {event.tracker} {event.item}"
        case other:
            return LOG.word(other)


def _change(event: Transitioned | Amended) -> str:
    if isinstance(event, Amended):
        again = f"to be done again: {', '.join(event.parts)}"
        return f"changed its work: {event.change or again}"
    reason = f": {event.reason}" if event.reason else ""
    forced = f" (forced: {', '.join(event.forced)})" if event.forced else ""
    return f"{event.origin} -> {event.to}{reason}{forced}"
