"""The outcome of the reopens of an item, as metadata.json of its record shows it."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from unlatch.spi.operation import Category, Kind, SeenItem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.reopens import ReopenEntry

_CLOSED = (Category.DONE.value, Category.DROPPED.value)


class ReopenOutcome(Enum):
    """The outcome of a reopen of an item."""

    OPENED = auto()
    ALREADY_OPEN = auto()
    RECORDED = auto()
    WITHDRAWN = auto()
    SUPERSEDED = auto()

    @property
    def counts(self) -> bool:
        """Whether the reopen was neither withdrawn nor superseded."""
        return self not in (ReopenOutcome.WITHDRAWN, ReopenOutcome.SUPERSEDED)


def outcome_of(record: Increment, reopen: ReopenEntry) -> ReopenOutcome:
    """The outcome of a reopen; an item whose earlier state is not recorded counts as opened."""
    if any(operation.op == reopen.id for operation in record.pending):
        return ReopenOutcome.RECORDED
    if not reopen.synced_to:
        return ReopenOutcome.WITHDRAWN
    after = [item.after.category for item in reopen.synced_to if item.after and item.after.category]
    if after and not any(category.is_open for category in after):
        return ReopenOutcome.SUPERSEDED
    is_known_open = all(_is_open(item.before) for item in reopen.synced_to)
    return ReopenOutcome.ALREADY_OPEN if is_known_open else ReopenOutcome.OPENED


def _is_open(seen: SeenItem | None) -> bool:
    # A reopen moves a resolved item, too.
    return bool(seen and seen.category and seen.category.is_open and not seen.resolved)


def is_left_open(record: Increment) -> bool:
    """Whether a reopen opened an item that unlatch neither closed since nor is about to close."""
    if any(link.base and link.base.remote in _CLOSED for link in record.links):
        return False
    if any(operation.kind is Kind.CLOSE and operation.state for operation in record.pending):
        return False
    outcomes = [outcome_of(record, reopen) for reopen in _since_close(record)]
    return ReopenOutcome.OPENED in outcomes


def _since_close(record: Increment) -> Iterator[ReopenEntry]:
    """The reopens after the last close that was delivered, the newest first."""
    for reopen in reversed(record.reopens):
        yield reopen
        if reopen.previous_completed_at and not reopen.struck:
            return
