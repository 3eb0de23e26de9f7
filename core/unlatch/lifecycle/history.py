"""The history of an increment."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from unlatch.errors import StoreError
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.status import Status
from unlatch.increments.records.events import Delivered, Undone, lost_events, reopened_event
from unlatch.increments.records.status_events import LOG, Created, Signed, Transitioned
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


@dataclass(frozen=True, slots=True)
class Authors:
    """Who made a change, as far as its events record it.

    Args:
        git_name: the name in git's configuration.
        declared_by: the name given with the command.
        accounts: the account that posted each tracker's comments, by tracker.
    """

    git_name: str | None
    declared_by: str | None
    accounts: Mapping[str, str]


def authors_of(increment: Increment) -> Mapping[str, Authors]:
    """The authors of the changes of an increment, or of an item alone, by the ids of these."""
    if not increment.reopens:
        return {}
    try:
        events = LOG.read(increment.folder)
    except StoreError:  # `history` of this increment reports it
        return {}
    accounts: dict[str, dict[str, str]] = {}
    for event in events:
        if isinstance(event, Delivered) and event.account:
            accounts.setdefault(event.op, {}).setdefault(event.tracker, event.account)
    return {
        event.id: Authors(event.git_name, event.declared_by, accounts.get(event.id, {}))
        for event in events
        if isinstance(event, Signed)
    }


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
    foreign = map(reopened_event, (one for one in increment.reopens if one.is_foreign))
    return in_order([*others, *foreign, *events])


def _completions(increment: Increment, events: Sequence[Event]) -> list[datetime]:
    """The completions in metadata.json that have no event."""
    moves = (event for event in events if isinstance(event, Transitioned | Undone))
    known = [event.at for event in moves if event.to == Status.COMPLETED]
    times = [read_stamp(entry.previous_completed_at) for entry in increment.reopens]
    # An undone reopen leaves the increment completed at the earlier time.
    times.append(increment.completed_at)
    return [
        at
        for at in dict.fromkeys(times)
        if at is not None and not any(abs(at - other) < _SAME for other in known)
    ]
