"""The types of an increment's files; reading is more tolerant.

It loads pydantic, so no quick command imports it.
"""

from functools import reduce
from operator import or_
from types import GenericAlias
from typing import Annotated, Any, Literal, NotRequired, Optional

from pydantic import Field
from typing_extensions import TypedDict

from unlatch.increments.model.status import Status
from unlatch.increments.records.bases import BASE, BOXES
from unlatch.increments.records.pending import ATTEMPT, CAUSE, COMMENTS, OPERATION, SEEN
from unlatch.increments.records.reopens import ALSO_BY, AMENDED, EFFECT, REOPEN, SYNCED, TASK
from unlatch.increments.records.status_events import LOG, UNWRITTEN
from unlatch.increments.records.units import UNIT_RECORD
from unlatch.spi.change import Result
from unlatch.spi.operation import Category, Kind
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
    "Marks": dict[str, str],
}


def record_type(record: Record, **more: object) -> Any:
    """The type of a record: the keys of its table, and `more`."""
    return _made(record.name, record, record.doc, more, without=NotRequired)


def entry_type(name: str, record: Record, doc: str, more: dict[str, object]) -> object:
    """The type of the same record in a JSON document, with all keys; null without a value.

    `more` has further keys, or other types for those of the table.
    """
    return _made(name, record, doc, more, without=Optional)


def _made(name: str, record: Record, doc: str, more: dict[str, object], *, without: Any) -> Any:
    types = ((field, TYPES[field.type.name]) for field in record.fields)
    keys = {
        field.key: annotations if field.required else without[annotations]
        for field, annotations in types
    }
    typed: Any = TypedDict(name, {**keys, **more})  # type: ignore[misc]  # the table defines it
    typed.__doc__ = doc
    return typed


TYPES["SeenItem"] = record_type(SEEN)
TYPES["Attempt"] = record_type(ATTEMPT)
TYPES["Tasks"] = GenericAlias(list, record_type(TASK))
TYPES["Cause"] = record_type(CAUSE)
TYPES["Causes"] = GenericAlias(list, TYPES["Cause"])
TYPES["AlsoBy"] = GenericAlias(list, record_type(ALSO_BY))
ReopenRecord: Any = record_type(REOPEN, syncedTo=NotRequired[dict[str, object]])
AmendmentRecord: Any = record_type(AMENDED)
PendingRecord: Any = record_type(OPERATION)
TYPES["Boxes"] = record_type(BOXES)
BaseRecord = record_type(BASE)
SyncedDetails = record_type(SYNCED, **{EFFECT: NotRequired[str]})
_METADATA = {
    # 2 while an attempt is recorded; 1 without the key.
    "formatVersion": NotRequired[Literal[1, 2]],
    "id": Word,
    # The ids before it was renamed.
    "formerIds": NotRequired[list[Word]],
    "status": Status,
    "type": Word,
    "created": Time,
    "lastActivity": Time,
    "completedAt": NotRequired[Time],
    "reopenHistory": NotRequired[list[ReopenRecord]],
    "amendments": NotRequired[list[AmendmentRecord]],
    "pending": NotRequired[list[PendingRecord]],
    # The names of the tests that guard the work.
    "guards": NotRequired[list[Word]],
    "unit": NotRequired[record_type(UNIT_RECORD)],
    # Lines that events.jsonl did not take, as on a full disk.
    UNWRITTEN: NotRequired[list[dict[str, object]]],
}
Metadata: Any = TypedDict("Metadata", _METADATA)  # type: ignore[misc]  # it refers to tables
Metadata.__doc__ = "metadata.json as unlatch writes it; other keys may be beside these."

_EVENTS = (record_type(record, event=Literal[word]) for word, record in LOG.types.items())
# One line of events.jsonl.
Event: Any = Annotated[reduce(or_, _EVENTS), Field(discriminator="event")]
