"""The events of a transcript that an earlier import has not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.worklog.times import read_stamp
from unlatch_agents.transcripts import Branch, Compaction, Event, Thought, ToolCall

if TYPE_CHECKING:
    from collections.abc import Sequence


def finished(events: Sequence[Event]) -> Sequence[Event]:
    """The events without those at the end that wait for a result."""
    end = len(events)
    for index in range(len(events) - 1, -1, -1):
        match events[index]:
            case ToolCall(result=None) | Compaction(summary=""):
                end = index
            case ToolCall() | Compaction() | Thought():
                continue
            case _:
                break
    return events[:end]


def unseen(events: Sequence[Event], last: str | None, seen_until: str | None) -> list[Event]:
    """The events behind the one with the key `last`.

    If a person went back, and it is gone, those later than `seen_until`.
    """
    for index in range(len(events) - 1, -1, -1):
        if events[index].key == last:
            return [*events[index + 1 :]]
    moment = read_stamp(seen_until)
    if moment is None:
        return [*events] if last is None else []
    later = [event for event in events if event.at and event.at > moment]
    branches = [event for event in events if isinstance(event, Branch) and event not in later]
    return [*branches[-1:], *later]


def until(events: Sequence[Event]) -> str | None:
    """The time of the latest event, exactly."""
    latest = max((event.at for event in events if event.at), default=None)
    return latest.isoformat() if latest else None
