"""The past of an item, as its tracker shows it."""

from datetime import datetime

from unlatch.values import dataclass


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
