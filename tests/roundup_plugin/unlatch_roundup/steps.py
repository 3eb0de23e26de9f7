"""What is left to be done to an issue: the same for doing it and for planning it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.spi import must_move

if TYPE_CHECKING:
    from unlatch.spi import Change, RemoteItem
    from unlatch_roundup.settings import RoundupSettings


@dataclass(frozen=True, slots=True)
class Steps:
    """The difference between an issue and a change.

    Args:
        status: the status to set. It is sent along with every message, because Roundup makes an
            issue `chatting` when a message is added and nothing is said about its status.
        keywords: the keywords to set, all of them, or None to leave them.
        new_keywords: those that the issue has not; the tracker may lack them too.
        comment: whether there is something to say.
    """

    status: str | None
    keywords: tuple[str, ...] | None
    new_keywords: tuple[str, ...]
    comment: bool

    @property
    def is_empty(self) -> bool:
        """Whether the issue is as it shall be."""
        return self.status is None and self.keywords is None


def steps(item: RemoteItem, change: Change, settings: RoundupSettings) -> Steps:
    """What is left to be done."""
    status = item.state if change.comment is not None else None
    if change.goal is not None and must_move(item, change.goal):
        status = settings.status_for(change.goal)
    new = tuple(name for name in change.add_labels if name not in item.labels)
    kept = tuple(name for name in item.labels if name not in change.remove_labels)
    keywords = (*kept, *new)
    return Steps(
        status=status,
        keywords=None if keywords == item.labels else keywords,
        new_keywords=new,
        comment=change.comment is not None,
    )
