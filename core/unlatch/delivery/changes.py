"""Build the change of an operation, and compare it with an item and with a write's outcome."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.config.choices import CommentStyle, Part
from unlatch.delivery.content import comment_of, draft_of
from unlatch.delivery.task import Effect
from unlatch.errors import Conflict, Rejected, TrackerError, UnknownOutcome
from unlatch.increments.model.status import Status
from unlatch.increments.records.links import story_of
from unlatch.spi.change import Change, Goal, Outcome, Result, must_move, result_of
from unlatch.spi.operation import DeliveryOptions, Kind, Operation, SeenItem

if TYPE_CHECKING:
    from unlatch.config.config import CoreConfig
    from unlatch.config.tables import Labels
    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.reopens import AppliedAmendment
    from unlatch.spi.item import RemoteItem

# An unexplained missing label is tried once more.
_MAX_LABEL_SENDS = 2
_UNCONDITIONAL = {Kind.CREATE: Result.CREATED, Kind.UPDATE: Result.UPDATED}


def kind_for(status: Status) -> Kind:
    """Return the kind of operation that makes items follow an increment with this status."""
    return Kind.CLOSE if status.is_finished else Kind.REOPEN


def build_change(
    operation: Operation,
    increment: Increment,
    config: CoreConfig,
    options: DeliveryOptions,
    item: RemoteItem | None = None,
) -> Change:
    """Return the change for an operation, whatever its item shows already.

    An operation whose state part was struck changes the comment alone, and one that asks again for
    refused labels changes these, as far as the increment's status still wants them. Without the
    user story of a new item, it raises `item-unknown`.

    Args:
        item: as it is now, so that the comment does not contradict it; None if it was not read.
    """
    if options.comment is not None:
        config = config.replaced(comment=CommentStyle(options.comment))
    if operation.labels:
        return _labels_alone(operation, increment, config, options)
    amended = next((amended for amended in increment.amended if amended.id == operation.op), None)
    is_closed = None if item is None else not item.category.is_open
    comment = comment_of(operation, increment, config, amended, is_closed=is_closed)
    change = Change(operation.op, comment=comment, mentions=config.mentions, options=options)
    if operation.kind in (Kind.CREATE, Kind.UPDATE):
        story = story_of(increment, operation)
        return replace(change, draft=draft_of(increment, operation.tracker, story))
    if operation.kind is Kind.REOPEN:
        change = _reopen(change, operation, increment, config.labels, amended)
    elif operation.kind is Kind.CLOSE and operation.state:
        change = _close(change, increment, config.labels)
    change = _with_own_labels(change) if operation.state else _without_labels(change)
    if not increment.is_item or config.labels.create_missing:
        return change
    own = {*map(str.casefold, change.options.add_labels)}
    existing = tuple(label for label in change.add_labels if label.casefold() not in own)
    return replace(change, existing_labels=existing)


def _with_own_labels(change: Change) -> Change:
    """The change with the labels of its options; one that they remove is not added."""
    options, change = change.options, _without_labels(change)
    removed = {*map(str.casefold, options.remove_labels)}
    add = [label for label in change.add_labels if label.casefold() not in removed]
    added = {*map(str.casefold, options.add_labels)}
    remove = [label for label in change.remove_labels if label.casefold() not in added]
    return replace(
        change,
        add_labels=tuple(dict.fromkeys([*add, *options.add_labels])),
        remove_labels=tuple(dict.fromkeys([*remove, *options.remove_labels])),
    )


def _without_labels(change: Change) -> Change:
    """The change without the configured labels, if its options leave them out."""
    return replace(change, add_labels=(), remove_labels=()) if change.options.no_labels else change


def _labels_alone(
    operation: Operation, increment: Increment, config: CoreConfig, options: DeliveryOptions
) -> Change:
    nothing = Change(operation.op, options=options)
    if kind_for(increment.status) is not operation.kind:
        return nothing
    first = replace(operation, op=operation.retries or operation.op, labels=(), state=True)
    whole = build_change(first, increment, config, options)
    asked = set(map(str.casefold, operation.labels))
    add, remove = (
        tuple(label for label in labels if label.casefold() in asked)
        for labels in (whole.add_labels, whole.remove_labels)
    )
    existing = whole.existing_labels
    return replace(nothing, add_labels=add, remove_labels=remove, existing_labels=existing)


def _reopen(
    change: Change,
    operation: Operation,
    increment: Increment,
    labels: Labels,
    amended: AppliedAmendment | None,
) -> Change:
    if operation.state:
        add, remove = (labels.reopened,), (labels.completed,)
        change = replace(change, goal=Goal.OPEN, add_labels=add, remove_labels=remove)
    if amended and amended.amendment.change is not None and not increment.status.is_finished:
        change = replace(change, add_labels=(*change.add_labels, labels.scope_change))
    return change


def _close(change: Change, increment: Increment, labels: Labels) -> Change:
    amendments = [entry.amendment for entry in increment.reopens if entry.amendment]
    amendments += [amended.amendment for amended in increment.amendments]
    scope = (labels.scope_change,) if any(amendment.change for amendment in amendments) else ()
    remove = (labels.reopened, *scope)
    if increment.status is Status.ABANDONED:
        return replace(change, goal=Goal.NOT_PLANNED, remove_labels=remove)
    add = (labels.completed,)
    return replace(change, goal=Goal.COMPLETED, add_labels=add, remove_labels=remove)


def restrict(change: Change, parts: frozenset[Part]) -> Change:
    """Return a change without the parts of an item that may not be written."""
    if Part.STATUS not in parts:
        change = replace(change, goal=None)
    if Part.COMMENT not in parts:
        change = replace(change, comment=None)
    if Part.LABELS not in parts:
        change = replace(change, add_labels=(), remove_labels=())
    return change


def remaining_change(change: Change, item: RemoteItem, *, commented: bool) -> Change:
    """Return the parts of a change that an item does not show yet."""
    goal = change.goal if change.goal is not None and must_move(item, change.goal) else None
    comment = None if commented else change.comment
    add, remove = remaining_labels(change, item.labels)
    return replace(change, goal=goal, comment=comment, add_labels=add, remove_labels=remove)


def remaining_labels(
    change: Change, labels: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the labels that a change still has to add to `labels`, and to remove from them."""
    key = change.label_key
    present = {key(label) for label in labels}
    return (
        tuple(label for label in change.add_labels if key(label) not in present),
        tuple(label for label in change.remove_labels if key(label) in present),
    )


