"""The states of an operation, the events between them, and the next step in each state.

Everything here is pure. The dispatcher executes steps and reports events; it decides nothing.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType

from unlatch import errors
from unlatch.errors import UnlatchError
from unlatch.spi.operation import Attempt, Operation
from unlatch.values import dataclass


class State(StrEnum):
    PENDING = "pending"
    SENT = "sent"
    UNKNOWN = "unknown"
    RETRY_AT = "retry-at"
    BLOCKED = "blocked"
    DELIVERED = "delivered"
    WITHDRAWN = "withdrawn"

    @property
    def is_final(self) -> bool:
        return self in (State.DELIVERED, State.WITHDRAWN)


class Event(StrEnum):
    SENDING = "an attempt begins"
    REACHED = "the answer shows the goal"
    NOT_TAKEN = "the answer proves that nothing was taken"
    LIMITED = "it was refused for a time"
    NOT_SENT = "nothing left this machine"
    NEEDS_PERSON = "it was refused until a person acts"
    REFUSED = "it was refused for another cause"
    REFUSED_TOO_OFTEN = "it was refused too often"
    UNCLEAR = "the outcome is unknown"
    PROBED_DONE = "the probe found every part done"
    PROBED_LEFT = "the probe found parts left to do"
    PROBE_FAILED = "the probe failed"
    TIME_CAME = "the time to retry has come"
    NAMED = "a person named it"
    GONE = "it was undone or unlinked"


# The transitions, as docs/reliability.md describes the states.
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
        # An attempt includes the probe before it: another clone may have delivered the operation.
        (State.SENT, Event.PROBED_DONE): State.DELIVERED,
        (State.SENT, Event.PROBED_LEFT): State.PENDING,
        (State.UNKNOWN, Event.PROBED_DONE): State.DELIVERED,
        (State.UNKNOWN, Event.PROBED_LEFT): State.PENDING,
        (State.UNKNOWN, Event.PROBE_FAILED): State.UNKNOWN,
        # The item is gone or forbidden: a person has to act, and the outcome stays unknown.
        (State.UNKNOWN, Event.NEEDS_PERSON): State.BLOCKED,
        (State.UNKNOWN, Event.GONE): State.WITHDRAWN,
        (State.RETRY_AT, Event.TIME_CAME): State.PENDING,
        (State.BLOCKED, Event.NAMED): State.PENDING,
    }
)

# The event for an error's class; the first match counts. Nothing else of an error is considered.
_EVENTS: tuple[tuple[type[Exception], Event], ...] = (
    (errors.Conflict, Event.NOT_TAKEN),
    (errors.Limited, Event.LIMITED),
    (errors.Unreachable, Event.NOT_SENT),
    (errors.CredentialMissing, Event.NOT_SENT),
    (errors.Forbidden, Event.NEEDS_PERSON),
    (errors.NotFound, Event.NEEDS_PERSON),
    (errors.Rejected, Event.NEEDS_PERSON),
    (errors.UnknownOutcome, Event.UNCLEAR),
    (errors.Unauthorised, Event.REFUSED),
)
# After these events the next run continues.
_ENDING = frozenset({Event.NOT_SENT, Event.REFUSED, Event.UNCLEAR, Event.PROBE_FAILED})

# How often one run sends an operation if nothing was taken each time.
MAX_SENDS = 4
# A probe before each, and one more, so that every run ends.
MAX_CONTACTS = 2 * MAX_SENDS + 1
# After so many refusals without another explanation, an operation waits for a person.
MAX_REFUSALS = 5
# Clocks differ; no tracker means a later time than this.
MAX_RETRY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The facts about an operation that this run has gathered."""

    now: datetime
    state: State | None = None  # that this run has reached; None before its first step
    last: Event | None = None
    # Whether the parts already done are known: the item was searched for the marker, or this
    # process recorded the operation itself and no other process can have sent it.
    probed: bool = False
    settled: bool = True  # whether all earlier requests to the item have taken effect
    named: bool = False  # whether a person named it, or chose an option against its obstacle
    can_wait: bool = True  # whether waiting for a rate limit is still allowed
    sends: int = 0  # how often this run has sent it
    retry_at: datetime | None = None  # when the tracker accepts requests of this run again
    cause: str | None = None  # the id of the last error
    contacts: int = 0  # how often this run has begun to probe or send it


