"""unlatch history: the life of an increment."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from unlatch.cli import output
from unlatch.cli.app import reach
from unlatch.cli.describe import times
from unlatch.cli.session import ID, JSON, Session, with_session
from unlatch.store.events import lost_lines, read_events

if TYPE_CHECKING:
    from unlatch.cli.contracts.documents import HistoryDocument
    from unlatch.cli.contracts.parts import EventEntry
    from unlatch.cli.table import Entry
    from unlatch.store.events import Event


def command(entry: Entry) -> click.Command:
    """The command."""

    @click.command(entry.name, help=reach(entry))
    @ID
    @JSON
    @with_session
    def run(session: Session, *, wanted: str, as_json: bool) -> int:
        increment = session.workspace.manager.read(wanted)
        events = read_events(increment.folder, increment.reopens)
        if lost := lost_lines(increment.folder):
            told = f"{times(lost, 'line')} of events.jsonl cannot be read; unlatch doctor shows it"
            output.talk(f"{output.warn('note:')} {told}")
        if as_json:
            document: HistoryDocument = {
                "schema": "unlatch.history/1",
                "id": increment.id,
                "events": cast("list[EventEntry]", events),
                "exitCode": 0,
            }
            output.document(document)
            return 0
        for event in events:
            output.data(_line(event))
        if not events:
            output.talk("Nothing is recorded yet.")
        return 0

    return run


def _line(event: Event) -> str:
    when = str(event["at"]).replace("T", " ").removesuffix("Z")
    return f"{when}  {output.clean(str(event.get('by', 'unknown')))}  {output.clean(_what(event))}"


def _what(event: Event) -> str:
    moved = f"{event.get('from')} -> {event.get('to')}"
    match event["event"]:
        case "reopened":
            return f"reopened it: {event.get('reason')}"
        case "transitioned":
            reason = f": {event['reason']}" if event.get("reason") else ""
            return f"{moved}{reason}"
        case "delivered":
            return f"{event.get('tracker')} {event.get('item')} {event.get('result')}"
        case "parked":
            return f"{event.get('tracker')} {event.get('item')} parked: {event.get('cause')}"
        case "linked" | "unlinked" as word:
            return f"{word} {event.get('tracker')} {event.get('item')}"
        case other:
            return str(other)
