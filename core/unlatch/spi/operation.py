"""Operations: intended changes to items, as they are recorded, with their options, and attempts."""

from datetime import datetime
from enum import StrEnum

from unlatch.values import dataclass


class Category(StrEnum):
    """The meaning of a tracker's own state; states are compared by it alone.

    TODO: open, not begun.
    DOING: open.
    DONE: closed, as completed.
    DROPPED: closed deliberately, without being done.
    """

    TODO = "todo"
    DOING = "doing"
    DONE = "done"
    DROPPED = "dropped"

    @property
    def is_open(self) -> bool:
        """Whether the work on such an item is unfinished."""
        return self in (Category.TODO, Category.DOING)


@dataclass(frozen=True, slots=True)
class DeliveryOptions:
    """One object from the command line to the plugin, stored with each operation.

    Args:
        comment: the comment style ("full", "short", "none"); None as configured.
        even_if_not_planned: also reopen an item that was closed deliberately.
        follow: update the link of a moved item; not stored with operations.
        plugin: options from plugins' manifests ("allow-path", "project-status=In progress").
        comment_anyway: also comment on an item alone that is in the wanted state already.
        add_labels: also add these labels, or tags.
        remove_labels: also remove these, and add none of them.
        no_labels: change none of the configured labels.
    """

    comment: str | None = None
    even_if_not_planned: bool = False
    follow: bool = False
    plugin: frozenset[str] = frozenset()
    comment_anyway: bool = False
    add_labels: tuple[str, ...] = ()
    remove_labels: tuple[str, ...] = ()
    no_labels: bool = False

    def value_of(self, option: str) -> str | None:
        """The value of a plugin's option; None if it was not given."""
        values = (assignment.partition("=") for assignment in self.plugin)
        return next((value for name, sign, value in values if sign and name == option), None)

    def over(self, stored: "DeliveryOptions") -> "DeliveryOptions":
        """These options, completed by those stored with an operation."""
        given = {assignment.partition("=")[0] for assignment in self.plugin}
        return DeliveryOptions(
            self.comment or stored.comment,
            self.even_if_not_planned or stored.even_if_not_planned,
            self.follow or stored.follow,
            self.plugin
            | {
                assignment
                for assignment in stored.plugin
                if assignment.partition("=")[0] not in given
            },
            self.comment_anyway or stored.comment_anyway,
            tuple(dict.fromkeys(self.add_labels + stored.add_labels)),
            tuple(dict.fromkeys(self.remove_labels + stored.remove_labels)),
            self.no_labels or stored.no_labels,
        )


AS_CONFIGURED = DeliveryOptions()


OperationKey = tuple[str, str, str]


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
    # When the state last changed, else a time after that, by the tracker's clock.
    since: datetime | None = None


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
    # For an undo, whose `before` is the reopen's: `before.since` as its own first attempt read it.
    since: datetime | None = None

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
    # The cause of an operation without a reason, or of a comment on open work; no comment shows it.
    why: str | None = None
    # False once a later change of status has superseded the state step; the comment remains.
    state: bool = True
    # Labels that the tracker refused to an earlier operation, asked for again: then they are all
    # that it changes. `retries` is the ULID of that operation.
    labels: tuple[str, ...] = ()
    retries: str | None = None
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
