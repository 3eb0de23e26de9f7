"""Intended changes to items, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from unlatch.domain.item import RemoteItem
    from unlatch.domain.text import Text


class Kind(StrEnum):
    """What an operation is for."""

    REOPEN = "reopen"
    CLOSE = "close"
    CREATE = "create"
    UPDATE = "update"
    UNDO = "undo"


@dataclass(frozen=True, slots=True)
class Manner:
    """How an operation is to be carried out where the person who asked for it said so.

    Kept with the operation, so that whoever delivers it later does it in the same way.

    Args:
        comment: how much to say ("full", "short", "none"), or None for what is configured.
        even_if_not_planned: also reopen what was closed on purpose.
        options: options that plugins declare in their manifests ("allow-path").
    """

    comment: str | None = None
    even_if_not_planned: bool = False
    options: tuple[str, ...] = ()


AS_CONFIGURED = Manner()


@dataclass(frozen=True, slots=True)
class Operation:
    """One intended change to one item, as it waits in `pending`.

    Args:
        op: the ULID of the intent; on one item an intent acts once.
        kind: what it is for.
        tracker: the plugin's name.
        item: the item's web address, or its own id where no address is known; for a create, the
            target that will hold the item.
        at: when the intent was made.
        by: who made it, where no reopenHistory entry says so.
        reason: why, where no reopenHistory entry says so.
        state: False once a later change of status has overtaken the state step; what is left of
            the operation is its comment.
        manner: how it is to be carried out.
        story: the user story that an item is made for; None for the increment as a whole.
        cause: the id of the error that parked it.
        parked_at: when it was given up until somebody asks for it again.
    """

    op: str
    kind: Kind
    tracker: str
    item: str
    at: datetime
    by: str | None = None
    reason: str | None = None
    state: bool = True
    manner: Manner = AS_CONFIGURED
    story: str | None = None
    cause: str | None = None
    parked_at: datetime | None = None


class Goal(StrEnum):
    """The state that a change wants an item to be in."""

    OPEN = "open"
    COMPLETED = "completed"
    NOT_PLANNED = "not-planned"


@dataclass(frozen=True, slots=True)
class Change:
    """What a plugin is asked to do to one item, in the tracker's order: state, comment, labels.

    Args:
        op: the ULID of the operation; the comment carries it as its marker.
        goal: the state to reach, or None to leave the state alone.
        comment: what to say, without the marker, or None to say nothing.
        add_labels: labels or tags that the item shall have.
        remove_labels: labels or tags that it shall not have; one that is absent is no error.
        even_if_deliberate: also reopen what was closed on purpose.
        mentions: let @names and references in the comment take effect, where the tracker reads
            them from text.
        revision: what the item's revision was before it was found without this operation's marker;
            if it has another one by now, somebody may have posted the marker meanwhile, and a
            plugin that guards its writes by revisions raises Conflict in place of writing.
        options: options of the plugin's manifest that were asked for.
    """

    op: str
    goal: Goal | None = None
    comment: Text | None = None
    add_labels: tuple[str, ...] = ()
    remove_labels: tuple[str, ...] = ()
    even_if_deliberate: bool = False
    mentions: bool = False
    revision: str | None = None
    options: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Draft:
    """What an item made from an increment, or from one of its user stories, shall say.

    Args:
        increment: the increment's id (the folder's name).
        title: the item's title.
        type: the increment's type ("feature", "bug"), for trackers with item types.
        body: the part of the item's body that unlatch keeps; people may write around it.
        story: the user story that it is about; None for the increment as a whole.
        wishes: what the increment's files say about its items beyond that, by the keys that they
            use ("milestone", "assignees", "areaPath", "parent"): untrusted values. A plugin takes
            what it knows.
    """

    increment: str
    title: str
    type: str | None
    body: Text
    story: str | None = None
    wishes: Mapping[str, Any] = field(default_factory=dict)


class Result(StrEnum):
    """What a plugin did, as the tracker's answers show it."""

    REOPENED = "reopened"
    ALREADY_OPEN = "already-open"
    CLOSED = "closed"
    ALREADY_CLOSED = "already-closed"
    CREATED = "created"
    UPDATED = "updated"
    # The state was left alone by wish; comment or labels may have changed.
    STATE_KEPT = "state-kept"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a change; everything in it was read from the tracker's answers.

    Args:
        result: what happened to the item's state.
        before: the item as it was before the first write, for undo; None for a create.
        after: the item as the tracker described it after the last write.
        commented: whether this call posted the comment.
        labels_added: labels that the item has now and had not before.
        labels_removed: labels that the item had before and has not now.
        notes: what a person should know (labels that were dropped, a tag that may not be made).
    """

    result: Result
    before: RemoteItem | None
    after: RemoteItem
    commented: bool = False
    labels_added: tuple[str, ...] = ()
    labels_removed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def must_move(item: RemoteItem, goal: Goal) -> bool:
    """Whether `item` is not on the side of open and closed that `goal` wants it on."""
    return item.category.is_open != (goal is Goal.OPEN)


def is_held_closed(item: RemoteItem, change: Change) -> bool:
    """Whether `item` was closed on purpose, and `change` may not reopen such a one."""
    return change.goal is Goal.OPEN and item.deliberate and not change.even_if_deliberate


def result_of(goal: Goal | None, *, was_open: bool) -> Result:
    """The result of reaching `goal` from a state that was open or not."""
    if goal is None:
        return Result.STATE_KEPT
    if goal is Goal.OPEN:
        return Result.ALREADY_OPEN if was_open else Result.REOPENED
    return Result.CLOSED if was_open else Result.ALREADY_CLOSED
