"""The pending operations of a project's increments on items that are changed alone."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.increments.records.links import link_of, same_item
from unlatch.values import dataclass

if TYPE_CHECKING:
    from unlatch.increments.model.increment import Increment, Link
    from unlatch.project.workspace import Workspace
    from unlatch.spi.operation import Kind, Operation


class OperationPending(StoreError):
    """An increment has the same operation pending on an item."""

    exit_code = 3


@dataclass(frozen=True, slots=True)
class PendingBeside:
    """The operations of one kind that increments have pending."""

    operations: tuple[tuple[Increment, Operation], ...]

    @classmethod
    def of(cls, workspace: Workspace, kind: Kind) -> PendingBeside:
        increments, _ = workspace.beside.read_all()
        found = ((increment, one) for increment in increments for one in increment.pending)
        return cls(tuple(one for one in found if one[1].kind is kind and one[1].state))

    def includes(self, link: Link) -> bool:
        return any(same_item(link_of(*one), link) for one in self.operations)

    def same(self, link: Link, reason: str | None) -> OperationPending | None:
        """Why an item needs no second operation for a reason, if so."""
        for increment, operation in self.operations:
            reasons = {entry.id: entry.reason for entry in increment.reopens}
            is_same = reason == (operation.reason or reasons.get(operation.op))
            if is_same and same_item(link_of(increment, operation), link):
                message = f"increment {increment.id} has the same operation pending on it"
                hint = f"unlatch sync {quote(increment.id)}"
                return OperationPending("operation-pending", message, hint=hint)
        return None
