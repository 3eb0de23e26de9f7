"""Refused labels during a sync: each is asked for once, and what is left is named."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.increments.records.links import same_item
from unlatch.lifecycle.items.refused_labels import known_refusals

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from unlatch.project.workspace import Workspace
    from unlatch.spi.operation import OperationKey
    from unlatch.sync.compare import Compared
    from unlatch.sync.plan import SyncPlan


def without_tried(plan: SyncPlan, tried: Collection[OperationKey]) -> SyncPlan:
    """The plan without labels that these operations have just asked for."""
    links = (
        replace(one, refused=None) if one.refused and one.refused.refusal.key in tried else one
        for one in plan.links
    )
    return replace(plan, links=tuple(links))


def missing_labels(
    workspace: Workspace, plan: SyncPlan, names: Collection[str], tried: Collection[OperationKey]
) -> Iterator[Compared]:
    """The links whose items lack refused labels, after all deliveries.

    Args:
        names: the increments that a sync has delivered to.
        tried: the operations that it delivered or tried, which came after the comparison.
    """
    names = {one.increment.id for one in plan.missing_labels}.union(names)
    read = workspace.manager.read
    refused = {name: known_refusals(workspace, read(name)) for name in names}
    for one in plan.links:
        for left in refused.get(one.increment.id, ()):
            if not same_item(left.refusal.link, one.link):
                continue
            if left.refusal.key in tried:
                yield replace(one, refused=left)
            elif one.refused:
                yield replace(one, refused=one.refused.still_in(left))
