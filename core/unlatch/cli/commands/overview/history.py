"""unlatch history: the life of an increment, or what the reopens of all have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from unlatch.cli.render.describe import times
from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import JSON, Session, with_session
from unlatch.increments.files.events import lost_lines, read_events

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.cli.contracts.documents import HistoryDocument
    from unlatch.cli.contracts.parts import EventEntry, Record
    from unlatch.cli.table import Entry
    from unlatch.increments.files.events import Event
    from unlatch.increments.model.increment import Increment, ReopenEntry

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
    if lost := lost_lines(increment.folder):
        told = f"{times(lost, 'line')} of events.jsonl cannot be read; unlatch doctor shows it"
        output.talk(f"{output.warn('note:')} {told}")
    if as_json:
        document: HistoryDocument = {
            "schema": "unlatch.history/1",
            "id": increment.id,
            "events": cast("list[EventEntry]", read_events(increment.folder, increment.reopens)),
            "reopens": cast("list[Record]", list(increment.data.get("reopenHistory", []))),
            "exitCode": 0,
        }
        output.document(document)
        return 0
    for event in events:
        for line in _lines(event, increment, events):
            output.data(line)
    if not events:
        output.talk("Nothing is recorded yet.")
    return 0


def _lines(event: Event, increment: Increment, events: list[Event]) -> Iterator[str]:
    when = str(event["at"]).replace("T", " ").removesuffix("Z")
    # What metadata.json alone tells of has nobody's name.
    by = str(event.get("by", "unknown")) if "id" in event else "-"
    yield f"{when}  {output.clean(by)}  {output.clean(_what(event))}"
    entry = next((one for one in increment.reopens if one.id == event.get("id")), None)
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
    told = {event.get("item") for event in events if event.get("op") == entry.id}
    reached = [
        one.url or f"{one.tracker} {one.item}" for one in entry.synced_to if one.url not in told
    ]
    if reached:
        yield f"reached: {', '.join(reached)}"
    if entry.reverted_at is not None:
        yield "undone"


def _what(event: Event) -> str:
    match event["event"]:
        case "reopened":
            return f"reopened it: {event.get('reason')}"
        case "transitioned" | "amended":
            return _change(event)
        case "delivered":
            return f"{event.get('tracker')} {event.get('item')} {event.get('result')}"
        case "parked":
            return f"{event.get('tracker')} {event.get('item')} blocked: {event.get('cause')}"
        case "linked" | "unlinked" as word:
            return f"{word} {event.get('tracker')} {event.get('item')}"
        case other:
            return str(other)


def _change(event: Event) -> str:
    if event["event"] == "amended":
        again = f"to be done again: {', '.join(map(str, event.get('parts') or ()))}"
        return f"changed its work: {event.get('scopeChange') or again}"
    reason = f": {event['reason']}" if event.get("reason") else ""
    forced = event.get("forced")
    told = f" (forced: {', '.join(map(str, forced))})" if isinstance(forced, list) else ""
    return f"{event.get('from')} -> {event.get('to')}{reason}{told}"
