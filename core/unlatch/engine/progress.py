"""What use cases report while they run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unlatch.domain.item import ItemRef
    from unlatch.domain.operation import Operation, Outcome
    from unlatch.errors import UnlatchError


@dataclass(frozen=True, slots=True)
class Delivery:
    """What became of one operation in this run.

    Args:
        operation: the operation.
        name: how people call the item, or its key where that is not known.
        ref: the item, where it could be located.
        outcome: what the tracker's answers show; None if it was not delivered.
        error: why it was not delivered.
        requests: how many requests were sent for it.
        parked: whether it waits for somebody to do something about it.
        found: whether it turned out to have been delivered before.
    """

    operation: Operation
    name: str
    ref: ItemRef | None = None
    outcome: Outcome | None = None
    error: UnlatchError | None = None
    requests: int = 0
    parked: bool = False
    found: bool = False

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do for it."""
        return self.error is None


Report = Callable[[Delivery], None]


def quiet(_delivery: Delivery) -> None:
    """A report that nobody reads."""