@dataclass(frozen=True, slots=True)
class Send:
    """Read the item, note the attempt, write."""


@dataclass(frozen=True, slots=True)
class Probe:
    """Find out which parts are done."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Wait until the tracker accepts requests again; without a time, until requests settle."""

    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """Record that a person is needed, and why."""

    cause: str


@dataclass(frozen=True, slots=True)
class Done:
    """End this run's work on the operation."""


Step = Send | Probe | Wait | Block | Done


def current_state(operation: Operation, attempt: Attempt | None, evidence: Evidence) -> State:
    """Return the state that this run has reached, else the one that was read from disk."""
    if evidence.state is not None:
        return evidence.state
    if operation.is_blocked:
        return State.BLOCKED
    # A time to retry that another command noted is a hint: the wait belongs to its machine.
    return State.UNKNOWN if attempt and attempt.is_open else State.PENDING


def next_step(operation: Operation, attempt: Attempt | None, evidence: Evidence) -> Step:
    state = current_state(operation, attempt, evidence)
    if state.is_final or evidence.last in _ENDING:
        return Done()
    if state is State.BLOCKED:
        return _blocked(operation, evidence)
    if evidence.sends >= MAX_SENDS or evidence.contacts >= MAX_CONTACTS:
        return Done()  # the next run continues
    if state is State.RETRY_AT:
        return _retry_at(evidence)
    return _contact(evidence, unknown=state is State.UNKNOWN)


def _blocked(operation: Operation, evidence: Evidence) -> Step:
    if evidence.state is not None:
        is_recorded = operation.is_blocked and operation.cause == evidence.cause
        return Done() if is_recorded else Block(evidence.cause or "unknown")
    return _contact(evidence) if evidence.named else Done()


def _retry_at(evidence: Evidence) -> Step:
    until = evidence.retry_at
    if until is None or until <= evidence.now or until > evidence.now + MAX_RETRY:
        return _contact(evidence)
    return Wait(until) if evidence.can_wait else Done()


def _contact(evidence: Evidence, *, unknown: bool = False) -> Step:
    if not evidence.settled:
        return Wait() if evidence.can_wait else Done()
    return Probe() if unknown or not evidence.probed else Send()


def begin_contact(operation: Operation, attempt: Attempt | None, evidence: Evidence) -> Evidence:
    """Return the evidence at the beginning of a step that contacts the tracker."""
    state = current_state(operation, attempt, evidence)
    if state is State.BLOCKED:
        state = TABLE[state, Event.NAMED]
    if state is State.RETRY_AT:
        state = TABLE[state, Event.TIME_CAME]
    if state is State.PENDING:
        state = TABLE[state, Event.SENDING]
    return replace(evidence, state=state, contacts=evidence.contacts + 1)


def advance(evidence: Evidence, event: Event) -> Evidence:
    """Return the evidence after a step that contacted the tracker."""
    if evidence.state is None:
        raise KeyError(event)
    # Before anything is sent again, the item is probed for the work of other clones.
    probed = event is Event.PROBED_LEFT
    return replace(evidence, state=TABLE[evidence.state, event], last=event, probed=probed)


def classify_error(
    error: UnlatchError, state: State | None, *, sent: bool, sends: int, refusals: int
) -> Event:
    """Return the event that an error means for an operation.

    Args:
        sent: whether a writing request may have been sent.
        sends: how often this run has sent the operation.
        refusals: the number of attempts that count, including this one.
    """
    event = next((event for kind, event in _EVENTS if isinstance(error, kind)), None)
    if isinstance(error, errors.TrackerError) and error.withheld and event is not Event.LIMITED:
        event = Event.NOT_SENT
    if state is State.UNKNOWN:
        return event if event is Event.NEEDS_PERSON else Event.PROBE_FAILED
    is_transient = isinstance(error, errors.Transient) or not isinstance(error, errors.TrackerError)
    if event is None and is_transient:
        event = Event.UNCLEAR if sent else Event.NOT_SENT
    if event is Event.NOT_TAKEN and sends < MAX_SENDS:
        return event
    if event in (None, Event.NOT_TAKEN, Event.REFUSED):
        return Event.REFUSED_TOO_OFTEN if refusals >= MAX_REFUSALS else Event.REFUSED
    return event
