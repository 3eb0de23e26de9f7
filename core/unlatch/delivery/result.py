"""The result of delivering one operation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.delivery.states import State

if TYPE_CHECKING:
    from unlatch.errors import UnlatchError
    from unlatch.spi.item import ItemRef, RemoteItem
    from unlatch.spi.operation import Change, Operation, Result, SeenItem


@dataclass(frozen=True, slots=True)
class Reached:
    """What an operation did to its item, as the tracker's answers show it.

    Args:
        result: what it came to.
        before: the item before the first attempt wrote anything; None for a create.
        after: the item after the last write.
        commented: whether its comment is there.
        labels_added: labels that the item has now and had not before.
        labels_removed: labels that the item had before and has not now.
        refused: labels that the tracker refused for good.
        notes: what a person should know.
    """

    result: Result
    before: SeenItem | None
    after: RemoteItem
    commented: bool = False
    labels_added: tuple[str, ...] = ()
    labels_removed: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Delivery:
    """The result of one operation in this run.

    Args:
        operation: the operation.
        name: how people call the item, or its key where that is not known.
        ref: the item, where it could be located.
        outcome: what it did; with an error, the parts that were done all the same.
        error: why it was not delivered.
        requests: how many requests were sent for it.
        state: where it is now.
        found: whether it turned out to have been delivered before.
        undecided: what an undo could not decide, and left as it is.
        asked: the whole change, whatever an earlier attempt did of it; None where the item was not
            read.
    """

    operation: Operation
    name: str
    ref: ItemRef | None = None
    outcome: Reached | None = None
    error: UnlatchError | None = None
    requests: int = 0
    state: State = State.PENDING
    found: bool = False
    undecided: str | None = None
    asked: Change | None = None

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do for it."""
        return self.error is None

    @property
    def is_blocked(self) -> bool:
        """Whether it waits for a person."""
        return self.state is State.BLOCKED
