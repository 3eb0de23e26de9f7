"""The states of an operation, what leads from one to another, and the next step in each.

Everything here is pure. The dispatcher executes steps and reports events; it decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

from unlatch.errors import (
    Conflict,
    CredentialMissing,
    Forbidden,
    Limited,
    NotFound,
    Rejected,
    TrackerError,
    Transient,
    Unauthorised,
    UnknownOutcome,
    Unreachable,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unlatch.errors import UnlatchError
    from unlatch.spi.operation import Attempt, Operation


class State(StrEnum):
    """Where an operation is."""

    PENDING = "pending"
    SENT = "sent"
    UNKNOWN = "unknown"
    RETRY_AT = "retry-at"
    BLOCKED = "blocked"
    DELIVERED = "delivered"
    WITHDRAWN = "withdrawn"

    @property
    def is_final(self) -> bool:
        """Whether nothing follows."""
        return self in (State.DELIVERED, State.WITHDRAWN)


class Event(StrEnum):
    """What happens to an operation."""

    SENDING = "it is being sent"
    REACHED = "the answer shows the goal"
    NOT_TAKEN = "the answer proves that nothing was taken"
    LIMITED = "it was refused for a time"
    NOT_SENT = "nothing left this machine"
    NEEDS_PERSON = "it was refused until a person does something"
    REFUSED = "it was refused for another cause"
    REFUSED_TOO_OFTEN = "it was refused too often"
    UNCLEAR = "what happened is not known"
    PROBED_DONE = "the probe found every part done"
    PROBED_LEFT = "the probe found parts left to do"
    PROBE_FAILED = "the probe found out nothing"
    TIME_CAME = "the time to try again has come"
    NAMED = "a person asked for it by name"
    GONE = "it was undone or unlinked"


# DESIGN section 4, row by row.
TABLE: Mapping[tuple[State, Event], State] = MappingProxyType(
    {
        (State.PENDING, Event.SENDING): State.SENT,
        (State.SENT, Event.REACHED): State.DELIVERED,
        (State.SENT, Event.NOT_TAKEN): State.PENDING,
        (State.SENT, Event.LIMITED): State.RETRY_AT,
        (State.SENT, Event.NOT_SENT): State.RETRY_AT,
        (State.SENT, Event.NEEDS_PERSON): State.BLOCKED,
        (State.SENT, Event.REFUSED): State.PENDING,
        (State.SENT, Event.REFUSED_TOO_OFTEN): State.BLOCKED,
        (State.SENT, Event.UNCLEAR): State.UNKNOWN,
        (State.SENT, Event.GONE): State.WITHDRAWN,
        # A probe before sending, where another clone may have been faster, is part of an attempt.
        (State.SENT, Event.PROBED_DONE): State.DELIVERED,
        (State.SENT, Event.PROBED_LEFT): State.PENDING,
        (State.UNKNOWN, Event.PROBED_DONE): State.DELIVERED,
        (State.UNKNOWN, Event.PROBED_LEFT): State.PENDING,
        (State.UNKNOWN, Event.PROBE_FAILED): State.UNKNOWN,
        # The item is gone, or closed to us: only a person can go on, and the doubt stays noted.
        (State.UNKNOWN, Event.NEEDS_PERSON): State.BLOCKED,
        (State.UNKNOWN, Event.GONE): State.WITHDRAWN,
        (State.RETRY_AT, Event.TIME_CAME): State.PENDING,
        (State.BLOCKED, Event.NAMED): State.PENDING,
    }
)

# How an error's class is read; the first that fits counts. Nothing else of an error is looked at.
_EVENTS: tuple[tuple[type[Exception], Event], ...] = (
    (Conflict, Event.NOT_TAKEN),
    (Limited, Event.LIMITED),
    (Unreachable, Event.NOT_SENT),
    (CredentialMissing, Event.NOT_SENT),
    (Forbidden, Event.NEEDS_PERSON),
    (NotFound, Event.NEEDS_PERSON),
    (Rejected, Event.NEEDS_PERSON),
    (UnknownOutcome, Event.UNCLEAR),
    (Unauthorised, Event.REFUSED),
)
# After these the run leaves an operation to the next one.
_LEAVING = frozenset({Event.NOT_SENT, Event.REFUSED, Event.UNCLEAR, Event.PROBE_FAILED})

# How often one run sends an operation, where each time nothing was taken.
MOST_SENDS = 4
# A probe before each, and one more: nothing is contacted without end.
MOST_CONTACTS = 2 * MOST_SENDS + 1
# After so many refusals that nothing else explains, an operation waits for a person.
MOST_REFUSALS = 5
# Clocks differ. A time to retry that is further away was not meant by any tracker.
LONGEST_RETRY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What this run knows about an operation.

    Args:
        now: the time.
        state: where this run has brought it; None before its first step.
        last: what this run saw last.
        probed: whether it is known which parts are done: the item was searched for the marker, or
            this process has just made the operation, so that nobody else can have sent it.
        settled: whether everything that was sent to the item earlier has had its effect.
        named: whether a person asked for it by name, or for its kind of obstacle by an option.
        can_wait: whether waiting for a rate limit is still allowed.
        sends: how often this run has sent it.
        retry_at: when the tracker accepts requests again, as this run was told.
        cause: the id of the error that this run met last.
        contacts: how often this run has begun to probe or send it.
    """

    now: datetime
    state: State | None = None
    last: Event | None = None
    probed: bool = False
    settled: bool = True
    named: bool = False
    can_wait: bool = True
    sends: int = 0
    retry_at: datetime | None = None
    cause: str | None = None
    contacts: int = 0


