"""Operations: intended changes to items, attempts, and their outcomes."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Self

from unlatch.errors import TrackerError
from unlatch.spi.options import AS_CONFIGURED, DeliveryOptions

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from unlatch.spi.item import Category, RemoteItem
    from unlatch.spi.text import Text


OperationKey = tuple[str, str, str]


class Kind(StrEnum):
    """The purpose of an operation."""

    REOPEN = "reopen"
    CLOSE = "close"
    CREATE = "create"
    UPDATE = "update"
    UNDO = "undo"


@dataclass(frozen=True, slots=True)
class SeenItem:
    """The facts of an item at one moment that an undo needs.

    They are those of a `RemoteItem`; `category` is None in files of older versions.
    """

    state: str
    category: Category | None = None
    labels: tuple[str, ...] = ()
    revision: str | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """The note about the last attempt to deliver an operation (`pending[].attempt`).

    Args:
        number: the number of attempts, this one included, without those that a rate limit or the
            network ended.
        at: the time of the note; requests were sent later.
        before: the item before the first attempt wrote anything.
        ended: the time since when nothing sent can still take effect; None before.
        cause: the id of the error that ended it.
        retry_at: the time when the tracker accepts requests again, if it said so.
        remedy: the option of `unlatch sync` with which another attempt can succeed.
    """

    number: int
    at: datetime
    before: SeenItem | None = None
    ended: datetime | None = None
    cause: str | None = None
    retry_at: datetime | None = None
    remedy: str | None = None

    @property
    def is_open(self) -> bool:
        """Whether a request may still take effect."""
        return self.ended is None


@dataclass(frozen=True, slots=True)
class Operation:
    """One intended change to one item, an entry of `pending`.

    Args:
        op: the ULID of the intent; an intent acts once on an item.
        tracker: the plugin's name.
        item: the item's web address, or its id if no address is known; for a create, the target
            of the new item.
        at: the time of the intent.
        by: the user, if no reopenHistory entry names one.
        reason: the reason, if no reopenHistory entry states it.
        state: False once a later change of status has superseded the state step, which leaves the
            comment.
        story: the user story of a new item; None for the whole increment.
        cause: the id of the error that blocked it.
        blocked_at: the time when it was blocked, until a user requests it again.
        attempt: the note about the last attempt; None before the first.
    """

    op: str
    kind: Kind
    tracker: str
    item: str
    at: datetime
    by: str | None = None
    reason: str | None = None
    state: bool = True
    options: DeliveryOptions = AS_CONFIGURED
    story: str | None = None
    cause: str | None = None
    blocked_at: datetime | None = None
    attempt: Attempt | None = None

    @property
    def key(self) -> OperationKey:
        """Its identity: an intent acts once on an item."""
        return self.op, self.tracker, self.item

    @property
    def is_blocked(self) -> bool:
        """Whether it needs a person's decision."""
        return self.blocked_at is not None


class Goal(StrEnum):
    """The state that a change brings an item to."""

    OPEN = "open"
    COMPLETED = "completed"
    NOT_PLANNED = "not-planned"


@dataclass(frozen=True, slots=True)
class Change:
    """A change to one item: state, then comment, then labels.

    Args:
        op: the ULID of the operation; the comment, or the new item's body, carries it as a marker.
        goal: the state to reach; None keeps the state.
        comment: the comment without the marker; None for no comment.
        add_labels: labels or tags to add.
        remove_labels: labels or tags to remove; a missing one is not an error.
        draft: the text of the item, for a create or an update; None keeps it.
        mentions: let @names and references in the comment take effect, if the tracker reads them
            from text.
        labels_match_case: as in the manifest.
    """

    op: str
    goal: Goal | None = None
    comment: Text | None = None
    add_labels: tuple[str, ...] = ()
    remove_labels: tuple[str, ...] = ()
    draft: Draft | None = None
    mentions: bool = False
    options: DeliveryOptions = AS_CONFIGURED
    labels_match_case: bool = False

    def label_key(self, label: str) -> str:
        """The key by which labels are compared."""
        return label if self.labels_match_case else label.casefold()


@dataclass(frozen=True, slots=True)
class Draft:
    """The text of an item for an increment, or for one of its user stories.

    Args:
        increment: the increment's id (the folder's name).
        type: the increment's type ("feature", "bug"), for trackers with item types.
        body: the generated part of the item's body; people may write around it.
        story: the user story; None for the whole increment.
        metadata: further values from the increment's files, by their keys there ("milestone",
            "assignees", "areaPath", "parent"): untrusted. A plugin takes those that it knows.
    """

    increment: str
    title: str
    type: str | None
    body: Text
    story: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


class Result(StrEnum):
    """The result of one operation, by the tracker's answers."""

    REOPENED = "reopened"
    ALREADY_OPEN = "already-open"
    CLOSED = "closed"
    ALREADY_CLOSED = "already-closed"
    CREATED = "created"
    UPDATED = "updated"
    # The state was not to change; comment or labels may have changed.
    STATE_KEPT = "state-kept"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The effect of a write, read from the tracker's answers alone.

    Delivery compares it with the change: a part that is neither done nor refused for good is not
    delivered, whatever status code the tracker sent.

    Args:
        after: the item as the tracker described it after the last write.
        commented: whether this call posted the comment.
        comment: the id of that comment, if known.
        refused: labels that the tracker refused for good (no right to add them, not valid there).
        notes: further notes for the user.
    """

    after: RemoteItem
    commented: bool = False
    comment: str | None = None
    refused: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Progress:
    """The parts of a write done so far; a plugin notes each part when an answer shows it.

    As a context manager, it adds them to a `TrackerError` that ends the write
    (`TrackerError.done`), so that each part can be reported.
    """

    def __init__(self, item: RemoteItem) -> None:
        self.item = item
        self.commented = False
        self.comment: str | None = None
        self.refused: list[str] = []
        self.notes: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, TrackerError):
            error.done = self.outcome

    @property
    def outcome(self) -> Outcome:
        """The parts done so far."""
        return Outcome(
            self.item, self.commented, self.comment, tuple(self.refused), tuple(self.notes)
        )


def seen_of(item: RemoteItem) -> SeenItem:
    """The facts of an item that an attempt or a delivery records."""
    return SeenItem(item.state, item.category, item.labels, item.revision)


def must_move(item: RemoteItem, goal: Goal) -> bool:
    """Whether `item` must be opened or closed to reach `goal`."""
    return item.category.is_open != (goal is Goal.OPEN)


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
