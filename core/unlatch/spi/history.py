"""The past of an item, and comments that may ask for something, as its tracker shows them.

What it does not tell is None, or missing in a set.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import StrEnum

from unlatch.spi.item import ItemRef
from unlatch.spi.text import one_line
from unlatch.values import dataclass

# unlatch comments right after it has closed an item.
_COMMENTED_WITHIN = timedelta(minutes=1)
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class MarkedComment:
    """A comment that carries a marker.

    Args:
        id: within its item, as in `CommentRef`.
        text: the whole text, untrusted, with or without the tracker's markup.
        author: the name, as in `RemoteItem.changed_by`; None if unknown.
        counts: whether the author may write to the item; None if that cannot be determined.
        edited: whether it was edited after it was posted; None if the tracker does not show that.
        created: by the tracker's clock, with its time zone; None if unknown.
        own: whether this credential's account posted it; None if unknown.
    """

    id: str
    text: str
    author: str | None = None
    counts: bool | None = True
    edited: bool | None = None
    created: datetime | None = None
    own: bool | None = None


@dataclass(frozen=True, slots=True)
class StateChange:
    """A change of an item's state.

    Args:
        at: by the tracker's clock, with its time zone.
        state: the new one, as in `RemoteItem.state`.
        by: the name of its author, as in `RemoteItem.changed_by`; None if unknown.
        own: whether this credential's account made it; None if unknown.
        is_open: whether the new state counts as open; None if unknown.
    """

    at: datetime
    state: str
    by: str | None = None
    own: bool | None = None
    is_open: bool | None = None


@dataclass(frozen=True, slots=True)
class ItemHistory:
    """The comments of an item with markers, and its changes of state, the oldest first.

    Args:
        comments: with any marker, by any author.
        changes: of its state.
        is_whole: whether `changes` has every change of the state.
    """

    comments: tuple[MarkedComment, ...]
    changes: tuple[StateChange, ...]
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class ClosingCommit:
    """A commit that closed an item, or one of a merged pull request that did.

    Args:
        id: its whole id.
        author: the email address of its author; "" if unknown. A rebase keeps it,
        authored: and the time at which the author made the commit; None if unknown.
        pull: the merged pull request that it belongs to, as octo/widgets#12; "" if none is told.
    """

    id: str
    author: str = ""
    authored: datetime | None = None
    pull: str = ""


@dataclass(frozen=True, slots=True)
class Background:
    """What an item says, and what closed it.

    Args:
        text: title, description and addresses of links, as text or markup; untrusted.
        is_strangers: whether a person wrote it who may not change items, as far as that is known.
        commits: those that closed it, in any repository.
        merges: how the subjects of commits begin that merged its pull requests ("Merged PR 12:"),
            where the tracker does not show the commits.
        left_out: what of this was not read, as "all but the last 5 closes"; "" if it is whole.
    """

    text: str
    is_strangers: bool = False
    commits: tuple[ClosingCommit, ...] = ()
    merges: tuple[str, ...] = ()
    left_out: str = ""


class Role(StrEnum):
    """The relation of a person to an item, and their rights in its repository."""

    AUTHOR = "author"
    ASSIGNEE = "assignee"
    TRIAGE = "triage"
    WRITE = "write"


class Closer(StrEnum):
    """The kind of author of a close; a change is a commit or a merged pull request."""

    PERSON = "person"
    BOT = "bot"
    WORKFLOW = "workflow"
    CHANGE = "change"
    UNLATCH = "unlatch"


class Obstacle(StrEnum):
    """The reason why a tracker cannot reopen an item for anyone."""

    MERGED = "merged"
    BRANCH_DELETED = "branch-deleted"


@dataclass(frozen=True, slots=True)
class Asker:
    """The author of a command.

    Args:
        account: the tracker's own id of the account, or its login.
        roles: those that the tracker confirms.
        teams: the groups of the setting that the tracker confirms, as they stand there.
        name: the one that is shown to people, if it is not the account; anybody may choose it.
        trusted: whether the repository's own settings name a group that gives the roles, so that
            they reach its increments although the item is in no repository.
    """

    account: str
    roles: frozenset[Role] = frozenset()
    teams: frozenset[str] = frozenset()
    name: str = ""
    trusted: bool = False

    @property
    def shown(self) -> str:
        """The name, on one line and shortened; the account if no character of it is visible."""
        return one_line(self.name)[:_LONGEST_NAME].strip() or self.account


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
        visibility: who alone sees the comment, as a value of the option `visibility`; empty for
            everybody who sees the item.
        marked: the item's newest comments with markers, the oldest first.
        obstacle: why the item cannot be reopened; None if the tracker tells of none.
        reopened: the reopen since the last close; None without one, or if unknown.
        labels: those of the item; None if they were not read.
    """

    ref: ItemRef
    id: str
    url: str
    text: str
    written: datetime
    asker: Asker
    close: LastClose
    is_open: bool
    visibility: str = ""
    marked: tuple[MarkedComment, ...] = ()
    obstacle: Obstacle | None = None
    reopened: StateChange | None = None
    labels: tuple[str, ...] | None = None

    @property
    def is_restricted(self) -> bool:
        """Whether not everybody who sees the item sees the comment."""
        return bool(self.visibility)


@dataclass(frozen=True, slots=True)
class NewComment:
    """A new comment in a list.

    Args:
        ref: the item that has it.
        id: within its item, as `SyncPlugin.read_asked` takes it.
        may_ask: whether a line of it begins like a command, as far as the list shows its text.
    """

    ref: ItemRef
    id: str
    may_ask: bool


def may_ask(text: str) -> bool:
    """Whether a line begins like a command, so that the comment is worth a request."""
    return any(line.lstrip().startswith("/") for line in text.splitlines())


def is_close_of_unlatch(close: datetime, posted: Iterable[datetime]) -> bool:
    """Whether unlatch closed an item with its account, which a person may use by hand as well.

    Args:
        posted: the times of the marked comments of the account that closed the item.
    """
    return any(timedelta() <= moment - close <= _COMMENTED_WITHIN for moment in posted)
