"""Holding a write's outcome against the change: only what the answers show was delivered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.delivery.result import Reached
from unlatch.domain.operation import Change, Goal, Kind, Result, must_move
from unlatch.errors import Conflict, Rejected, UnknownOutcome

if TYPE_CHECKING:
    from unlatch.domain.item import RemoteItem
    from unlatch.domain.operation import Outcome, SeenItem
    from unlatch.errors import TrackerError

_OPEN_ALREADY = {True: Result.ALREADY_OPEN, False: Result.REOPENED}
_CLOSED_ALREADY = {True: Result.CLOSED, False: Result.ALREADY_CLOSED}
# An unexplained missing label is tried once more.
_MOST_TRIES = 2


def shortcoming(change: Change, outcome: Outcome, *, sends: int) -> TrackerError | None:
    """What the answers do not show of a change; None if they show all of it.

    Args:
        sends: how often this run has sent the operation.
    """
    after = outcome.after
    if change.goal is not None and must_move(after, change.goal):
        said = f" ({'; '.join(outcome.notes)})" if outcome.notes else ""
        return Rejected(
            "state-not-taken",
            f"the tracker accepted the change and left the item {after.state}{said}",
            where=after.ref.url,
            hint="change its state by hand to see which rule refuses it, then run unlatch sync ID",
        )
    if change.comment is not None and not outcome.commented:
        return UnknownOutcome(
            "unknown-outcome",
            "the tracker accepted the comment and does not show it",
            where=after.ref.url,
            hint="`unlatch sync` looks for the comment before it posts it again",
        )
    if missing := missing_labels(change, outcome):
        words = f"the tracker accepted the labels and did not change {' '.join(missing)}"
        if sends < _MOST_TRIES:
            return Conflict("label-not-taken", words, where=after.ref.url)
        return Rejected(
            "label-not-taken",
            words,
            where=after.ref.url,
            hint="check the account's rights on labels, then run unlatch sync ID",
        )
    return None


def missing_labels(change: Change, outcome: Outcome) -> tuple[str, ...]:
    """The labels of a change that neither changed nor were refused, with their signs."""
    key = change.label_key
    refused = {key(label) for label in outcome.refused}
    there = {key(label) for label in outcome.after.labels}
    added = (one for one in change.add_labels if key(one) not in there | refused)
    left = (one for one in change.remove_labels if key(one) in there - refused)
    return (*(f"+{one}" for one in added), *(f"-{one}" for one in left))


def reached(
    kind: Kind, asked: Change, before: SeenItem | None, outcome: Outcome, *, commented: bool
) -> Reached:
    """What an operation did, from what its item was before the first attempt to what it is now.

    Args:
        asked: the whole change, whatever an earlier attempt did of it.
        commented: whether the comment is there, whoever posted it.
    """
    key = asked.label_key
    had = {key(label) for label in before.labels} if before else set()
    after = outcome.after
    has = {key(label) for label in after.labels}
    return Reached(
        result=_result(kind, asked.goal, before, after),
        before=before,
        after=after,
        commented=commented,
        # Not what differs: people may have relabelled the item in between.
        labels_added=tuple(
            one for one in asked.add_labels if key(one) in has and key(one) not in had
        ),
        labels_removed=tuple(
            one for one in asked.remove_labels if key(one) in had and key(one) not in has
        ),
        refused=outcome.refused,
        notes=outcome.notes,
    )


def _result(kind: Kind, goal: Goal | None, before: SeenItem | None, after: RemoteItem) -> Result:
    if kind is Kind.CREATE:
        return Result.CREATED
    if kind is Kind.UPDATE:
        return Result.UPDATED
    if goal is None or must_move(after, goal):
        return Result.STATE_KEPT
    was_open = before is not None and before.category is not None and before.category.is_open
    return _OPEN_ALREADY[was_open] if goal is Goal.OPEN else _CLOSED_ALREADY[was_open]
