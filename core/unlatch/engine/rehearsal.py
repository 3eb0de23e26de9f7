"""What a command would do, as it is shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from unlatch.domain.operation import Kind
from unlatch.engine.attempt import Job

if TYPE_CHECKING:
    from unlatch.domain.increment import Increment, Link
    from unlatch.domain.operation import Change, Operation
    from unlatch.domain.status import Status
    from unlatch.engine.items import Seen
    from unlatch.engine.scope import Scope
    from unlatch.errors import UnlatchError
    from unlatch.spi import PlannedRequest


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """One operation, and what delivering it would come to.

    Args:
        operation: the operation; one that would be new has an id of its own all the same.
        seen: its item as it is now.
        change: what would be asked of the plugin.
        requests: what would be sent, in order; nothing for an item that could not be read.
        owed: whether it has been owed since before, so that the item would first be asked for its
            marker; where that is found, less is sent.
        error: why it would not be delivered.
    """

    operation: Operation
    seen: Seen
    change: Change
    requests: tuple[PlannedRequest, ...] = ()
    owed: bool = False
    error: UnlatchError | None = None


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What a command would do.

    Args:
        before: the increment as it is.
        after: the status that it would have.
        items: what its items would be sent, in the order of the operations.
        spared: links whose items stay open, with the unfinished increments that need them.
        warnings: what the project's own rules have against it.
        scope: what a change of the increment's work would come to, if there is one.
    """

    before: Increment
    after: Status
    items: tuple[Rehearsed, ...]
    spared: tuple[tuple[Link, tuple[str, ...]], ...] = ()
    warnings: tuple[UnlatchError, ...] = ()
    scope: Scope | None = None

    @property
    def requests(self) -> int:
        """How many requests would be sent."""
        return sum(len(item.requests) for item in self.items)

    @property
    def is_exact(self) -> bool:
        """Whether these requests are all of them, and none is left out on the way."""
        return not any(item.owed or item.operation.kind is Kind.UPDATE for item in self.items)


@dataclass(frozen=True, slots=True)
class Act:
    """What was typed besides the increment.

    Args:
        by: who is at work.
        reason: why, or None.
        job: how it would be delivered.
        offline: whether the items would be left for later; then they are not asked now.
    """

    by: str
    reason: str | None = None
    job: Job = field(default_factory=Job)
    offline: bool = False
