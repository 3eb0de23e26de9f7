"""Changing many work items with one request, each guarded by the revision that it was read with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.errors import Conflict, NotFound, Rejected, TrackerError, UnknownOutcome
from unlatch_ado.sending import outcome_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from unlatch.spi import Change, Outcome
    from unlatch_ado.answers import WorkItem
    from unlatch_ado.client import Client
    from unlatch_ado.patch import Plan, Step
    from unlatch_ado.seeing import Seen


@dataclass(frozen=True, slots=True)
class Due:
    """What one of many work items is to be sent.

    Args:
        state: the state that it is to reach; None if it stays where it is.
        notes: what to tell people.
    """

    seen: Seen
    change: Change
    state: str | None
    plan: Plan
    notes: tuple[str, ...]

    @property
    def item(self) -> str:
        """The work item's number."""
        return str(self.seen.item.id)


def change_together(
    client: Client,
    due: Sequence[Due | None],
    answered: Callable[[WorkItem], Seen],
) -> list[Outcome | TrackerError | None]:
    """Send all that is due; None stays None, and so becomes what was not taken.

    Raises:
        TrackerError: what became of all of them.
    """
    patches = {one.item: one.plan.steps() for one in due if one and not one.plan.is_empty}
    found = _answers(client, patches)
    return [None if one is None else _outcome(one, found, patches, answered) for one in due]


def _answers(
    client: Client, patches: Mapping[str, tuple[Step, ...]]
) -> Mapping[str, WorkItem | TrackerError]:
    if not patches:
        return {}
    try:
        return client.change_many(patches)
    except (NotFound, Rejected):
        return {}  # nothing was taken; an old server may not know the call


def _outcome(
    one: Due,
    found: Mapping[str, WorkItem | TrackerError],
    patches: Mapping[str, tuple[Step, ...]],
    answered: Callable[[WorkItem], Seen],
) -> Outcome | TrackerError | None:
    answer: WorkItem | TrackerError | None = found.get(one.item)
    if isinstance(answer, Conflict | UnknownOutcome):
        return answer
    if isinstance(answer, TrackerError) or (answer is None and one.item in patches):
        return None
    try:
        after = one.seen if answer is None else answered(answer)
        return outcome_of(one.seen, after, one.change, state=one.state, notes=one.notes)
    except TrackerError as error:
        return error
