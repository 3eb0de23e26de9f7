"""The causes that an increment has on record since its last reopen."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from unlatch.increments.records.events import Broken, read_events
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from unlatch.increments.model.increment import Increment


@dataclass(frozen=True, slots=True)
class Recorded:
    """What is on record of causes since the last reopen.

    Args:
        at: when each was recorded first, by its fingerprint.
        returns: how many returns were told, by the fingerprint.
        told_at: when the last of them was.
    """

    at: Mapping[str, datetime] = field(default_factory=dict)
    returns: Mapping[str, int] = field(default_factory=dict)
    told_at: datetime | None = None


def recorded_of(increment: Increment) -> Recorded:
    """Read what is on record; StoreError `events-unreadable`."""
    last = next(reversed(increment.reopens), None)
    if last is None:
        return Recorded()
    at = {last.cause.fingerprint: last.reopened_at} if last.cause else {}
    returns: dict[str, int] = {}
    told = None
    for event in read_events(increment.folder):
        if isinstance(event, Broken) and event.at >= last.reopened_at:
            for cause in event.causes:
                at.setdefault(cause.fingerprint, event.at)
                returns[cause.fingerprint] = event.returns
            told = event.at if event.returns else told
    return Recorded(at, returns, told)
