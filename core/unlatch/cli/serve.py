"""Delivering with words: what every command that writes to trackers ends in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.cli import output
from unlatch.cli.describe import delivery_lines, times
from unlatch.engine.deliver import Job, deliver
from unlatch.engine.progress import Delivery
from unlatch.errors import StoreError

if TYPE_CHECKING:
    from unlatch.cli.session import Session
    from unlatch.domain.increment import Increment
    from unlatch.engine.trackers import Trackers


@dataclass(frozen=True, slots=True)
class Delivered:
    """What delivering came to.

    Args:
        increment: the increment as it is now.
        deliveries: what became of each operation that was due.
        left: how many operations are still owed.
        by_wish: whether they were left on purpose.
    """

    increment: Increment
    deliveries: tuple[Delivery, ...]
    left: int
    by_wish: bool = False


def deliver_and_tell(
    session: Session, trackers: Trackers, increment: Increment, job: Job, *, silent: bool
) -> Delivered:
    """Deliver what an increment's items are owed, and tell of each as it ends.

    Raises:
        UnlatchError: the increment cannot be read, or another process is delivering it.
    """
    registry = session.workspace.registry

    def report(delivery: Delivery) -> None:
        session.trace(delivery.error)
        for line in () if silent else delivery_lines(registry, delivery):
            output.data(line)

    deliveries = deliver(
        session.workspace,
        trackers,
        increment.id,
        job,
        report=report,
    )
    try:
        now = session.workspace.manager.read(increment.id)
    except StoreError:
        # Each delivery has told of it; what was recorded is owed by whatever the files are now.
        return Delivered(increment, tuple(deliveries), sum(not d.is_done for d in deliveries))
    return Delivered(now, tuple(deliveries), len(now.pending))


def deliver_or_postpone(
    session: Session,
    trackers: Trackers,
    increment: Increment,
    job: Job,
    *,
    offline: bool,
    silent: bool,
) -> Delivered:
    """Deliver what is owed, or leave it for later where that is wished.

    Raises:
        UnlatchError: the increment cannot be read.
    """
    if offline:
        return _postponed(increment)
    return deliver_and_tell(session, trackers, increment, job, silent=silent)


def _postponed(increment: Increment) -> Delivered:
    """Leave what is owed for later, on purpose."""
    owed = tuple(Delivery(operation, operation.item) for operation in increment.pending)
    if owed:
        output.talk(f"{times(len(owed), 'operation')} pending; unlatch sync delivers them.")
    return Delivered(increment, owed, len(owed), by_wish=True)


def tell_left(delivered: Delivered) -> None:
    """Say what is left and which one command finishes it."""
    left = output.warn(f"{times(delivered.left, 'operation')} recorded and not delivered.")
    output.talk(f"{left} Next: unlatch sync {delivered.increment.id}")
