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
    """The operations that increments have pending."""

    operations: tuple[tuple[Increment, Operation], ...]

    @classmethod
    def of(cls, workspace: Workspace) -> PendingBeside:
        increments, _ = workspace.beside.read_all()
        return cls(tuple((increment, one) for increment in increments for one in increment.pending))

    def on(self, link: Link) -> list[tuple[Increment, Operation]]:
        """Those on an item."""
        return [one for one in self.operations if same_item(link_of(*one), link)]

    def same(self, link: Link, kind: Kind, reason: str | None) -> OperationPending | None:
        """Why an item needs no second operation of a kind for a reason, if so."""
        for increment, operation in self.on(link):
            reasons = {entry.id: entry.reason for entry in increment.reopens}
            is_alike = operation.kind is kind and operation.state
            if is_alike and reason == (operation.reason or reasons.get(operation.op)):
                message = f"increment {increment.id} has the same operation pending on it"
                hint = f"unlatch sync {quote(increment.id)}"
                return OperationPending("operation-pending", message, hint=hint)
        return None
