"""Labels that a tracker refused: compared with the item, and asked for again when told to.

A right may be given later. Then the labels are asked for by an operation of their own, which has no
other part, so that neither state nor comment is sent again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.config.choices import Part
from unlatch.delivery.changes import build_change, kind_for, remaining_labels
from unlatch.delivery.planning import may_write
from unlatch.increments.files.derived_ids import retry_id
from unlatch.spi.operation import AS_CONFIGURED, Operation
from unlatch.values import dataclass

if TYPE_CHECKING:
    from unlatch.increments.model.increment import Increment
    from unlatch.increments.records.refusals import Refusal
    from unlatch.project.workspace import Workspace
    from unlatch.spi.change import Change
    from unlatch.spi.item import RemoteItem


@dataclass(frozen=True, slots=True)
class RefusedLabels:
    """Labels that an item lacks, or still has, because its tracker refused them."""

    refusal: Refusal
    add: tuple[str, ...]
    remove: tuple[str, ...]

    @property
    def signed(self) -> tuple[str, ...]:
        """The labels as in results: "+reopened", "-completed"."""
        return (*(f"+{one}" for one in self.add), *(f"-{one}" for one in self.remove))

    def still_in(self, other: RefusedLabels) -> RefusedLabels:
        """Those that are refused by another count, too."""
        add, remove = set(other.add), set(other.remove)
        return replace(
            self,
            add=tuple(one for one in self.add if one in add),
            remove=tuple(one for one in self.remove if one in remove),
        )


def refused_labels(
    workspace: Workspace, increment: Increment, refusal: Refusal, item: RemoteItem | None = None
) -> RefusedLabels | None:
    """The labels of a refusal that are still wanted; None if there are none.

    They follow from the increment's status, so the item has to be in the same state.

    Args:
        item: as it is now, for those that are still missing; None where it was not read.
    """
    if item is not None and item.category.is_open is increment.status.is_finished:
        return None
    if not may_write(workspace, increment, refusal.link, Part.LABELS):
        return None
    change = _change(workspace, increment, refusal)
    add, remove = change.add_labels, change.remove_labels
    if item is not None:
        add, remove = remaining_labels(change, item.labels)
    return RefusedLabels(refusal, add, remove) if add or remove else None


def _change(workspace: Workspace, increment: Increment, refusal: Refusal) -> Change:
    operation = ask_again(workspace, increment, refusal, by=None)
    change = build_change(operation, increment, workspace.config, AS_CONFIGURED)
    matches_case = workspace.registry.manifest(refusal.link.tracker).labels_match_case
    return replace(change, labels_match_case=matches_case)


def ask_again(
    workspace: Workspace, increment: Increment, refusal: Refusal, *, by: str | None
) -> Operation:
    """The operation that asks again for refused labels."""
    return Operation(
        retry_id(increment, refusal.op),
        kind_for(increment.status),
        refusal.link.tracker,
        refusal.link.key,
        workspace.clock(),
        by,
        why="asked again for refused labels",
        state=False,
        labels=refusal.labels,
        retries=refusal.first,
    )
