"""What an increment's files hold, as types: the JSON Schemas are made from them.

Only the schemas are; reading takes every shape that was ever found. Loads pydantic, so nothing that
has to be quick imports it.
"""

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from unlatch.domain.ids import ULID
from unlatch.domain.item import Category
from unlatch.domain.operation import Kind, Result
from unlatch.domain.status import Status

ULID_PATTERN = f"^{ULID.pattern}$"
TIME_PATTERN = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$"

Ulid = Annotated[str, Field(pattern=ULID_PATTERN)]
Time = Annotated[str, Field(pattern=TIME_PATTERN)]
Word = Annotated[str, Field(min_length=1)]


class BaseRecord(TypedDict):
    """What both sides of a link were when they were last in step."""

    local: Status
    remote: Category
    state: str


class TaskRecord(TypedDict):
    """A task that was added to the work."""

    id: Word
    title: Word
    story: NotRequired[Word]
    criteria: NotRequired[list[Word]]
    description: NotRequired[str]


class _Amendment(TypedDict):
    # What there is more to do.
    scopeChange: NotRequired[Word]
    newTasks: NotRequired[list[TaskRecord]]
    # Tasks, user stories and criteria that are to be done again.
    parts: NotRequired[list[Word]]
    # The documents that have yet to say so; the next command writes them.
    unwritten: NotRequired[list[Word]]


class AmendmentRecord(_Amendment):
    """A change of the work that no reopen came with."""

    id: Ulid
    at: Time
    by: Word
    reason: NotRequired[Word]


class ReopenRecord(_Amendment):
    """One reopen: when, why, by whom, and which items it reached."""

    id: Ulid
    reopenedAt: Time
    reason: Word
    previousStatus: Status
    # As the file had it, so in whatever spelling that was.
    previousCompletedAt: NotRequired[str]
    reopenedBy: Word
    # The kind of reason that it was, where one was named.
    category: NotRequired[Word]
    source: NotRequired[str]
    # The refusals that it was made in spite of.
    forced: NotRequired[list[Word]]
    revertedAt: NotRequired[Time]
    # The ULID of the operation that undid it.
    revert: NotRequired[Ulid]
    syncedTo: NotRequired[dict[str, object]]


class PendingRecord(TypedDict):
    """An operation that an item is still owed."""

    op: Ulid
    kind: Kind
    tracker: Word
    item: Word
    at: Time
    by: NotRequired[str]
    reason: NotRequired[str]
    # How it is to be carried out, where the person who asked for it said so.
    comment: NotRequired[Literal["full", "short", "none"]]
    evenIfNotPlanned: NotRequired[Literal[True]]
    state: NotRequired[Literal[False]]
    cause: NotRequired[str]
    parkedAt: NotRequired[Time]


class Metadata(TypedDict):
    """metadata.json as unlatch writes it; what it does not name may stand beside it."""

    formatVersion: NotRequired[Literal[1]]
    id: Word
    status: Status
    type: Word
    created: Time
    lastActivity: Time
    completedAt: NotRequired[Time]
    reopenHistory: NotRequired[list[ReopenRecord]]
    amendments: NotRequired[list[AmendmentRecord]]
    pending: NotRequired[list[PendingRecord]]


class _Event(TypedDict):
    id: Ulid
    at: Time
    by: str


class Created(_Event):
    """The increment was made."""

    event: Literal["created"]
    to: Status


_Moved = TypedDict("_Moved", {"from": Status, "to": Status})


class Transitioned(_Event, _Moved):
    """Its status changed along the table."""

    event: Literal["transitioned"]
    reason: NotRequired[str]
    # The refusals that it was made in spite of.
    forced: NotRequired[list[Word]]


class _Amended(TypedDict):
    scopeChange: NotRequired[Word]
    # The ids of the tasks that were added.
    tasks: NotRequired[list[Word]]
    # What is to be done again.
    parts: NotRequired[list[Word]]


class Amended(_Event, _Amended):
    """The work was changed, and the status stayed."""

    event: Literal["amended"]
    reason: NotRequired[str]


class Reopened(_Event, _Moved, _Amended):
    """It was completed and is active again; the id is that of the entry in reopenHistory."""

    event: Literal["reopened"]
    reason: str
    category: NotRequired[Word]
    forced: NotRequired[list[Word]]


class Undone(_Event, _Moved):
    """A reopen was taken back."""

    event: Literal["undone"]
    reopen: Ulid
    reason: NotRequired[str]


class SeenItem(TypedDict):
    """An item as its tracker described it, for undo."""

    state: str
    category: NotRequired[Category]
    labels: list[str]
    # An opaque token that changes with the item, where the tracker has one.
    revision: NotRequired[str]


class Delivered(_Event):
    """An operation reached its item."""

    event: Literal["delivered"]
    op: Ulid
    kind: Kind
    tracker: str
    item: str
    result: Result
    commented: bool
    # Before the first write, and after the last one.
    before: NotRequired[SeenItem]
    after: NotRequired[SeenItem]
    # What this operation changed, whatever people changed meanwhile.
    labelsAdded: NotRequired[list[str]]
    labelsRemoved: NotRequired[list[str]]


class Parked(_Event):
    """An operation waits for somebody to do something about it."""

    event: Literal["parked"]
    op: Ulid
    tracker: str
    item: str
    cause: str


class Linked(_Event):
    """An item was tied to the increment."""

    event: Literal["linked"]
    tracker: str
    item: str


class Unlinked(_Event):
    """The tie to an item was cut."""

    event: Literal["unlinked"]
    tracker: str
    item: str


Event = Annotated[
    Created | Transitioned | Reopened | Amended | Undone | Delivered | Parked | Linked | Unlinked,
    Field(discriminator="event"),
]
