"""When a failed delivery is worth another attempt, and from when on."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from unlatch.errors import NotFound, Rejected, TrackerError, Transient

if TYPE_CHECKING:
    from datetime import datetime

    from unlatch.errors import UnlatchError
    from unlatch.store.attempts import Tried

# After so many failures on this machine an operation waits for somebody to look at it.
MOST_ATTEMPTS = 5


def is_final(error: UnlatchError, tried: Tried | None) -> bool:
    """Whether trying again would change nothing until somebody does something about it."""
    if isinstance(error, Rejected | NotFound):
        return True
    if isinstance(error, Transient) and error.id == "rate-limited":
        return False  # it was not even sent, and its turn comes
    failures = tried.count + 1 if tried else 1
    return isinstance(error, TrackerError) and failures >= MOST_ATTEMPTS


def not_before(error: UnlatchError, now: datetime) -> datetime | None:
    """When the tracker wants to be asked again, if it said so."""
    if isinstance(error, Transient) and error.retry_after:
        return now + timedelta(seconds=error.retry_after)
    return None
