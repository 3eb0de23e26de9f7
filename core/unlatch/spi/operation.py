"""Operations: intended changes to items, attempts, and their outcomes."""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import Any, Self

from unlatch.errors import TrackerError
from unlatch.spi.item import Category, RemoteItem
from unlatch.spi.text import Text
from unlatch.values import dataclass

OperationKey = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class DeliveryOptions:
    """One object from the command line to the plugin, stored with each operation.

    Args:
        comment: the comment style ("full", "short", "none"); None as configured.
        even_if_not_planned: also reopen an item that was closed deliberately.
        follow: update the link of a moved item; not stored with operations.
        plugin: options from plugins' manifests ("allow-path").
    """

    comment: str | None = None
    even_if_not_planned: bool = False
    follow: bool = False
    plugin: frozenset[str] = frozenset()

    def over(self, stored: "DeliveryOptions") -> "DeliveryOptions":
        """These options, completed by those stored with an operation."""
        return DeliveryOptions(
            self.comment or stored.comment,
            self.even_if_not_planned or stored.even_if_not_planned,
            self.follow or stored.follow,
            self.plugin | stored.plugin,
        )


AS_CONFIGURED = DeliveryOptions()


class Kind(StrEnum):
    """The purpose of an operation."""

    REOPEN = "reopen"
    CLOSE = "close"
    CREATE = "create"
    UPDATE = "update"  # of title and body
    UNDO = "undo"  # of a reopen


@dataclass(frozen=True, slots=True)
class SeenItem:
    """The facts of a `RemoteItem` at one moment that an undo needs."""

    state: str
    category: Category | None = None  # None in files of older versions
    labels: tuple[str, ...] = ()
    revision: str | None = None
    resolved: bool = False


@dataclass(frozen=True, slots=True)
class Attempt:
    """The note about the last attempt to deliver an operation (`pending[].attempt`)."""

    # This one included, without those that a rate limit or the network ended.
    number: int
    at: datetime  # of the note; requests were sent later
    before: SeenItem | None = None  # the item before the first attempt wrote anything
    ended: datetime | None = None  # since when nothing sent can still take effect
    cause: str | None = None  # the id of the error that ended it
    retry_at: datetime | None = None  # when the tracker accepts requests again, if it said so
    remedy: str | None = None  # the option of `unlatch sync` with which another attempt can succeed

    @property
    def is_open(self) -> bool:
        """Whether a request may still take effect."""
        return self.ended is None


@dataclass(frozen=True, slots=True)
class Operation:
    """One intended change to one item, an entry of `pending`."""

    op: str  # the ULID of the intent, which acts once on an item
    kind: Kind
    tracker: str  # the plugin's name
    # The item's web address, or its id if no address is known; for a create, its target.
    item: str
    at: datetime  # of the intent
    by: str | None = None  # if no reopenHistory entry names the user
    reason: str | None = None  # if no reopenHistory entry states it
    why: str | None = None  # the cause of an operation without a reason; no comment shows it
    # False once a later change of status has superseded the state step; the comment remains.
    state: bool = True
    options: DeliveryOptions = AS_CONFIGURED
    story: str | None = None  # the user story of a new item; None for the whole increment
    cause: str | None = None  # the id of the error that blocked it
    blocked_at: datetime | None = None  # until a user requests it again
    attempt: Attempt | None = None  # the last one

    @property
    def key(self) -> OperationKey:
        """Its identity: an intent acts once on an item."""
        return self.op, self.tracker, self.item

    @property
    def is_blocked(self) -> bool:
        """Whether it needs a person's decision."""
        return self.blocked_at is not None


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
        title: the item's new title.
        type: the increment's ("feature", "bug"), for trackers with item types.
        body: the generated part of the item's body; people may write around it.
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
    draft: Draft | None = None
    mentions: bool = False
    options: DeliveryOptions = AS_CONFIGURED
    labels_match_case: bool = False

    def label_key(self, label: str) -> str:
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
    """

    after: RemoteItem
    commented: bool = False
    comment: str | None = None
    refused: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    unchanged: bool = False


class Progress:
    """The parts of a write done so far; a plugin notes each part when an answer shows it.

    As a context manager, it adds them to a `TrackerError` that ends the write
    (`TrackerError.done`), so that each part can be reported.

    Attributes:
        item: as the tracker described it last; replaced after each request that changed it.
        commented: whether the comment was posted.
        comment: its id, if known.
        refused: labels refused for good.
        notes: for the user.
        unchanged: whether the item had everything of the draft before.
    """

    def __init__(self, item: RemoteItem) -> None:
        self.item = item
        self.commented = False
        self.comment: str | None = None
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
        return Outcome(self.item, self.commented, self.comment, refused, notes, self.unchanged)


def seen_of(item: RemoteItem) -> SeenItem:
    return SeenItem(item.state, item.category, item.labels, item.revision, item.resolved)


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
