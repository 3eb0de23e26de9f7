"""The faults that each operation is tried with, and the errors that they may end in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.errors import (
    Conflict,
    Forbidden,
    Limited,
    Rejected,
    TrackerError,
    Transient,
    Unauthorised,
    UnknownOutcome,
)
from unlatch.testing.faults import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Blow:
    """A kind of fault, and whether it strikes requests that write or those that read."""

    kind: Kind
    writes: bool = True

    def __str__(self) -> str:
        return self.kind.value if self.writes else f"{self.kind.value}-on-a-read"


BLOWS = (
    *(Blow(kind) for kind in Kind),
    *(Blow(kind, writes=False) for kind in (Kind.DROPPED, Kind.LIMITED, Kind.UNAUTHORISED)),
)
# What is up to the transport and to delivery alone is tried by a reopen already.
BLOWS_FOR_CLOSE = tuple(
    Blow(kind)
    for kind in (
        Kind.LOST_REPLY,
        Kind.TRUNCATED,
        Kind.DROPPED,
        Kind.FAILED_BEFORE,
        Kind.UNAUTHORISED,
        Kind.FORBIDDEN,
        Kind.STALE,
        Kind.INTERRUPTED,
    )
)
BLOWS_FOR_CREATE = (
    *(Blow(kind) for kind in (Kind.LOST_REPLY, Kind.FAILED_AFTER, Kind.TRUNCATED, Kind.TIMEOUT)),
    *(Blow(kind) for kind in (Kind.DROPPED, Kind.LIMITED, Kind.REDIRECTED, Kind.UNAUTHORISED)),
    Blow(Kind.DROPPED, writes=False),
)

# The class of error that a delivery may end with after its request was struck; no other is true.
# No error is fine too: for a request that only reads, whatever its method, or may be sent again.
_TRUE: Mapping[Kind, type[TrackerError]] = {
    Kind.LOST_REPLY: UnknownOutcome,
    Kind.FAILED_AFTER: UnknownOutcome,
    Kind.BUSY_AFTER: UnknownOutcome,
    Kind.TRUNCATED: UnknownOutcome,
    Kind.TIMEOUT: UnknownOutcome,
    Kind.FAILED_BEFORE: UnknownOutcome,
    Kind.GATEWAY: UnknownOutcome,
    Kind.DROPPED: UnknownOutcome,
    Kind.LIMITED: Limited,
    Kind.LIMITED_UNTIL: Limited,
    Kind.REDIRECTED: Conflict,
    Kind.STALE: Conflict,
    Kind.INTERRUPTED: Conflict,
    Kind.REFLECTED: Rejected,
    Kind.UNAUTHORISED: Unauthorised,
    Kind.FORBIDDEN: Forbidden,
}
_TRUE_OF_A_READ: Mapping[Kind, type[TrackerError]] = {
    Kind.DROPPED: Transient,
    Kind.LIMITED: Limited,
    Kind.UNAUTHORISED: Unauthorised,
}


def true_errors(blow: Blow, *, after_write: bool) -> tuple[type[TrackerError], ...]:
    """The classes of error that a delivery may end with.

    Args:
        after_write: whether the operation had written before its request was struck.
    """
    if blow.writes:
        return (_TRUE[blow.kind],)
    # A read that fails after a write leaves it open what the write did.
    return (_TRUE_OF_A_READ[blow.kind], *((UnknownOutcome,) if after_write else ()))
