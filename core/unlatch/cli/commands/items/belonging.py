"""Items of an increment: the command that changes the increment, and them with it."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from unlatch.cli.render.describe import times
from unlatch.cli.runtime.failure import DECLINED
from unlatch.cli.terminal import output, prompts
from unlatch.errors import UsageError
from unlatch.increments.model.status import Status
from unlatch.lifecycle.items.change import find_increments
from unlatch.project.linked import name_in
from unlatch.spi.operation import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from unlatch.increments.model.increment import Increment
    from unlatch.project.trackers import Trackers
    from unlatch.project.workspace import Workspace
    from unlatch.spi import ItemRef

_OFFERS = {
    Kind.REOPEN: "Resume the increment instead?",
    Kind.CLOSE: "Complete the increment instead, and close its {items}?",
}


class Belongs(UsageError):
    """An item belongs to an increment, which would stay as it is.

    Args:
        step: the command for the increment with the same effect on the item.
        is_offered: whether it may be carried out in place of the change, if the user agrees.
    """

    def __init__(
        self, name: str, increment: Increment, kind: Kind, *, step: str, is_offered: bool
    ) -> None:
        super().__init__(
            "item-of-increment",
            f"{name} belongs to increment {increment.id} ({increment.status})",
            hint=f"{step}; to {kind.value} the item alone, add --item-only",
        )
        self.increment, self.kind, self.is_offered = increment, kind, is_offered


def check_alone(
    workspace: Workspace,
    trackers: Trackers,
    refs: Sequence[ItemRef],
    kind: Kind,
    *,
    offline: bool,
) -> None:
    """Check that the items belong to no increment; raises Belongs."""
    owners = find_increments(workspace, trackers, refs, offline=offline)
    for ref, increments in zip(refs, owners, strict=True):
        if not increments:
            continue
        # An item stays open for the last unfinished one.
        increment = min(increments, key=lambda increment: increment.status.is_finished)
        name = trackers.settings(ref.tracker).name(ref)
        slug = trackers.registry.manifest(ref.tracker).slug
        item = quote(name_in(trackers, increment, ref))
        close = f"unlatch {ref.tracker} close-{slug} {quote(increment.id)} --item {item}"
        is_offered = kind is Kind.REOPEN or increment.status.can_become(Status.COMPLETED)
        is_whole = all(increment.id in (increment.id for increment in group) for group in owners)
        step = _step(increment, kind, close)
        raise Belongs(name, increment, kind, step=step, is_offered=is_offered and is_whole)


def _step(increment: Increment, kind: Kind, close: str) -> str:
    name, status = increment.id, increment.status
    if kind is Kind.REOPEN:
        reopens = status in (Status.COMPLETED, Status.ACTIVE)
        return f"unlatch resume {quote(name)}{'' if reopens else ' --reopen-items'}"
    if status.is_finished:
        return close
    if status.can_become(Status.COMPLETED):
        return f"unlatch complete {quote(name)}"
    return f"unlatch start {quote(name)}, then unlatch complete {quote(name)}"


def offer_increment(belongs: Belongs, act: Callable[[str], int]) -> int:
    """Ask whether to change the increment instead, and `act` on its name; the exit code."""
    output.talk(f"{output.warn('!')} {output.clean(belongs.message)}")
    items = times(len(belongs.increment.links), "item")
    if prompts.confirm(_OFFERS[belongs.kind].format(items=items)):
        return act(belongs.increment.id)
    verb = belongs.kind.value
    output.talk(f"Nothing was changed. To {verb} the item alone, add --item-only.")
    return DECLINED
