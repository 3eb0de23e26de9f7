"""Find what a reopen or close of an item answers, so that every machine gives it the same id."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from unlatch.errors import UnlatchError
from unlatch.increments.files.changes.ids import item_id
from unlatch.increments.model.link import Link
from unlatch.increments.records.events import Delivered, read_events
from unlatch.increments.records.links import identity
from unlatch.spi import Capability
from unlatch.spi.change import Goal, must_move
from unlatch.spi.operation import Kind

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from unlatch.increments.model.increment import Increment
    from unlatch.project.trackers import Trackers
    from unlatch.spi import ItemHistory, ItemRef, RemoteItem, StateChange


def own_id(
    ended: Collection[str],
    kind: Kind,
    ref: ItemRef,
    text: str | None,
    answered: datetime | None,
    *,
    is_due: bool,
) -> str | None:
    """The id of an operation on one item; None if nothing shows what it answers.

    It is the same for an item of an increment and for an item alone. If an operation that had ended
    has this id, and the item must move nevertheless, then it was closed twice in a second.

    Args:
        ended: `ended_operations` from before the item was read: another process may have delivered
            this operation since.
        text: the key, else the reason.
        is_due: whether the item, as it was read, must move.
    """
    op = item_id(kind.value, identity(_link(ref)), text, answered)
    return None if is_due and op in ended else op


def _link(ref: ItemRef) -> Link:
    return Link(ref.tracker, ref.id, ref.url)


def ended_operations(record: Increment) -> frozenset[str]:
    """The operations of an increment, or of the record of an item, that are not pending."""
    return frozenset(
        known_operations(record).difference(operation.op for operation in record.pending)
    )


def known_operations(record: Increment) -> set[str]:
    """The operations of an increment, or of the record of an item."""
    events = read_events(record.folder) if record.folder.exists() else ()
    delivered = {event.op for event in events if isinstance(event, Delivered)}
    pending = {operation.op for operation in record.pending}
    return delivered | pending | {reopen.id for reopen in record.reopens}


def find_answered(trackers: Trackers, item: RemoteItem, kind: Kind) -> datetime | None:
    """The time of the last close, for a reopen; of the last reopen or the creation, for a close.

    Another machine may have delivered the same operation already: the answer is the same, from the
    item's history. None if the tracker does not show it.
    """
    opens = kind is Kind.REOPEN
    if item.state_since is not None and must_move(item, Goal.OPEN if opens else Goal.COMPLETED):
        return item.state_since
    try:
        history = read_history(trackers, item)
    except UnlatchError:
        return None  # delivery reports whether the item can be read
    changes = history.changes if history else ()
    answered = [change.at for change in changes if change.is_open is (not opens)]
    if answered:
        return answered[-1]
    is_known = history is not None and history.is_whole and _all_known(changes)
    return item.created if is_known and not opens else None


def _all_known(changes: Sequence[StateChange]) -> bool:
    return all(change.is_open is not None for change in changes)


def read_history(trackers: Trackers, item: RemoteItem) -> ItemHistory | None:
    """The past of an item; None if its plugin cannot read it."""
    manifest = trackers.registry.manifest(item.ref.tracker)
    if Capability.HISTORY not in manifest.capabilities:
        return None
    with trackers.planning(_link(item.ref)):
        return trackers.open(item.ref.tracker).read_history(item.ref)


def unfinished_attempt(trackers: Trackers, item: RemoteItem) -> datetime | None:
    """The time of the close that this account took back without a comment, as if interrupted.

    None if another account opened the item, if a comment with a marker of ours follows that reopen,
    or if the history does not show who opened it.

    Raises:
        UnlatchError: the history cannot be read.
    """
    history = read_history(trackers, item)
    closed, opened = _last_reopen(history.changes if history else ()) or (None, None)
    if history is None or closed is None or opened is None or not opened.own:
        return None
    is_said = any(
        comment.own is not False and (comment.created is None or comment.created >= opened.at)
        for comment in history.comments
    )
    return None if is_said else closed.at


def _last_reopen(changes: Sequence[StateChange]) -> tuple[StateChange, StateChange] | None:
    """The last close that was taken back, and the change that did; None if unknown."""
    for before, after in reversed([*pairwise(changes)]):
        if before.is_open is None or after.is_open is None:
            return None
        if after.is_open and not before.is_open:
            return before, after
    return None
