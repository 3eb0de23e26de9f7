"""Items on trackers: references, content, comments and events."""

from dataclasses import field
from datetime import datetime
from typing import Any

from unlatch.spi.operation import Category
from unlatch.spi.text import Check
from unlatch.values import dataclass


@dataclass(frozen=True, slots=True)
class ItemRef:
    """One item on one tracker, with all that requests about it need.

    Args:
        tracker: the plugin's name ("github").
        target: its container, in the tracker's own spelling: "octo/widgets", "fabrikam/widgets",
            "SCRUM". That of an item in the configured place equals `Settings.target`.
        id: within its target ("4", "101", "SCRUM-28").
        url: its web address, which is its identity.
    """

    tracker: str
    target: str
    id: str
    url: str


@dataclass(frozen=True, slots=True)
class Listed:
    """An item in a list.

    Args:
        ref: the item.
        title: untrusted text.
        ops: the operations whose markers its body has; none if its author is a stranger, whose
            markers do not count (`SyncPlugin.find_comments`).
    """

    ref: ItemRef
    title: str
    ops: frozenset[str]


@dataclass(frozen=True, slots=True)
class KeptPart:
    """The generated part of an item's body, as people left it.

    Args:
        increment: the id in its marks.
        checks: its check boxes; their depth is not read.
    """

    increment: str
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class RemoteItem:
    """The content of an item, as the tracker describes it.

    Args:
        ref: at its present place.
        title: its title or summary: untrusted text.
        state: the tracker's name for it ("closed", "Committed", "In Arbeit").
        category: the meaning of that state.
        type: the tracker's name for it ("User Story").
        resolved: its work is done and waits to be verified: the state counts as open, and a reopen
            leaves it.
        labels: the labels or tags, in the tracker's order.
        assignee: the name of the assignee.
        revision: opaque, changes with the item, if the tracker has one.
        updated: with its time zone.
        changed_by: the name of the last author, if known. Names of people are those that the
            tracker shows to people ("Ada Lovelace", or a login where it shows no other), and one
            account has one name everywhere: here, in `SyncPlugin.find_author`,
            `MarkedComment.author`, `StateChange.by` and `Examination.login`.
        closed_by: the automation, if known ("pull request octo/widgets#12").
        created: by the tracker's clock, with its time zone; None if the answer does not show it.
        state_since: since when it has had its state, likewise.
        kept: the generated parts of its body, if the answer shows the body.
    """

    ref: ItemRef
    title: str
    state: str
    category: Category
    type: str | None = None
    resolved: bool = False
    labels: tuple[str, ...] = ()
    assignee: str | None = None
    revision: str | None = None
    updated: datetime | None = None
    changed_by: str | None = None
    closed_by: str | None = None
    created: datetime | None = None
    state_since: datetime | None = None
    kept: tuple[KeptPart, ...] = field(default=(), compare=False)

    @property
    def deliberate(self) -> bool:
        """Whether it was closed deliberately, without its work: no reopen undoes that unasked."""
        return self.category is Category.DROPPED

    def checks_of(self, increment: str) -> tuple[Check, ...] | None:
        """The check boxes of an increment's part of the body; None without such a part."""
        parts = (kept for kept in self.kept if kept.increment == increment)
        return next((kept.checks for kept in parts), None)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """An item as a plugin read it.

    Args:
        item: as the tracker described it.
        private: the plugin's own data (a body, a workflow), passed back to `write` unread.
    """

    item: RemoteItem
    private: Any = None


@dataclass(frozen=True, slots=True)
class CommentRef:
    """A comment that carries one of our markers.

    Args:
        id: within its item.
        created: by the tracker's clock, with its time zone.
        own: whether this credential's account posted it; None if unknown.
        note: for the user, such as an author whose rights could not be checked, with the comment's
            address.
        text: the whole visible text, untrusted, as in `MarkedComment`.
        touched: whether it was edited after it was posted, or has replies or reactions, as far as
            the tracker shows that.
        visibility: the group or role that alone may see it; empty for everybody.
        author: the name of its author, as in `RemoteItem.changed_by`; None if unknown.
    """

    id: str
    created: datetime
    own: bool | None = None
    note: str | None = None
    text: str = ""
    touched: bool = False
    visibility: str = ""
    author: str | None = None


@dataclass(frozen=True, slots=True)
class ItemEvent:
    """A message about an item: a hint to read it, never a fact.

    It may come late, twice, out of order, or from anybody, so only the tracker's own answer about
    the item is trusted.

    Args:
        action: the tracker's name for the event ("reopened").
        url: the item's web address; None with a `note`.
        by: the name of the author, as in `RemoteItem.changed_by`.
        at: the time of the event.
        category: the item's new state.
        note: the reason for ignoring the message.
        comment: the id of a new comment, within its item, that may ask for something; the message
            then tells nothing about the item's state.
        default_branch: of the item's repository; None if the message does not tell it.
    """

    action: str
    url: str | None = None
    by: str | None = None
    at: datetime | None = None
    category: Category | None = None
    note: str | None = None
    comment: str | None = None
    default_branch: str | None = None
