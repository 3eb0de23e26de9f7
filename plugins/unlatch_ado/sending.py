"""Sending a plan, and what its answer shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from unlatch.errors import Rejected, Unauthorised
from unlatch.spi import Change, Outcome, result_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch_ado.patch import Plan
    from unlatch_ado.seeing import Seen

T = TypeVar("T")


def sent(plan: Plan, send: Callable[[Plan], T]) -> tuple[T, tuple[str, ...]]:
    """Send the plan; where tags may not be made, without them (nothing of the first was taken)."""
    try:
        return send(plan), ()
    except Unauthorised as refusal:
        lesser = plan.without_new_tags()
        if refusal.id != "tag-not-permitted" or lesser == plan:
            raise
        missing = ", ".join(tag for tag in plan.tags[1] if tag not in lesser.tags[1])
        note = f"not added, because this account may not create tags in the project: {missing}"
        return send(lesser), (note,)


def outcome_of(
    before: Seen, after: Seen, change: Change, *, state: str | None, notes: tuple[str, ...]
) -> Outcome:
    """What became of a change, as the last answer shows it.

    Raises:
        Rejected: `state-not-taken`.
    """
    if state is not None and after.item.state != state:
        raise Rejected(
            "state-not-taken",
            f"Azure DevOps took the change and left the work item in state {after.item.state!r}",
            hint="look at the rules of the work item's type",
        )
    old, new = before.item.tags, after.item.tags
    return Outcome(
        result=result_of(change.goal, was_open=before.remote.category.is_open),
        before=before.remote,
        after=after.remote,
        commented=change.comment is not None and after.item.revision > before.item.revision,
        labels_added=_without(new, old),
        labels_removed=_without(old, new),
        notes=notes,
    )


def _without(tags: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    known = {tag.casefold() for tag in others}
    return tuple(tag for tag in tags if tag.casefold() not in known)
