"""Two clones may post a comment at once; each takes back its own, unless it is the earliest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import TrackerError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.spi import SyncPlugin
    from unlatch.spi.item import CommentRef, ItemRef


def retract_surplus(plugin: SyncPlugin, ref: ItemRef, op: str, posted: str | None) -> Iterator[str]:
    """Delete the comments of an operation that are ours and not the earliest; yields remarks.

    A comment that cannot be deleted, or that another account posted, stays and is remarked upon:
    everything was delivered all the same.

    Args:
        posted: the id of the comment that this run has posted, where the tracker says so.

    Raises:
        TrackerError: the comments cannot be listed, so that it is not known whether all is done.
    """
    for surplus in plugin.find_comments(ref, op)[1:]:
        if surplus.own or surplus.id == posted:
            yield from _retract(plugin, ref, surplus)
        else:
            yield f"another account posted the comment a second time (comment {surplus.id})"


def _retract(plugin: SyncPlugin, ref: ItemRef, surplus: CommentRef) -> Iterator[str]:
    try:
        plugin.retract_comment(ref, surplus)
    except TrackerError as error:
        yield f"a second copy of the comment (comment {surplus.id}) stays: {error.message}"
