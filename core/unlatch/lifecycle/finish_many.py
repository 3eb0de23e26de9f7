"""Complete, abandon or undo several increments, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.delivery.run import SharedItems
from unlatch.increments.records.links import identity, link_of
from unlatch.lifecycle.change import Refusal
from unlatch.lifecycle.many import change_each
from unlatch.lifecycle.status_change import ChangePlan, apply_change
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from unlatch.lifecycle.move import ChangeResult
    from unlatch.project.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Applied:
    """A plan that was carried out, and its result."""

    plan: ChangePlan
    result: ChangeResult

    @property
    def id(self) -> str:
        return self.plan.before.id


def plan_each(
    workspace: Workspace,
    names: Iterable[str],
    plan: Callable[[str, SharedItems], ChangePlan],
) -> tuple[list[ChangePlan], list[Refusal], SharedItems]:
    """Plan changes in the order in which they are made, and find what is refused.

    An item of several of these increments is closed with the last of them.

    Returns:
        The plans, the refusals, and the shared items as they are after the plans.
    """
    shared = SharedItems.of(workspace)

    def plan_one(name: str) -> ChangePlan:
        made = plan(name, shared)
        if made.to.is_finished:
            shared.finished.add(made.before.id)
        return made

    found = change_each(workspace, names, plan_one)
    refused = [one for one in found if isinstance(one, Refusal)]
    return [one for one in found if not isinstance(one, Refusal)], refused, shared


def apply_each(
    workspace: Workspace,
    plans: Sequence[ChangePlan],
    report: Callable[[Applied | Refusal], None],
) -> list[Applied | Refusal]:
    """Carry out plans; one that is refused now does not stop the others."""
    shared = SharedItems.of(workspace)
    by_name = {one.before.id: one for one in plans}

    def apply(name: str) -> Applied:
        plan = by_name[name].share_again(shared)
        return Applied(plan, apply_change(workspace, plan))

    return change_each(workspace, by_name, apply, report)


def items_of(plans: Iterable[ChangePlan]) -> int:
    """The number of items that plans write to."""
    found: set[tuple[str, str]] = set()
    for plan in plans:
        before, spared = plan.before, [link for link, _ in plan.spared]
        links = [link_of(before, operation) for operation in before.pending]
        if before.status is not plan.to:
            links += [link for link in before.links if link not in spared]
        found.update(map(identity, links))
    return len(found)
