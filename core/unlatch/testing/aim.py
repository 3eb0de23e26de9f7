"""What an operation of a test is to bring about."""

from __future__ import annotations

from dataclasses import dataclass

from unlatch.spi.operation import Kind as Operation

# A person's label, from before.
KEPT = "kept"


@dataclass(frozen=True, slots=True)
class Aim:
    """What an operation is to bring about.

    Args:
        opens: whether the item is open in the end; it begins on the other side.
        before: the labels of ours that it begins with.
        after: those that it ends with.
    """

    operation: Operation
    opens: bool
    before: str
    after: str


REOPEN = Aim(Operation.REOPEN, opens=True, before="completed", after="reopened")
CLOSE = Aim(Operation.CLOSE, opens=False, before="reopened", after="completed")
