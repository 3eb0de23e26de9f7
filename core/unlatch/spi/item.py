"""Items on trackers: how they are named and what was seen of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime


class Category(StrEnum):
    """What a tracker's own state means; the only thing that states are compared by."""

    TODO = "todo"
    DOING = "doing"
    DONE = "done"
    DROPPED = "dropped"

    @property
    def is_open(self) -> bool:
        """Whether work on such an item is still to be done."""
        return self in (Category.TODO, Category.DOING)


@dataclass(frozen=True, slots=True)
class ItemRef:
    """One item on one tracker, resolved: enough to send requests about it.

    Args:
        tracker: the plugin's name ("github").
        target: what holds the item, in the tracker's own spelling: "octo/widgets",
            "fabrikam/widgets", or the site's host ("acme.atlassian.net").
        id: the item's own id within its target, as text ("4", "101", "SCRUM-28").
        url: the item's web address; this is its identity.
    """

    tracker: str
    target: str
    id: str
    url: str


@dataclass(frozen=True, slots=True)
class Listed:
    """One of many items that a tracker listed.

    Args:
        ref: the item.
        title: its title or summary: untrusted text.
        ops: the operations whose markers stand in its body.
    """

    ref: ItemRef
    title: str
    ops: frozenset[str]


@dataclass(frozen=True, slots=True)
class RemoteItem:
    """What a tracker said about one of its items.

    Args:
        ref: the item, at the place where it was found.
        title: its title or summary, as the tracker has it: untrusted text.
        type: the tracker's name for its type ("User Story"), or None if it has none.
        state: the tracker's own word for its state ("closed", "Committed", "In Arbeit").
        category: what that state means.
        deliberate: closed in a way that should not be undone unasked (`not_planned`, `duplicate`,
            Removed).
        labels: labels or tags, in the tracker's order.
        assignee: who it is assigned to, as shown to people, or None.
        revision: an opaque token that changes with the item, where the tracker has one.
        updated: when it last changed, if the tracker says.
        changed_by: who last changed it, as shown to people, where the answer tells.
        closed_by: what closed it where that was no person's click ("pull request octo/widgets#12"),
            where the answer tells.
    """

    ref: ItemRef
    title: str
    state: str
    category: Category
    type: str | None = None
    deliberate: bool = False
    labels: tuple[str, ...] = ()
    assignee: str | None = None
    revision: str | None = None
    updated: datetime | None = None
    changed_by: str | None = None
    closed_by: str | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """An item as a plugin read it, and all that the plugin needs to change it.

    Args:
        item: what the tracker said about it.
        private: the plugin's own facts (a body, a workflow); handed back to `write` unread.
    """

    item: RemoteItem
    private: Any = None


@dataclass(frozen=True, slots=True)
class CommentRef:
    """A comment that carries one of our markers.

    Args:
        id: the comment's own id.
        created: when the tracker says that it was posted.
        own: whether this credential's account posted it; None if that cannot be determined.
        note: what a person should know: an author whose rights could not be checked, by name and
            with the comment's address.
    """

    id: str
    created: datetime
    own: bool | None = None
    note: str | None = None
