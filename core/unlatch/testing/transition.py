"""The transitions that the tests make with items."""

from __future__ import annotations

from dataclasses import dataclass

from unlatch.spi.operation import Kind as Operation

# A label that a person added before.
KEPT = "kept"


@dataclass(frozen=True, slots=True)
class Transition:
    """The effect of an operation on an item.

    Args:
        opens: whether the item is open afterwards, and closed before, or the reverse.
        before: our label before.
        after: our label afterwards.
    """

    operation: Operation
    opens: bool
    before: str
    after: str


REOPEN = Transition(Operation.REOPEN, opens=True, before="completed", after="reopened")
CLOSE = Transition(Operation.CLOSE, opens=False, before="reopened", after="completed")
