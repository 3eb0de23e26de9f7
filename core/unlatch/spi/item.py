"""Items on trackers: references, content, comments and events."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime


class Category(StrEnum):
    """The meaning of a tracker's own state; states are compared by it alone."""

    TODO = "todo"
    DOING = "doing"
    DONE = "done"
    DROPPED = "dropped"

    @property
    def is_open(self) -> bool:
        """Whether the work on such an item is unfinished."""
        return self in (Category.TODO, Category.DOING)


@dataclass(frozen=True, slots=True)
class ItemRef:
    """One item on one tracker, with all that requests about it need.

    Args:
        tracker: the plugin's name ("github").
        target: the item's container, in the tracker's own spelling: "octo/widgets",
            "fabrikam/widgets", or the site's host ("acme.atlassian.net").
        id: the item's id within its target ("4", "101", "SCRUM-28").
        url: the item's web address, which is its identity.
    """

    tracker: str
    target: str
    id: str
    url: str


@dataclass(frozen=True, slots=True)
class Listed:
    """An item in a list, with its untrusted title and the operations whose markers its body has."""

    ref: ItemRef
    title: str
    ops: frozenset[str]


@dataclass(frozen=True, slots=True)
class RemoteItem:
    """The content of an item, as the tracker describes it.

    Args:
        ref: the item, at its present place.
        title: its title or summary: untrusted text.
        type: the tracker's name for its type ("User Story"), or None.
        state: the tracker's name for its state ("closed", "Committed", "In Arbeit").
        category: the meaning of that state.
        deliberate: closed in a way that must not be undone unasked (`not_planned`, `duplicate`,
            Removed).
        labels: labels or tags, in the tracker's order.
        revision: an opaque token that changes with the item, if the tracker has one.
        changed_by: the display name of the last author, if known.
        closed_by: the automation that closed it ("pull request octo/widgets#12"), if known.
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
    """An item as a plugin read it.

    `private` is the plugin's own data (a body, a workflow), passed back to `write` unread.
    """

    item: RemoteItem
    private: Any = None


@dataclass(frozen=True, slots=True)
class CommentRef:
    """A comment that carries one of our markers.

    Args:
        created: the time of posting, by the tracker's clock.
        own: whether this credential's account posted it; None if unknown.
        note: a note for the user, such as the name of an author whose rights could not be checked,
            with the comment's address.
    """

    id: str
    created: datetime
    own: bool | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class ItemEvent:
    """A message about an item: a hint to read it, never a fact.

    It may come late, twice, out of order, or from anybody, so only the tracker's own answer about
    the item is trusted.

    Args:
        action: the tracker's name for the event ("reopened").
        url: the item's web address in the message; None with a `note`.
        by: the author's display name.
        category: the item's new state.
        note: the reason for ignoring the message, or None.
    """

    action: str
    url: str | None = None
    by: str | None = None
    at: datetime | None = None
    category: Category | None = None
    note: str | None = None