def is_empty(change: Change) -> bool:
    """Whether nothing is left to do."""
    parts = (change.goal, change.comment, change.draft)
    return parts == (None, None, None) and not (change.add_labels or change.remove_labels)


def find_shortcoming(change: Change, outcome: Outcome, *, sends: int) -> TrackerError | None:
    """Return, as an error, the part of a change that the answers to its last send do not show."""
    after = outcome.after
    left = remaining_change(change, after, commented=outcome.commented)
    if left.goal is not None:
        said = f" ({'; '.join(outcome.notes)})" if outcome.notes else ""
        return Rejected(
            "state-not-taken",
            f"the tracker accepted the change, but the item is still {after.state}{said}",
            where=after.ref.url,
            hint="change its state by hand to see which rule refuses it, then run unlatch sync ID",
        )
    if left.comment is not None:
        return UnknownOutcome(
            "unknown-outcome",
            "the tracker accepted the comment, but does not show it",
            where=after.ref.url,
            hint="`unlatch sync` looks for the comment before it posts it again",
        )
    key, signs = left.label_key, (("+", left.add_labels), ("-", left.remove_labels))
    refused = set(map(key, outcome.refused))
    missing = [
        f"{sign}{label}" for sign, labels in signs for label in labels if key(label) not in refused
    ]
    if not missing:
        return None
    words = f"the tracker accepted the labels and did not change {' '.join(missing)}"
    if sends < _MAX_LABEL_SENDS:
        return Conflict("label-not-taken", words, where=after.ref.url)
    hint = "check the account's rights on labels, then run unlatch sync ID"
    return Rejected("label-not-taken", words, where=after.ref.url, hint=hint)


def compute_effect(
    kind: Kind, change: Change, before: SeenItem | None, outcome: Outcome, *, commented: bool
) -> Effect:
    """Compare an item after a write with the item before the operation's first attempt.

    `change` includes the parts that an earlier attempt did; anyone may have posted the comment.
    """
    # Not the difference of both: people may have relabelled the item in between.
    intended = remaining_labels(change, before.labels if before else ())
    missing = remaining_labels(change, outcome.after.labels)
    added, removed = (
        tuple(label for label in labels if label not in left)
        for labels, left in zip(intended, missing, strict=True)
    )
    after, result = outcome.after, _result(kind, change.goal, before, outcome)
    more = outcome.refused, outcome.notes, outcome.account
    return Effect(result, before, after, commented, added, removed, *more)


def _result(kind: Kind, goal: Goal | None, before: SeenItem | None, outcome: Outcome) -> Result:
    if kind is Kind.UPDATE and outcome.unchanged:
        return Result.UNCHANGED
    if kind in _UNCONDITIONAL:
        return _UNCONDITIONAL[kind]
    if goal is not None and must_move(outcome.after, goal):
        return Result.STATE_KEPT
    was_open = before is not None and before.category is not None and before.category.is_open
    is_left = goal is Goal.OPEN and before is not None and before.resolved
    return result_of(goal, was_open=was_open and not is_left)
