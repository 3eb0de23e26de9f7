"""The history of an increment."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from unlatch.increments.model.increment import Increment
from unlatch.increments.model.status import Status
from unlatch.increments.records.events import Undone, lost_events, reopened_event
from unlatch.increments.records.status_events import LOG, Created, Transitioned
from unlatch.project.workspace import Workspace
from unlatch.values import dataclass
from unlatch.worklog.event_log import Event, OtherEvent, in_order
from unlatch.worklog.times import read_stamp

# The event and metadata.json record the same moment with two readings of the clock.
_SAME = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class History:
    """The history of an increment.

    Args:
        events: those of its log, and the moments that only metadata.json records, by time.
        lost: the number of lines of the log that cannot be read.
    """

    increment: Increment
    events: Sequence[Event]
    lost: int


def read_history(workspace: Workspace, wanted: str) -> History:
    """Read the history of an increment.

    Raises:
        StoreError: `events-unreadable`, or the increment cannot be read.
    """
    increment = workspace.manager.read(wanted)
    recorded = LOG.read(increment.folder)
    recorded += lost_events(increment, recorded)
    lost = LOG.lost_lines(increment.folder)
    return History(increment, life(increment, recorded), lost)


def life(increment: Increment, events: Sequence[Event]) -> list[Event]:
    """The events of an increment with the moments that only metadata.json records.

    For an increment that is older than its event log, or was made by another program, metadata.json
    has at least the times of creation and completion. These moments have an empty `id` and `by`.
    """
    moments = [("completed", at) for at in _completions(increment, events)]
    if increment.created and not any(isinstance(event, Created) for event in events):
        moments.append(("created", increment.created))
    others = [OtherEvent(id="", at=at, by="", word=word) for word, at in moments]
    # Another tool has no log.
    foreign = map(reopened_event, (reopen for reopen in increment.reopens if reopen.is_foreign))
    return in_order([*others, *foreign, *events])


def _completions(increment: Increment, events: Sequence[Event]) -> list[datetime]:
    """The completions in metadata.json that have no event."""
    moves = (event for event in events if isinstance(event, Transitioned | Undone))
    completions = [event.at for event in moves if event.to == Status.COMPLETED]
    times = [read_stamp(entry.previous_completed_at) for entry in increment.reopens]
    # An undone reopen leaves the increment completed at the earlier time.
    times.append(increment.completed_at)
    return [
        at
        for at in dict.fromkeys(times)
        if at is not None and not any(abs(at - other) < _SAME for other in completions)
    ]
