"""events.jsonl of an increment, and the types of events that a plain change of status writes.

The other types are loaded when a log is read, or by what writes them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Self

from unlatch.worklog.event_log import Event, EventLog
from unlatch.worklog.record import TEXT, WORDS, Type, key, record, text

if TYPE_CHECKING:
    from collections.abc import Callable

LOG = EventLog("events.jsonl", others="unlatch.increments.records.events")

# The key of metadata.json with events that found no room in the log.
UNWRITTEN = "unwrittenEvents"
# Words of other versions are kept, so these are read as any text.
STATUS = Type("Status", text)


@LOG.event("created")
@record
class Created(Event):
    """The increment was created."""

    to: str = key(STATUS)


class Signature(str):
    """A name of this user, which is the text itself.

    Args:
        is_declared: whether the user gave it with the command (`--by`).
        ask_git: returns the user's name in git; asked when an event is written.
    """

    __slots__ = ("ask_git", "is_declared")

    is_declared: bool
    ask_git: Callable[[], str | None]

    def __new__(cls, name: str, *, is_declared: bool, ask_git: Callable[[], str | None]) -> Self:
        signature = super().__new__(cls, name)
        signature.is_declared, signature.ask_git = is_declared, ask_git
        return signature


@record
class Moved(Event):
    origin: str = key(STATUS, "from")
    to: str = key(STATUS)


@record
class Signed(Moved):
    """A reopen, or its undo, with the names that `by` was chosen from.

    `gitName` is the name in git's configuration, and `declaredBy` that of `--by`.
    """

    git_name: str | None = key(TEXT, "gitName", default=None)
    declared_by: str | None = key(TEXT, "declaredBy", default=None)


def signed(event: Event) -> Event:
    """A new event, with the names of this user if its author is the one that the command has."""
    author = event.by
    if not isinstance(event, Signed) or not isinstance(author, Signature):
        return event
    declared = str(author) if author.is_declared else None
    return replace(event, git_name=author.ask_git(), declared_by=declared)


@LOG.event("transitioned")
@record
class Transitioned(Moved):
    """The status changed along the table."""

    reason: str | None = key(TEXT, default=None)
    # The refusals that were overridden.
    forced: tuple[str, ...] = key(WORDS, default=())
