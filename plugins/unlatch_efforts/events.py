"""events.jsonl of an effort and of a conversation: its history, and the proof of the log.

Each event has the SHA-256 of the event before it and the length of the log at that time, so that
later changes, removals and moves of events and lines are found.
"""

from __future__ import annotations

from unlatch.worklog.digests import sha256
from unlatch.worklog.event_log import Event, EventLog
from unlatch.worklog.record import FLAG, NUMBER, TEXT, WORDS, key, record

# Its lines contain messages, and a hash of each line that was added with them.
EVENTS = EventLog("events.jsonl", longest=None)


@record
class ChainedEvent(Event):
    """An event; `prev` is the hash of the line of the event before it, "" for the first."""

    prev: str = key(TEXT)
    # The log when the event was written: its number of lines, and its size in bytes.
    lines: int = key(NUMBER)
    size: int = key(NUMBER)


@EVENTS.event("opened")
@record
class Opened(ChainedEvent):
    """The effort was opened."""

    title: str = key(TEXT)


@EVENTS.event("logged")
@record
class Logged(ChainedEvent):
    """Lines were added to the log; `hashes` has the SHA-256 of each."""

    hashes: tuple[str, ...] = key(WORDS)
    # The lines of a process that died before it wrote the event.
    recovered: bool = key(FLAG, default=False)


@EVENTS.event("concluded")
@record
class Concluded(ChainedEvent):
    """The effort was concluded; a stub has no summary."""

    summary: str | None = key(TEXT, default=None)


@EVENTS.event("reopened")
@record
class Reopened(ChainedEvent):
    """A concluded effort was reopened; the separator follows in the log."""

    prior_summary: str | None = key(TEXT, "priorSummary", default=None)
    reason: str | None = key(TEXT, default=None)


@EVENTS.event("linked")
@record
class Linked(ChainedEvent):
    """The effort belongs to an increment, or to none any more.

    `project` is the root of its project, in a folder of efforts that several projects share.
    """

    increment: str | None = key(TEXT, default=None)
    project: str | None = key(TEXT, default=None)


@EVENTS.event("repaired")
@record
class Repaired(ChainedEvent):
    """A last line that was cut short was moved from the log to the file `backup`."""

    backup: str = key(TEXT)


@EVENTS.event("turn-began")
@record
class TurnBegan(ChainedEvent):
    """A message of the user arrived; `message` is its line for the log, as JSON."""

    message: str = key(TEXT)


@EVENTS.event("turn-said")
@record
class TurnSaid(ChainedEvent):
    """More of the turn: replies, and answers of tools; `said` has their lines as JSON."""

    said: tuple[str, ...] = key(WORDS)


@EVENTS.event("turn-logged")
@record
class TurnLogged(ChainedEvent):
    """The turn is in the log of an effort, or in the ambient log (None)."""

    effort: str | None = key(TEXT, default=None)


@EVENTS.event("activated")
@record
class Activated(ChainedEvent):
    """An effort became the conversation's active one, or none did.

    `follows`: because the active one was concluded; the turn stays that one's.
    """

    effort: str | None = key(TEXT, default=None)
    follows: bool = key(FLAG, default=False)


@EVENTS.event("expanded")
@record
class Expanded(ChainedEvent):
    """The log of a concluded effort was loaded into the context."""

    effort: str = key(TEXT)


@EVENTS.event("collapsed")
@record
class Collapsed(ChainedEvent):
    """An effort was collapsed to its summary; `automatic` after turns without a reference."""

    effort: str = key(TEXT)
    automatic: bool = key(FLAG, default=False)


@EVENTS.event("referenced")
@record
class Referenced(ChainedEvent):
    """The turn's message refers to efforts."""

    efforts: tuple[str, ...] = key(WORDS)


def line_hash(line: bytes) -> str:
    """The hash of a line, without its end."""
    return sha256(line)
