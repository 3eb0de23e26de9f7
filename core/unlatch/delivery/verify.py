"""Holding a write's outcome against the change: only what the answers show was delivered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.delivery.changes import is_empty, labels_left, left_of
from unlatch.delivery.result import Reached
from unlatch.errors import Conflict, Rejected, UnknownOutcome
from unlatch.spi.operation import Change, Goal, Kind, Result, must_move

if TYPE_CHECKING:
    from unlatch.errors import TrackerError
    from unlatch.spi.item import RemoteItem
    from unlatch.spi.operation import Outcome, SeenItem

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
    left = left_of(change, after, commented=outcome.commented)
    if is_empty(left):
        return None
    if left.goal is not None:
        said = f" ({'; '.join(outcome.notes)})" if outcome.notes else ""
        return Rejected(
            "state-not-taken",
            f"the tracker accepted the change and left the item {after.state}{said}",
            where=after.ref.url,
            hint="change its state by hand to see which rule refuses it, then run unlatch sync ID",
        )
    if left.comment is not None:
        return UnknownOutcome(
            "unknown-outcome",
            "the tracker accepted the comment and does not show it",
            where=after.ref.url,
            hint="`unlatch sync` looks for the comment before it posts it again",
        )
    if missing := _missing_labels(left, outcome.refused):
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


def _missing_labels(left: Change, refused: tuple[str, ...]) -> list[str]:
    """The labels that neither changed nor were refused, with their signs."""
    key = left.label_key
    known = set(map(key, refused))
    signs = dict.fromkeys(left.add_labels, "+") | dict.fromkeys(left.remove_labels, "-")
    return [f"{sign}{label}" for label, sign in signs.items() if key(label) not in known]


def reached(
    kind: Kind, asked: Change, before: SeenItem | None, outcome: Outcome, *, commented: bool
) -> Reached:
    """What an operation did, from what its item was before the first attempt to what it is now.

    Args:
        asked: the whole change, whatever an earlier attempt did of it.
        commented: whether the comment is there, whoever posted it.
    """
    after = outcome.after
    # Not what differs: people may have relabelled the item in between.
    meant = labels_left(asked, before.labels if before else ())
    left = labels_left(asked, after.labels)
    added, removed = (
        tuple(one for one in labels if one not in missing)
        for labels, missing in zip(meant, left, strict=True)
    )
    return Reached(
        result=_result(kind, asked.goal, before, after),
        before=before,
        after=after,
        commented=commented,
        labels_added=added,
        labels_removed=removed,
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
