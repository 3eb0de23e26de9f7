"""The lines of a run's log, in the shape of the requirement.

One JSON object a line: timestamp, sequence, session_id, event_type, agent_id, task_id, details. An
agent's id is the id of one dispatch (a ULID), so that an answer names the dispatch that it is for.
"""

from __future__ import annotations

import json
from dataclasses import field
from typing import TYPE_CHECKING, Any

from unlatch.worklog.json_text import json_or_none
from unlatch.worklog.record import NUMBER, TEXT, BadRecord, object_in, record
from unlatch.worklog.times import read_stamp, stamp
from unlatch_runs import events
from unlatch_runs.event_base import TYPES, WORD_OF, RunEvent

if TYPE_CHECKING:
    from collections.abc import Mapping

# All types of events are registered.
__all__ = ["OtherEvent", "entry_of", "events", "line_of", "parse_event", "word_of"]


@record
class OtherEvent(RunEvent):
    """An event of a type that this version does not know."""

    word: str = field()
    details: Mapping[str, Any] = field(default_factory=dict)


def word_of(event: RunEvent) -> str:
    """The event's `event_type`."""
    return event.word if isinstance(event, OtherEvent) else WORD_OF[type(event)]


def line_of(event: RunEvent) -> str:
    """The line of an event, without its end."""
    return json.dumps(entry_of(event), ensure_ascii=False)


def entry_of(event: RunEvent) -> dict[str, Any]:
    """The JSON object of an event."""
    word = word_of(event)
    details = event.details if isinstance(event, OtherEvent) else TYPES[word].write(event)
    return {
        "timestamp": stamp(event.timestamp),
        "sequence": event.sequence,
        "session_id": event.session_id,
        "event_type": word,
        "agent_id": event.agent_id,
        "task_id": event.task_id,
        "details": details,
    }


def parse_event(line: str) -> RunEvent | None:
    """The event of a line; None where it is not one."""
    # Of any length: a question with its options in escapes has megabytes, as have 10,000 tasks.
    raw = json_or_none(line)
    if not isinstance(raw, dict):
        return None
    word, at = raw.get("event_type"), read_stamp(raw.get("timestamp"))
    try:
        head = {"timestamp": at, "sequence": NUMBER.read(raw.get("sequence"))}
        head |= {key: TEXT.read(raw.get(key)) for key in ("session_id",)}
        details = object_in(raw.get("details"), "")
    except BadRecord:
        return None
    if at is None or not isinstance(word, str):
        return None
    head |= {key: raw[key] for key in ("agent_id", "task_id") if isinstance(raw.get(key), str)}
    if type_ := TYPES.get(word):
        return type_.model(**head, **type_.recover(details))  # type: ignore[no-any-return]
    return OtherEvent(**head, word=word, details=details)
