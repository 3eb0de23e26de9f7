"""Taking a reopen back on one item: only what the reopen did, and only if nobody went on from it.

What the reopen did stands in its event: the item before and after, and the labels that it changed.
Where no event tells (the run died before it could write one) the reopen's marker on the item shows
at least that it got there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unlatch.domain.increment import Link
from unlatch.domain.item import Category
from unlatch.domain.operation import Change, Goal, Result
from unlatch.engine.finish import needed_by
from unlatch.store.events import read_events

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch.domain.increment import Increment, ReopenEntry
    from unlatch.domain.item import RemoteItem
    from unlatch.engine.workspace import Workspace
    from unlatch.store.events import Event

# Any other result says nothing about the state that the reopen found.
_TELLING = (Result.REOPENED.value, Result.ALREADY_OPEN.value)


@dataclass(frozen=True, slots=True)
class Done:
    """What a reopen did to an item.

    Args:
        opened: whether it was the reopen that opened it.
        goal: how it was closed before, if the reopen opened it.
        added: labels that it set.
        removed: labels that it took away.
        left: the states, labels and revisions that it left; more than one where it was interrupted.
    """

    opened: bool
    goal: Goal | None
    added: tuple[str, ...]
    removed: tuple[str, ...]
    left: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Taken:
    """What is to be done to an item whose reopen is undone.

    Args:
        change: what takes the reopen back, or None if the item is left as it is.
        note: what a person should know of it.
    """

    change: Change | None
    note: str | None = None


def entry_undone_by(increment: Increment, op: str) -> ReopenEntry | None:
    """The reopen that the undo `op` takes back."""
    return next((entry for entry in increment.reopens if entry.revert == op), None)


def done_by(increment: Increment, entry: ReopenEntry, item: RemoteItem, key: str) -> Done | None:
    """What a reopen did to an item, by its events; None if none tells.

    Args:
        key: how the operation names the item, which may have moved since.
    """
    events = [
        event for event in _delivered(increment, entry) if event.get("item") in _keys(item, key)
    ]
    telling = [event for event in events if event.get("result") in _TELLING]
    if not telling:
        return None
    opening = next((e for e in telling if e.get("result") == Result.REOPENED.value), None)
    return Done(
        opened=opening is not None,
        goal=_goal_of(opening) if opening else None,
        added=_labels(events, "labelsAdded"),
        removed=_labels(events, "labelsRemoved"),
        left=tuple(after for event in events if isinstance(after := event.get("after"), dict)),
    )


def was_reached(increment: Increment, entry: ReopenEntry, item: RemoteItem, key: str) -> bool:
    """Whether it is recorded that a reopen got to an item."""
    keys = _keys(item, key)
    if any(event.get("item") in keys for event in _delivered(increment, entry)):
        return True
    return any(keys & {synced.url, synced.item} for synced in entry.synced_to)


def plan_undo(
    workspace: Workspace,
    increment: Increment,
    done: Done,
    item: RemoteItem,
    said: Change,
    *,
    again: bool = False,
) -> Taken:
    """What takes back what a reopen did to an item, as it is now.

    Args:
        said: the change without its state and labels.
        again: whether an earlier attempt may have done a part of it.
    """
    why = touched(done, item)
    if why is not None and not (again and _is_half_undone(done, item)):
        return Taken(None, why)
    link = Link(item.ref.tracker, item.ref.id, item.ref.url)
    if done.opened and (needed := needed_by(workspace, increment, link)):
        return Taken(None, f"{', '.join(needed)} needs it")
    change = Change(
        said.op,
        goal=done.goal,
        comment=said.comment,
        add_labels=done.removed,
        remove_labels=done.added,
        mentions=said.mentions,
        revision=said.revision,
    )
    was_open = not done.opened and item.category.is_open
    return Taken(change, "it stays open, as the reopen found it" if was_open else None)


def touched(done: Done, item: RemoteItem) -> str | None:
    """How the item differs from what the reopen left, or None if nobody touched it since."""
    reasons = [_difference(left, item) for left in done.left]
    return None if None in reasons else next(reversed(reasons), "what it was left as is unknown")


def _difference(left: dict[str, Any], item: RemoteItem) -> str | None:
    if item.state != left.get("state"):
        return f"its state is {item.state} by now"
    if set(item.labels) != set(left.get("labels", [])):
        return "its labels were changed since"
    revision = left.get("revision")
    if revision is not None and item.revision is not None and item.revision != revision:
        return "it was changed since"
    return None


def _is_half_undone(done: Done, item: RemoteItem) -> bool:
    """Whether nothing but an earlier attempt at the undo need have touched the item.

    Its steps are the state, then the comment, then the labels; the revision moves with each.
    """
    return any(_leads_from(left, done, item) for left in done.left)


def _leads_from(left: dict[str, Any], done: Done, item: RemoteItem) -> bool:
    relabelled = set(item.labels) ^ set(left.get("labels", []))
    closed = done.opened and not item.category.is_open
    if not closed and (item.state != left.get("state") or not relabelled):
        return False
    return relabelled <= {*done.added, *done.removed}


def _delivered(increment: Increment, entry: ReopenEntry) -> list[Event]:
    return [
        event
        for event in read_events(increment.folder)
        if (event["event"], event.get("op")) == ("delivered", entry.id)
    ]


def _keys(item: RemoteItem, key: str) -> set[str]:
    return {item.ref.url, key}


def _goal_of(event: Event) -> Goal:
    before = event.get("before")
    category = before.get("category") if isinstance(before, dict) else None
    return Goal.NOT_PLANNED if category == Category.DROPPED.value else Goal.COMPLETED


def _labels(events: Iterable[Event], key: str) -> tuple[str, ...]:
    listed = (label for event in events for label in event.get(key, ()))
    return tuple(dict.fromkeys(str(label) for label in listed))
