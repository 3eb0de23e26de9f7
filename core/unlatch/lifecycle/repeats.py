"""What earlier commands have requested: reasons that are recorded, and items to reopen."""

from unlatch.increments.model.increment import Increment, Link
from unlatch.increments.records.events import (
    Amended,
    Delivered,
    Reopened,
    Transitioned,
    read_events,
)
from unlatch.increments.records.links import link_of
from unlatch.spi.operation import Kind


def known_reasons(increment: Increment) -> set[str | None]:
    """The reasons since the last reopen: a script that is repeated gives one of them again."""
    found = {operation.reason for operation in increment.pending}
    for event in read_events(increment.folder, increment.reopens):
        if isinstance(event, Reopened):
            found.clear()
        if isinstance(event, Reopened | Transitioned | Amended | Delivered):
            found.add(event.reason)
    return found


def reopened_by_pending(increment: Increment) -> tuple[Link, ...]:
    """The links whose items a pending operation reopens."""
    due = (one for one in increment.pending if one.kind is Kind.REOPEN and one.state)
    return tuple(link_of(increment, one) for one in due)