@dataclass(frozen=True, slots=True)
class Send:
    """Read the item, note the attempt, write."""


@dataclass(frozen=True, slots=True)
class Probe:
    """Find out which parts are done."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Let time pass.

    Args:
        until: when the tracker accepts requests again; None until earlier requests have settled.
    """

    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """Record that a person is needed, and why."""

    cause: str


@dataclass(frozen=True, slots=True)
class Done:
    """Nothing more in this run."""


Step = Send | Probe | Wait | Block | Done


def state_of(operation: Operation, attempt: Attempt | None, evidence: Evidence) -> State:
    """Where an operation is: as this run has seen it, else as it was read back from disk."""
    if evidence.state is not None:
        return evidence.state
    if operation.is_blocked:
        return State.BLOCKED
    if attempt is None:
        return State.PENDING
    if attempt.is_open:
        return State.UNKNOWN
    return State.RETRY_AT if attempt.retry_at else State.PENDING


def next_step(operation: Operation, attempt: Attempt | None, evidence: Evidence) -> Step:
    """What to do next about an operation."""
    state = state_of(operation, attempt, evidence)
    if state.is_final or evidence.last in _LEAVING:
        return Done()
    if state is State.BLOCKED:
        return _blocked(operation, evidence)
    if evidence.sends >= MOST_SENDS or evidence.contacts >= MOST_CONTACTS:
        return Done()  # the next run has to go on
    if state is State.RETRY_AT:
        return _retry_at(attempt, evidence)
    return _contact(evidence, unknown=state is State.UNKNOWN)


def _blocked(operation: Operation, evidence: Evidence) -> Step:
    if evidence.state is not None:
        is_recorded = operation.is_blocked and operation.cause == evidence.cause
        return Done() if is_recorded else Block(evidence.cause or "unknown")
    return _contact(evidence) if evidence.named else Done()


def _retry_at(attempt: Attempt | None, evidence: Evidence) -> Step:
    until = evidence.retry_at or (attempt.retry_at if attempt else None)
    if until is None or until <= evidence.now or until > evidence.now + LONGEST_RETRY:
        return _contact(evidence)
    return Wait(until) if evidence.can_wait else Done()


def _contact(evidence: Evidence, *, unknown: bool = False) -> Step:
    if not evidence.settled:
        return Wait()
    return Probe() if unknown or not evidence.probed else Send()


def contacting(operation: Operation, attempt: Attempt | None, evidence: Evidence) -> Evidence:
    """What this run knows when a step begins that contacts the tracker.

    Raises:
        KeyError: no row of the table leads there.
    """
    state = state_of(operation, attempt, evidence)
    if state is State.BLOCKED:
        state = TABLE[state, Event.NAMED]
    if state is State.RETRY_AT:
        state = TABLE[state, Event.TIME_CAME]
    if state is State.PENDING:
        state = TABLE[state, Event.SENDING]
    return replace(evidence, state=state, contacts=evidence.contacts + 1)


def advance(evidence: Evidence, event: Event) -> Evidence:
    """What this run knows after a step that contacted the tracker.

    Raises:
        KeyError: no row of the table leads there.
    """
    if evidence.state is None:
        raise KeyError(event)
    # What another clone did meanwhile is looked for before anything is sent again.
    probed = event is Event.PROBED_LEFT
    return replace(evidence, state=TABLE[evidence.state, event], last=event, probed=probed)


def event_of(
    error: UnlatchError, state: State | None, *, sent: bool, sends: int, refusals: int
) -> Event:
    """What an error means for an operation.

    Args:
        state: where the operation is.
        sent: whether a request that writes may have left.
        sends: how often this run has sent it.
        refusals: how many attempts count, this one included.
    """
    found = next((event for kind, event in _EVENTS if isinstance(error, kind)), None)
    if state is State.UNKNOWN:
        return found if found is Event.NEEDS_PERSON else Event.PROBE_FAILED
    if found is None and (isinstance(error, Transient) or not isinstance(error, TrackerError)):
        found = Event.UNCLEAR if sent else Event.NOT_SENT
    if found is Event.NOT_TAKEN and sends < MOST_SENDS:
        return found
    if found in (None, Event.NOT_TAKEN, Event.REFUSED):
        return Event.REFUSED_TOO_OFTEN if refusals >= MOST_REFUSALS else Event.REFUSED
    return found
