"""Delivering, and reporting it: the end of every command that writes to trackers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.render.describe import delivery_lines, times
from unlatch.cli.runtime import output
from unlatch.delivery.task import Delivery
from unlatch.lifecycle.deliver import Delivered, deliver_pending

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.cli.runtime.session import Session
    from unlatch.delivery.run import SharedItems
    from unlatch.increments.model.increment import Increment
    from unlatch.project.trackers import Trackers
    from unlatch.spi.operation import Operation
    from unlatch.spi.options import DeliveryOptions


def deliver_and_tell(
    session: Session,
    trackers: Trackers,
    increment: Increment,
    *,
    options: DeliveryOptions,
    fresh: frozenset[str],
    silent: bool,
    offline: bool,
    shared: SharedItems | None = None,
) -> Delivered:
    """Deliver an increment's pending operations, and show each delivery as it ends.

    Args:
        offline: leave them for later instead.

    Raises:
        UnlatchError: the increment cannot be read, or another process is delivering it.
    """
    if offline:
        return _postponed(increment)
    workspace = session.workspace

    def report(_name: str, delivery: Delivery) -> None:
        session.trace(delivery.error)
        for line in () if silent else delivery_lines(workspace.registry, delivery):
            output.data(line)

    return deliver_pending(
        workspace, trackers, [increment], report, options=options, fresh=fresh, shared=shared
    )[0]


def _postponed(increment: Increment) -> Delivered:
    waiting = tuple(Delivery(operation, operation.item) for operation in increment.pending)
    if waiting:
        output.talk(f"{times(len(waiting), 'operation')} pending; unlatch sync delivers them.")
    return Delivered(increment, waiting, len(waiting), on_purpose=True)


def tell_left(delivered: Delivered) -> None:
    """Say what is left, and the command that can finish it."""
    if not delivered.left:
        return  # a note names what a person has to decide
    left = output.warn(f"{times(delivered.left, 'operation')} recorded and not delivered.")
    pending = delivered.increment.pending
    command = next_command(delivered.increment.id, pending)
    blocked = any(one.is_blocked for one in pending) and command.endswith(delivered.increment.id)
    cause = " Remove the cause first." if blocked else ""
    output.talk(f"{left}{cause} Next: {command}")


def next_command(increment: str, pending: Sequence[Operation]) -> str:
    """The command that can deliver what is left.

    With the options that the refusals call for only where nothing is left but refused operations:
    others would be delivered with them as well, perhaps without their comment.
    """
    remedies = {one.attempt.remedy for one in pending if one.is_blocked and one.attempt}
    if not remedies or None in remedies or not all(one.is_blocked for one in pending):
        remedies = set()
    if "--comment none" in remedies:
        remedies.discard("--comment short")
    return " ".join(["unlatch sync", increment, *sorted(filter(None, remedies))])
