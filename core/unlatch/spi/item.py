"""Items on trackers: references, content, comments and events."""

from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import Any

from unlatch.spi.text import Check
from unlatch.values import dataclass


class Category(StrEnum):
    """The meaning of a tracker's own state; states are compared by it alone."""

    TODO = "todo"  # open, not begun
    DOING = "doing"  # open
    DONE = "done"  # closed, as completed
    DROPPED = "dropped"  # closed, without being done

    @property
    def is_open(self) -> bool:
        """Whether the work on such an item is unfinished."""
        return self in (Category.TODO, Category.DOING)


@dataclass(frozen=True, slots=True)
class ItemRef:
    """One item on one tracker, with all that requests about it need.

    `target` is the item's container, in the tracker's own spelling: "octo/widgets",
    "fabrikam/widgets", "SCRUM". That of an item in the configured place equals `Settings.target`.
    """

    tracker: str  # the plugin's name ("github")
    target: str
    id: str  # within its target ("4", "101", "SCRUM-28")
    url: str  # its web address, which is its identity


@dataclass(frozen=True, slots=True)
class Listed:
    """An item in a list, with its untrusted title and the operations whose markers its body has."""

    ref: ItemRef
    title: str
    ops: frozenset[str]


@dataclass(frozen=True, slots=True)
class KeptPart:
    """The generated part of an item's body, as people left it."""

    increment: str  # the id in its marks
    checks: tuple[Check, ...]  # its check boxes; their depth is not read


@dataclass(frozen=True, slots=True)
class RemoteItem:
    """The content of an item, as the tracker describes it."""

    ref: ItemRef  # at its present place
    title: str  # or summary: untrusted text
    state: str  # the tracker's name for it ("closed", "Committed", "In Arbeit")
    category: Category  # the meaning of that state
    type: str | None = None  # the tracker's name for it ("User Story")
    # Its work is done and waits to be verified: the state counts as open, and a reopen leaves it.
    resolved: bool = False
    labels: tuple[str, ...] = ()  # or tags, in the tracker's order
    assignee: str | None = None
    revision: str | None = None  # opaque, changes with the item, if the tracker has one
    updated: datetime | None = None  # with its time zone
    changed_by: str | None = None  # the display name of the last author, if known
    closed_by: str | None = None  # the automation, if known ("pull request octo/widgets#12")
    # The generated parts of its body, if the answer shows the body.
    kept: tuple[KeptPart, ...] = field(default=(), compare=False)

    @property
    def deliberate(self) -> bool:
        """Whether it was closed deliberately, without its work: no reopen undoes that unasked."""
        return self.category is Category.DROPPED

    def checks_of(self, increment: str) -> tuple[Check, ...] | None:
        """The check boxes of an increment's part of the body; None without such a part."""
        parts = (one for one in self.kept if one.increment == increment)
        return next((one.checks for one in parts), None)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """An item as a plugin read it."""

    item: RemoteItem
    private: Any = None  # the plugin's own data (a body, a workflow), passed back to `write` unread


@dataclass(frozen=True, slots=True)
class CommentRef:
    """A comment that carries one of our markers."""

    id: str
    created: datetime  # by the tracker's clock, with its time zone
    own: bool | None = None  # whether this credential's account posted it; None if unknown
    # For the user, such as an author whose rights could not be checked, with the comment's address.
    note: str | None = None


@dataclass(frozen=True, slots=True)
class ItemEvent:
    """A message about an item: a hint to read it, never a fact.

    It may come late, twice, out of order, or from anybody, so only the tracker's own answer about
    the item is trusted.

    """

    action: str  # the tracker's name for the event ("reopened")
    url: str | None = None  # the item's web address; None with a `note`
    by: str | None = None  # the author's display name
    at: datetime | None = None
    category: Category | None = None  # the item's new state
    note: str | None = None  # the reason for ignoring the message
