"""Intended changes to items, and what became of them."""

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
    """What an operation is for."""

    REOPEN = "reopen"
    CLOSE = "close"
    CREATE = "create"
    UPDATE = "update"
    UNDO = "undo"


@dataclass(frozen=True, slots=True)
class SeenItem:
    """An item as it was at one moment, as far as an undo needs to know.

    Args:
        state: the tracker's own word for its state.
        category: what that state means; None in files of older versions.
        labels: its labels or tags.
        revision: an opaque token that changes with the item, where the tracker has one.
    """

    state: str
    category: Category | None = None
    labels: tuple[str, ...] = ()
    revision: str | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """The note about the last attempt to deliver an operation, as `pending[].attempt` holds it.

    Args:
        number: how many attempts count so far, this one included. One that a rate limit or the
            network ended does not count.
        at: when it was noted; what it sent was sent later.
        before: the item as it was before the first attempt wrote anything.
        ended: when it turned out that nothing sent can still take effect; None while that is open.
        cause: the id of the error that it ended with.
        retry_at: when the tracker accepts requests again, if it said so.
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
        """Whether something that was sent may still take effect."""
        return self.ended is None


@dataclass(frozen=True, slots=True)
class Operation:
    """One intended change to one item, as it waits in `pending`.

    Args:
        op: the ULID of the intent; on one item an intent acts once.
        kind: what it is for.
        tracker: the plugin's name.
        item: the item's web address, or its own id where no address is known; for a create, the
            target that will hold the item.
        at: when the intent was made.
        by: who made it, where no reopenHistory entry says so.
        reason: why, where no reopenHistory entry says so.
        state: False once a later change of status has overtaken the state step; what is left of
            the operation is its comment.
        options: how it is to be delivered.
        story: the user story that an item is made for; None for the increment as a whole.
        cause: the id of the error that blocked it.
        parked_at: when it was blocked, until a person asks for it again.
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
    parked_at: datetime | None = None
    attempt: Attempt | None = None

    @property
    def key(self) -> OperationKey:
        """Identifies it: an intent acts once on an item."""
        return self.op, self.tracker, self.item

    @property
    def is_blocked(self) -> bool:
        """Whether it waits for a person."""
        return self.parked_at is not None


class Goal(StrEnum):
    """The state that a change wants an item to be in."""

    OPEN = "open"
    COMPLETED = "completed"
    NOT_PLANNED = "not-planned"


@dataclass(frozen=True, slots=True)
class Change:
    """What a plugin is asked to do to one item, in the tracker's order: state, comment, labels.

    Args:
        op: the ULID of the operation; the comment, or the new item's body, carries it as a marker.
        goal: the state to reach, or None to leave the state alone.
        comment: what to say, without the marker, or None to say nothing.
        add_labels: labels or tags that the item is to have.
        remove_labels: labels or tags that it is not to have; one that is absent is no error.
        draft: for a create and an update, what the item is to say; None to leave that alone.
        mentions: let @names and references in the comment take effect, where the tracker reads
            them from text.
        options: how to do it.
        labels_match_case: as the manifest says.
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
        """What tells a label from others."""
        return label if self.labels_match_case else label.casefold()


@dataclass(frozen=True, slots=True)
class Draft:
    """What an item made from an increment, or from one of its user stories, shall say.

    Args:
        increment: the increment's id (the folder's name).
        title: the item's title.
        type: the increment's type ("feature", "bug"), for trackers with item types.
        body: the part of the item's body that unlatch keeps; people may write around it.
        story: the user story that it is about; None for the increment as a whole.
        metadata: what the increment's files say about its items beyond that, by the keys that they
            use ("milestone", "assignees", "areaPath", "parent"): untrusted values. A plugin takes
            what it knows.
    """

    increment: str
    title: str
    type: str | None
    body: Text
    story: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


class Result(StrEnum):
    """What an operation came to, as the tracker's answers show it."""

    REOPENED = "reopened"
    ALREADY_OPEN = "already-open"
    CLOSED = "closed"
    ALREADY_CLOSED = "already-closed"
    CREATED = "created"
    UPDATED = "updated"
    # The state was left alone by wish; comment or labels may have changed.
    STATE_KEPT = "state-kept"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a write did; everything in it was read from the tracker's answers.

    Delivery compares it with the change: a part that is neither reached nor refused for good is
    not delivered, whatever status code the tracker answered with.

    Args:
        after: the item as the tracker described it after the last write.
        commented: whether this call posted the comment.
        comment: the id of that comment, where the tracker tells.
        refused: labels that the tracker refused for good (no right to add them, not valid there).
        notes: what a person should know besides.
    """

    after: RemoteItem
    commented: bool = False
    comment: str | None = None
    refused: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Progress:
    """What a write has done so far; a plugin notes each part as an answer shows it.

    Used as a context manager: a `TrackerError` that ends the write carries the parts that were
    done (`TrackerError.done`), so that people are told of each part.
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
        """The parts that were done."""
        return Outcome(
            self.item, self.commented, self.comment, tuple(self.refused), tuple(self.notes)
        )


def seen_of(item: RemoteItem) -> SeenItem:
    """An item as an attempt or a delivery notes it."""
    return SeenItem(item.state, item.category, item.labels, item.revision)


def must_move(item: RemoteItem, goal: Goal) -> bool:
    """Whether `item` is not on the side of open and closed that `goal` wants it on."""
    return item.category.is_open != (goal is Goal.OPEN)


def is_held_closed(item: RemoteItem, change: Change) -> bool:
    """Whether `item` was closed on purpose, and `change` may not reopen such a one."""
    return change.goal is Goal.OPEN and item.deliberate and not change.options.even_if_not_planned


def result_of(goal: Goal | None, *, was_open: bool) -> Result:
    """The result of reaching `goal` from a state that was open or not."""
    if goal is None:
        return Result.STATE_KEPT
    if goal is Goal.OPEN:
        return Result.ALREADY_OPEN if was_open else Result.REOPENED
    return Result.CLOSED if was_open else Result.ALREADY_CLOSED
