"""Taking a reopen back on one item: only what the reopen did, and only if nobody went on from it.

What the reopen did stands in its event: the item before and after. Where there is no event (the run
died before it could write one) the reopen's marker on the item tells at least that it got there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unlatch.domain.operation import Change, Goal, Result
from unlatch.store.events import read_events

if TYPE_CHECKING:
    from unlatch.domain.increment import Increment, ReopenEntry
    from unlatch.domain.item import RemoteItem
    from unlatch.domain.text import Text


@dataclass(frozen=True, slots=True)
class Done:
    """What a reopen did to an item.

    Args:
        opened: whether it was the reopen that opened it.
        added: labels that it set.
        removed: labels that it took away.
        after: the state, labels and revision that it left, as the event has them.
    """

    opened: bool
    added: tuple[str, ...]
    removed: tuple[str, ...]
    after: dict[str, Any]


def entry_undone_by(increment: Increment, op: str) -> ReopenEntry | None:
    """The reopen that the undo `op` takes back."""
    return next((entry for entry in increment.reopens if entry.revert == op), None)


def done_by(increment: Increment, entry: ReopenEntry, item: RemoteItem) -> Done | None:
    """What a reopen did to an item, by its event; None if there is no event."""
    for event in read_events(increment.folder):
        told = (event.get("event"), event.get("op"), event.get("item"))
        if told == ("delivered", entry.id, item.ref.url):
            return _done(event)
    return None


def _done(event: dict[str, Any]) -> Done | None:
    before, after = event.get("before"), event.get("after")
    if not isinstance(before, dict) or not isinstance(after, dict):
        return None
    had, has = before.get("labels", []), after.get("labels", [])
    return Done(
        opened=event.get("result") == Result.REOPENED.value,
        added=tuple(label for label in has if label not in had),
        removed=tuple(label for label in had if label not in has),
        after=after,
    )


def touched(done: Done, item: RemoteItem) -> str | None:
    """How the item differs from what the reopen left, or None if nobody touched it since."""
    if item.state != done.after.get("state"):
        return f"its state is {item.state} by now"
    if set(item.labels) != set(done.after.get("labels", [])):
        return "its labels were changed since"
    revision = done.after.get("revision")
    if revision is not None and item.revision is not None and item.revision != revision:
        return "it was changed since"
    return None


def undoing_change(op: str, done: Done, comment: Text | None, *, mentions: bool) -> Change:
    """The change that takes back what a reopen did."""
    return Change(
        op,
        goal=Goal.COMPLETED if done.opened else None,
        comment=comment,
        add_labels=done.removed,
        remove_labels=done.added,
        mentions=mentions,
    )
