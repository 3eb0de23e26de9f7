"""What a tracker tells of a comment that may ask for something: who wrote it, and how it stands.

What it does not tell is None, or missing in a set.
"""

from datetime import datetime
from enum import StrEnum

from unlatch.spi.history import MarkedComment
from unlatch.spi.item import ItemRef
from unlatch.values import dataclass


class Role(StrEnum):
    """What a person is to an item and its repository."""

    AUTHOR = "author"
    ASSIGNEE = "assignee"
    TRIAGE = "triage"
    WRITE = "write"


class Closer(StrEnum):
    """What closed an item; a change is a commit or a merged pull request."""

    PERSON = "person"
    BOT = "bot"
    WORKFLOW = "workflow"
    CHANGE = "change"
    UNLATCH = "unlatch"


@dataclass(frozen=True, slots=True)
class Asker:
    """Who wrote a command.

    Args:
        account: the tracker's own id of the account, or its login.
        roles: those that the tracker confirms.
        teams: those of the setting that the tracker confirms.
    """

    account: str
    roles: frozenset[Role] = frozenset()
    teams: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class LastClose:
    """How an item was closed, and whether it is locked; None for what the tracker does not tell.

    Args:
        by: the account, as `Asker.account`.
        dropped: whether it was closed as not planned, a duplicate or the like.
    """

    at: datetime | None = None
    by: str | None = None
    closer: Closer | None = None
    dropped: bool | None = None
    locked: bool | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A person's comment, as it was first written.

    Args:
        ref: the item that has it.
        id: within its item, as in `CommentRef`.
        url: its web address.
        text: untrusted, in Markdown.
        written: by the tracker's clock, with its time zone.
        is_open: whether the item is open.
        is_restricted: whether not everybody who sees the item sees the comment.
        marked: the item's newest comments with markers, the oldest first.
    """

    ref: ItemRef
    id: str
    url: str
    text: str
    written: datetime
    asker: Asker
    close: LastClose
    is_open: bool
    is_restricted: bool = False
    marked: tuple[MarkedComment, ...] = ()
