"""Changes: operations as a plugin makes them on an item, and their outcomes."""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any, Self

from unlatch.errors import TrackerError
from unlatch.spi.item import RemoteItem
from unlatch.spi.operation import AS_CONFIGURED, DeliveryOptions, SeenItem
from unlatch.spi.text import Text
from unlatch.values import dataclass


class Goal(StrEnum):
    """The state that a change brings an item to.

    OPEN: worked on again.
    COMPLETED: closed as done.
    NOT_PLANNED: closed as abandoned; if the tracker has such a state, the item is `deliberate`.
    """

    OPEN = "open"
    COMPLETED = "completed"
    NOT_PLANNED = "not-planned"


@dataclass(frozen=True, slots=True)
class Draft:
    """The text of an item for an increment, or for one of its user stories.

    Args:
        increment: its id (the folder's name).
        title: the item's new title, on one line; untrusted, and of any length. A plugin cuts one
            that is too long for the tracker, alike each time, or raises Rejected.
        type: the increment's ("feature", "bug"), for trackers with item types.
        body: the generated part of the item's body, of any length; people may write around it.
            A plugin renders it with `fit_text`.
        story: the id of the user story; None for the whole increment.
        metadata: further values from the increment's files, by their keys there ("milestone",
            "assignees", "areaPath", "parent"): untrusted. A plugin takes those that it knows.
    """

    increment: str
    title: str
    type: str | None
    body: Text
    story: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Change:
    """A change to one item: state, then comment, then labels.

    Args:
        op: the ULID of the operation; the comment, or the new item's body, carries it as a marker.
        goal: the state to reach; None keeps the state.
        comment: without the marker.
        add_labels: or tags.
        remove_labels: a missing one is not an error.
        existing_labels: those of `add_labels` that are added only if the tracker has them; others
            are refused, with a note. All are added where labels are free text.
        draft: the item's text, for a create or an update; None keeps it.
        mentions: let @names and references in the comment take effect, if the tracker reads them
            from text.
        options: those of the command.
        labels_match_case: as in the manifest.
    """

    op: str
    goal: Goal | None = None
    comment: Text | None = None
    add_labels: tuple[str, ...] = ()
    remove_labels: tuple[str, ...] = ()
    existing_labels: tuple[str, ...] = ()
    draft: Draft | None = None
    mentions: bool = False
    options: DeliveryOptions = AS_CONFIGURED
    labels_match_case: bool = False

    def label_key(self, label: str) -> str:
        """The form of a label in which those that are the same for the tracker are equal.

        Compare labels by it, both added and removed ones.
        """
        return label if self.labels_match_case else label.casefold()


class Result(StrEnum):
    """The result of one operation, by the tracker's answers."""

    REOPENED = "reopened"
    ALREADY_OPEN = "already-open"
    CLOSED = "closed"
    ALREADY_CLOSED = "already-closed"
    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"  # an update that found the text as it should be
    # The state was not to change; comment or labels may have changed.
    STATE_KEPT = "state-kept"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The effect of a write, read from the tracker's answers alone.

    Delivery compares it with the change: a part that is neither done nor refused for good is not
    delivered, even if the tracker answered with success.

    Args:
        after: as the tracker described it after the last write.
        commented: whether this call posted the comment.
        comment: its id, if known.
        refused: labels refused for good (no right to add them, invalid there).
        notes: for the user.
        unchanged: whether the item had everything of the draft before, so that nothing was sent.
        account: the author of the comment, by the name of `RemoteItem.changed_by`; None if unknown.
    """

    after: RemoteItem
    commented: bool = False
    comment: str | None = None
    refused: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    unchanged: bool = False
    account: str | None = None


class Progress:
    """The parts of a write done so far; a plugin notes each part when an answer shows it.

    As a context manager, it adds them to a `TrackerError` that ends the write
    (`TrackerError.done`), so that each part can be reported.

    Attributes:
        item: as the tracker described it last; replaced after each request that changed it.
        commented: whether the comment was posted.
        comment: its id, if known.
        account: its author, if the answer shows it.
        refused: labels refused for good.
        notes: for the user.
        unchanged: whether the item had everything of the draft before.
    """

    def __init__(self, item: RemoteItem) -> None:
        self.item = item
        self.commented = False
        self.comment: str | None = None
        self.account: str | None = None
        self.refused: list[str] = []
        self.notes: list[str] = []
        self.unchanged = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, TrackerError):
            error.done = self.outcome

    @property
    def outcome(self) -> Outcome:
        refused, notes = tuple(self.refused), tuple(self.notes)
        return Outcome(
            self.item, self.commented, self.comment, refused, notes, self.unchanged, self.account
        )


def seen_of(item: RemoteItem) -> SeenItem:
    since = item.state_since or item.updated
    return SeenItem(item.state, item.category, item.labels, item.revision, item.resolved, since)


def must_move(item: RemoteItem, goal: Goal) -> bool:
    """Whether `item` must be opened or closed to reach `goal`."""
    if goal is Goal.OPEN:
        return item.resolved or not item.category.is_open
    return item.category.is_open


def is_held_closed(item: RemoteItem, change: Change) -> bool:
    """Whether `item` was closed deliberately and `change` may not reopen it."""
    return change.goal is Goal.OPEN and item.deliberate and not change.options.even_if_not_planned


def result_of(goal: Goal | None, *, was_open: bool) -> Result:
    """The result of reaching `goal` from a state that was open or not."""
    if goal is None:
        return Result.STATE_KEPT
    if goal is Goal.OPEN:
        return Result.ALREADY_OPEN if was_open else Result.REOPENED
    return Result.CLOSED if was_open else Result.ALREADY_CLOSED
