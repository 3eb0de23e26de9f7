"""events.jsonl of an increment, and the types of events that a plain change of status writes.

The other types are loaded when a log is read, or by what writes them.
"""

from __future__ import annotations

from unlatch.worklog.event_log import Event, EventLog
from unlatch.worklog.record import TEXT, WORDS, Type, key, record, text

LOG = EventLog("events.jsonl", others="unlatch.increments.records.events")

# The key of metadata.json with events that found no room in the log.
UNWRITTEN = "unwrittenEvents"
# Words of other versions are kept, so these are read as any text.
STATUS = Type("Status", text)


@LOG.event("created")
@record
class Created(Event):
    """The increment was created."""

    to: str = key(STATUS)


@record
class Moved(Event):
    origin: str = key(STATUS, "from")
    to: str = key(STATUS)


@LOG.event("transitioned")
@record
class Transitioned(Moved):
    """The status changed along the table."""

    reason: str | None = key(TEXT, default=None)
    # The refusals that were overridden.
    forced: tuple[str, ...] = key(WORDS, default=())
