"""The types of an increment's files, for the JSON Schemas; reading is more tolerant.

It loads pydantic, so no quick command imports it.
"""

from functools import reduce
from operator import or_
from types import GenericAlias
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, Optional, TypeAlias

from pydantic import Field
from typing_extensions import TypedDict

from unlatch.increments.model.status import Status
from unlatch.increments.records.events import LOG
from unlatch.increments.records.links import BASE
from unlatch.increments.records.pending import ATTEMPT, COMMENTS, OPERATION, SEEN
from unlatch.increments.records.reopens import AMENDED, REOPEN, SYNCED, TASK
from unlatch.spi.item import Category
from unlatch.spi.operation import Kind, Result
from unlatch.worklog import record
from unlatch.worklog.ids import ULID
from unlatch.worklog.record import Record

ULID_PATTERN = f"^{ULID.pattern}$"
TIME_PATTERN = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$"

Ulid = Annotated[str, Field(pattern=ULID_PATTERN)]
Time = Annotated[str, Field(pattern=TIME_PATTERN)]
Word = Annotated[str, Field(min_length=1)]


# The types that the tables of records name.
TYPES: dict[str, object] = {
    "Ulid": Ulid,
    "Kind": Kind,
    "Status": Status,
    "Category": Category,
    "Word": Word,
    "Text": str,
    "Time": Time,
    "True": Literal[True],
    "False": Literal[False],
    "Comment": Literal[COMMENTS],
    "Words": list[Word],
    "Texts": list[str],
    "Set": Annotated[list[Word], Field(min_length=1)],
    "Flag": bool,
    "Result": Result,
    "Number": Annotated[int, Field(ge=0)],
}


def record_type(record: Record, **more: object) -> Any:
    """The type of a record whose keys a table lists.

    Args:
        more: further keys.
    """
    keys = {one.key: _type(one, NotRequired) for one in record.fields}
    made: Any = TypedDict(record.name, {**keys, **more})  # type: ignore[misc]  # the table defines it
    made.__doc__ = record.doc
    return made


def entry_type(name: str, record: Record, doc: str, more: dict[str, object]) -> object:
    """The type of the same record in a JSON document: all keys, null where there is no value.

    Args:
        more: further keys, or other types for those of the table.
    """
    keys = {one.key: _type(one, Optional) for one in record.fields}
    made: Any = TypedDict(name, {**keys, **more})  # type: ignore[misc]  # as record_type
    made.__doc__ = doc
    return made


def _type(field: record.Field, without: Any) -> object:
    found = TYPES[field.type.name]
    return found if field.required else without[found]


TYPES["SeenItem"] = record_type(SEEN)
TYPES["Attempt"] = record_type(ATTEMPT)
TYPES["Tasks"] = GenericAlias(list, record_type(TASK))
if TYPE_CHECKING:
    ReopenRecord: TypeAlias = dict[str, Any]
    AmendmentRecord: TypeAlias = dict[str, Any]
    PendingRecord: TypeAlias = dict[str, Any]
    SeenItem: TypeAlias = dict[str, Any]
else:
    ReopenRecord = record_type(REOPEN, syncedTo=NotRequired[dict[str, object]])
    AmendmentRecord = record_type(AMENDED)
    PendingRecord = record_type(OPERATION)
    SeenItem = TYPES["SeenItem"]
BaseRecord = record_type(BASE)
SyncedDetails = record_type(SYNCED)


class Metadata(TypedDict):
    """metadata.json as unlatch writes it; other keys may be beside these."""

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
    pending: NotRequired[list[PendingRecord]]


_EVENTS = (record_type(one, event=Literal[word]) for word, one in LOG.types.items())
# One line of events.jsonl.
Event: Any = Annotated[reduce(or_, _EVENTS), Field(discriminator="event")]
