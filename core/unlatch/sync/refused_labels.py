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
        replace(compared, refused=None)
        if compared.refused and compared.refused.refusal.key in tried
        else compared
        for compared in plan.links
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
    names = {compared.increment.id for compared in plan.missing_labels}.union(names)
    read = workspace.manager.read
    refused = {name: known_refusals(workspace, read(name)) for name in names}
    for compared in plan.links:
        for left in refused.get(compared.increment.id, ()):
            if not same_item(left.refusal.link, compared.link):
                continue
            if left.refusal.key in tried:
                yield replace(compared, refused=left)
            elif compared.refused:
                yield replace(compared, refused=compared.refused.still_in(left))
