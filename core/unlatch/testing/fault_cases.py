"""The faults for each operation, and the errors that they may cause."""

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
from unlatch.testing.faults import FaultKind

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class FaultCase:
    """A kind of fault, for requests that write or for those that read."""

    kind: FaultKind
    writes: bool = True

    def __str__(self) -> str:
        return self.kind.value if self.writes else f"{self.kind.value}-on-a-read"


def _cases(*kinds: FaultKind, writes: bool = True) -> tuple[FaultCase, ...]:
    return tuple(FaultCase(kind, writes) for kind in kinds)


REOPEN_FAULTS = (
    *_cases(*FaultKind),
    *_cases(FaultKind.DROPPED, FaultKind.LIMITED, FaultKind.UNAUTHORISED, writes=False),
)
# A reopen already covers the faults that concern the transport and delivery alone.
CLOSE_FAULTS = _cases(
    FaultKind.LOST_REPLY,
    FaultKind.TRUNCATED,
    FaultKind.DROPPED,
    FaultKind.FAILED_BEFORE,
    FaultKind.UNAUTHORISED,
    FaultKind.FORBIDDEN,
    FaultKind.STALE,
    FaultKind.INTERRUPTED,
)
CREATE_FAULTS = (
    *_cases(
        FaultKind.LOST_REPLY,
        FaultKind.FAILED_AFTER,
        FaultKind.TRUNCATED,
        FaultKind.TIMEOUT,
        FaultKind.DROPPED,
        FaultKind.LIMITED,
        FaultKind.REDIRECTED,
        FaultKind.UNAUTHORISED,
    ),
    *_cases(FaultKind.DROPPED, writes=False),
)

# The only class of error that a delivery may report after a fault. No error is valid too, for a
# request that only reads, whatever its method, or that may be repeated.
_TRUE: Mapping[FaultKind, type[TrackerError]] = {
    FaultKind.LOST_REPLY: UnknownOutcome,
    FaultKind.FAILED_AFTER: UnknownOutcome,
    FaultKind.BUSY_AFTER: UnknownOutcome,
    FaultKind.TRUNCATED: UnknownOutcome,
    FaultKind.TIMEOUT: UnknownOutcome,
    FaultKind.FAILED_BEFORE: UnknownOutcome,
    FaultKind.GATEWAY: UnknownOutcome,
    FaultKind.DROPPED: UnknownOutcome,
    FaultKind.LIMITED: Limited,
    FaultKind.LIMITED_UNTIL: Limited,
    FaultKind.REDIRECTED: Conflict,
    FaultKind.STALE: Conflict,
    FaultKind.INTERRUPTED: Conflict,
    FaultKind.REFLECTED: Rejected,
    FaultKind.UNAUTHORISED: Unauthorised,
    FaultKind.FORBIDDEN: Forbidden,
}
_TRUE_OF_A_READ: Mapping[FaultKind, type[TrackerError]] = {
    FaultKind.DROPPED: Transient,
    FaultKind.LIMITED: Limited,
    FaultKind.UNAUTHORISED: Unauthorised,
}


def true_errors(case: FaultCase, *, after_write: bool) -> tuple[type[TrackerError], ...]:
    """The classes of error that a delivery may report.

    Args:
        after_write: whether the operation had written before the fault.
    """
    if case.writes:
        return (_TRUE[case.kind],)
    # A failed read after a write leaves the effect of the write unknown.
    return (_TRUE_OF_A_READ[case.kind], *((UnknownOutcome,) if after_write else ()))
