"""The pending operations on items that are changed alone: of their records, and of increments."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.increments.records.links import link_of, same_item
from unlatch.spi.operation import Kind, Operation
from unlatch.values import dataclass

if TYPE_CHECKING:
    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.link import Link
    from unlatch.project.workspace import Workspace


_OPPOSED = {Kind.REOPEN: (Kind.CLOSE, Kind.UNDO), Kind.CLOSE: (Kind.REOPEN,)}


class OperationPending(StoreError):
    """An increment has the same operation pending on an item."""

    exit_code = 3


@dataclass(frozen=True, slots=True)
class PendingBeside:
    """The operations that increments have pending."""

    increments: tuple[Increment, ...]
    operations: tuple[tuple[Increment, Operation], ...]

    @classmethod
    def of(cls, workspace: Workspace) -> PendingBeside:
        increments, _ = workspace.beside.read_all()
        pending = (
            (increment, operation) for increment in increments for operation in increment.pending
        )
        return cls((*increments,), (*pending,))

    def linked(self, link: Link) -> list[Increment]:
        """The increments that an item belongs to."""
        return [
            increment
            for increment in self.increments
            if any(same_item(linked, link) for linked in increment.links)
        ]

    def on(self, link: Link) -> list[tuple[Increment, Operation]]:
        """Those on an item."""
        return [operation for operation in self.operations if same_item(link_of(*operation), link)]

    def opposed(self, link: Link, kind: Kind) -> list[Increment]:
        """The increments that want an item moved away from where an operation brings it."""
        pending = self.on(link)
        return [
            increment
            for increment, other in pending
            if other.state and other.kind in _OPPOSED[kind]
        ]

    def same(self, link: Link, kind: Kind, reason: str | None) -> OperationPending | None:
        """Why an item needs no second operation of a kind for a reason, if so."""
        for increment, operation in self.on(link):
            is_alike = operation.kind is kind and operation.state
            if is_alike and reason == _reason_of(increment, operation):
                message = f"increment {increment.id} has the same operation pending on it"
                hint = f"unlatch sync {quote(increment.id)}"
                return OperationPending("operation-pending", message, hint=hint)
        return None


def strike_opposed(workspace: Workspace, link: Link, kind: Kind) -> None:
    """Let a command about an item alone end what its increments wanted for its state before."""
    from unlatch.increments.files.outbox import strike_states  # noqa: PLC0415  (slow to load)

    for increment in PendingBeside.of(workspace).opposed(link, kind):
        strike_states(workspace.beside, increment.id, link)


def pending_reason(record: Increment, kind: Kind) -> str | None:
    """The last reason for which an operation of a kind is pending; None without one."""
    return next(reversed(_pending_reasons(record, kind)), None)


def is_pending(record: Increment, kind: Kind, reason: str | None) -> bool:
    """Whether an operation for this reason is pending; without a reason, any of its kind."""
    reasons = _pending_reasons(record, kind)
    return reason in reasons if reason is not None else bool(reasons)


def _pending_reasons(record: Increment, kind: Kind) -> list[str | None]:
    return [
        _reason_of(record, operation)
        for operation in record.pending
        if operation.kind is kind and operation.state
    ]


def _reason_of(record: Increment, operation: Operation) -> str | None:
    """The reason of an operation; that of a reopen is in reopenHistory."""
    reasons = {entry.id: entry.reason for entry in record.reopens}
    return operation.reason or reasons.get(operation.op)
