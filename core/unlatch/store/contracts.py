"""What an increment's files hold, as types: the JSON Schemas are made from them.

Only the schemas are; reading takes every shape that was ever found. Loads pydantic, so nothing that
has to be quick imports it.
"""

from typing import Annotated, Any, Literal, NotRequired, Optional

from pydantic import Field
from typing_extensions import TypedDict

from unlatch.domain.ids import ULID
from unlatch.domain.item import Category
from unlatch.domain.operation import Kind, Result
from unlatch.domain.status import Status
from unlatch.store import operation_record
from unlatch.store.operation_record import ATTEMPT, COMMENTS, OPERATION

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
    # Items that were to be closed and were not yet, which this reopen keeps open.
    struck: NotRequired[list[Word]]
    revertedAt: NotRequired[Time]
    # The ULID of the operation that undid it.
    revert: NotRequired[Ulid]
    syncedTo: NotRequired[dict[str, object]]


class SeenItem(TypedDict):
    """An item as its tracker described it, for undo."""

    state: str
    category: NotRequired[Category]
    labels: NotRequired[list[str]]
    # An opaque token that changes with the item, where the tracker has one.
    revision: NotRequired[str]


class SyncedDetails(TypedDict):
    """What a reopen did to an item, beside the item's id and address."""

    before: NotRequired[SeenItem]
    after: NotRequired[SeenItem]
    labelsAdded: NotRequired[list[str]]
    labelsRemoved: NotRequired[list[str]]


Words = Annotated[list[Word], Field(min_length=1)]
# The types that the tables of `operation_record` name.
TYPES: dict[str, object] = {
    "Ulid": Ulid,
    "Kind": Kind,
    "Word": Word,
    "Text": str,
    "Time": Time,
    "True": Literal[True],
    "False": Literal[False],
    "Comment": Literal[COMMENTS],
    "Words": Words,
    "Number": Annotated[int, Field(ge=0)],
    "SeenItem": SeenItem,
}


def record_type(name: str, fields: tuple[operation_record.Field, ...], doc: str) -> object:
    """The type of a record whose keys a table lists."""
    keys = {
        one.key: TYPES[one.type] if one.required else NotRequired[TYPES[one.type]] for one in fields
    }
    made: Any = TypedDict(name, keys)  # type: ignore[misc]  # the table is the definition
    made.__doc__ = doc
    return made


def entry_type(
    name: str, fields: tuple[operation_record.Field, ...], doc: str, more: dict[str, object]
) -> object:
    """The type of the same record in a JSON document: all keys, null where there is no value.

    Args:
        more: further keys, or other types for those of the table.
    """
    keys: dict[str, object] = {
        one.key: TYPES[one.type] if one.required else Optional[TYPES[one.type]]  # noqa: UP045
        for one in fields
    }
    made: Any = TypedDict(name, {**keys, **more})  # type: ignore[misc]  # as record_type
    made.__doc__ = doc
    return made


TYPES["Attempt"] = record_type("AttemptRecord", ATTEMPT, "The last attempt to deliver.")
PendingRecord = record_type("PendingRecord", OPERATION, "An operation that is not delivered yet.")


class Metadata(TypedDict):
    """metadata.json as unlatch writes it; what it does not name may stand beside it."""

    # 2 while a note about an attempt is pending; without the key it is 1.
    formatVersion: NotRequired[Literal[1, 2]]
    id: Word
    status: Status
    type: Word
    created: Time
    lastActivity: Time
    completedAt: NotRequired[Time]
    reopenHistory: NotRequired[list[ReopenRecord]]
    amendments: NotRequired[list[AmendmentRecord]]
    pending: NotRequired[list[PendingRecord]]  # type: ignore[valid-type]  # made above


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
    # Labels that the tracker refused for good.
    labelsRefused: NotRequired[list[str]]


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
