"""The parts of documents: the name of each in the schemas, its meaning, its keys and types."""

from types import GenericAlias
from typing import Any, Literal

from typing_extensions import TypedDict

from unlatch.increments.model.rule_violation import Policy
from unlatch.increments.model.status import Status
from unlatch.increments.records.contracts import entry_type
from unlatch.increments.records.operation import OPERATION
from unlatch.spi.item import Category
from unlatch.spi.operation import Kind


def entry(name: str, meaning: str, /, **keys: Any) -> Any:
    """The type of an object with these keys, all of which are always there."""
    made: Any = TypedDict(name, keys)  # type: ignore[misc]  # the call's keywords define it
    made.__doc__ = meaning
    return made


def each(kind: Any, /, *keys: str) -> dict[str, Any]:
    """Several keys of one type."""
    return dict.fromkeys(keys, kind)


def list_of(kind: Any) -> Any:
    """The type of a list."""
    return GenericAlias(list, kind)


Text = str | None
# A record as it stands in an increment's file, with the keys of other programs.
Record = dict[str, Any]

Problem = entry("Problem", "The error of one item.", id=str, message=str, hint=Text)
ERROR: dict[str, Any] = {"error": Problem | None}
Failure = entry(
    "Failure",
    "The error that ended a command.",
    **each(str, "id", "message"),
    **each(Text, "where", "hint"),
    problems=list[str],
)
Broken = entry(
    "Broken", "The error of an increment that cannot be read.", id=str, reason=str, hint=Text
)

# Increments

MovedIncrement = entry(
    "MovedIncrement",
    "An increment whose status may have changed.",
    id=str,
    **each(Status, "status", "previousStatus"),
)
NewIncrement = entry("NewIncrement", "An increment that was made.", id=str, status=Status, path=str)
WouldBe = entry(
    "WouldBe",
    "An increment, and the status that it would have.",
    id=str,
    **each(Status, "status", "wouldBe"),
)
ITEM: dict[str, Any] = {"tracker": str, "id": str, "url": Text}
LinkEntry = entry("LinkEntry", "An increment's link to one item.", **ITEM)
ListEntry = entry(
    "ListEntry",
    "An increment in a list.",
    id=str,
    title=Text,
    status=Status | None,
    type=Text,
    archived=bool,
    **each(Text, "created", "completedAt", "lastActivity"),
    links=list_of(LinkEntry),
    **each(int, "reopens", "pending"),
    broken=Broken | None,
)
LimitsEntry = entry(
    "LimitsEntry",
    "The limits of increments in progress and of idle time.",
    **each(int | None, "maxActive", "hardCap"),
    perType=dict[str, int],
    canInterrupt=list[str],
    policy=Policy,
    staleAfter=dict[str, int],
)
# `over` names the settings whose limits are exceeded.
WipEntry = entry(
    "WipEntry", "The increments in progress.", active=int, types=dict[str, int], over=list[str]
)
StaleEntry = entry(
    "StaleEntry",
    "An increment without activity for too long.",
    increment=str,
    status=Status,
    days=int,
)

# Operations: their keys come from the table of the file

_STATE: dict[str, Any] = {"state": bool}
_OF = {**_STATE, "increment": str}
_WAITING = {**_OF, "attempts": int, "nextTry": Text, "blocked": bool}
PendingEntry: Any = entry_type("PendingEntry", OPERATION, "An operation to be delivered.", _STATE)
PendingOf: Any = entry_type("PendingOf", OPERATION, "The same, with its increment.", _OF)
WaitingEntry: Any = entry_type(
    "WaitingEntry",
    OPERATION,
    "The same, with the attempts that count, and when it is tried again.",
    _WAITING,
)

# Items

_OUTCOMES = (
    *("reopened", "already-open", "closed", "already-closed", "created"),
    *("updated", "skipped", "pending", "failed"),
)
_RESUME_OUTCOMES = ("reopened", "already-open", "updated", "pending", "skipped", "failed")
# `notes`: such as what undo left as it is, or what the tracker did not take.
_SENT: dict[str, Any] = {"requests": int, "notes": list[str], **ERROR}
DeliveryEntry = entry(
    "DeliveryEntry",
    "The result of one operation.",
    **ITEM,
    kind=Kind,
    outcome=Literal[_OUTCOMES],
    **_SENT,
)
ResumeEntry = entry(
    "ResumeEntry",
    "The result of one item of an increment that was resumed.",
    **ITEM,
    outcome=Literal[_RESUME_OUTCOMES],
    **_SENT,
)
ItemEntry = entry(
    "ItemEntry",
    "An item as its tracker describes it now.",
    **ITEM,
    **each(Text, "title", "type", "state"),
    category=Category | None,
    labels=list[str],
    assignee=Text,
    **ERROR,
)
IncrementItems = entry(
    "IncrementItems",
    "An increment, and its items on one tracker.",
    id=str,
    status=Status,
    items=list_of(ItemEntry),
)
Spared = entry(
    "Spared",
    "An item that stays open because other increments need it.",
    **ITEM,
    neededBy=list[str],
)
PreviewedRequest = entry(
    "PreviewedRequest", "A request that would be sent.", method=str, url=str, what=str
)
PreviewedItem = entry(
    "PreviewedItem",
    "An item, and its planned change.",
    **ITEM,
    **each(Text, "state", "comment"),
    **each(list[str], "addLabels", "removeLabels"),
    owedSince=Text,
    requests=list_of(PreviewedRequest),
    **ERROR,
)
PreviewedIncrement = entry(
    "PreviewedIncrement",
    "One of several increments, and the planned changes of its items.",
    increment=WouldBe,
    items=list_of(PreviewedItem),
    requests=int,
    warnings=list_of(Problem),
)

# Changes of scope, and resuming many

AddedTask = entry(
    "AddedTask", "A task that was added.", id=str, title=str, story=Text, criteria=list[str]
)
TaskCounts = entry(
    "TaskCounts",
    "How many tasks there are, discarded ones left out.",
    **each(int, "total", "original", "new"),
)
# The coverage target is in percent, if the files name one. `spared` are the items of other user
# stories, which are left alone; the next command writes the files in `unwritten`.
ScopeEntry = entry(
    "ScopeEntry",
    "New work, or parts to be done again.",
    change=Text,
    parts=list[str],
    newTasks=list_of(AddedTask),
    tasks=TaskCounts,
    coverageTarget=float | None,
    spared=list_of(LinkEntry),
    unwritten=list[str],
)
ResumedEntry = entry(
    "ResumedEntry",
    "One of the increments that were resumed.",
    id=str,
    **each(Status, "status", "previousStatus"),
    reopen=Text,
    trackers=list_of(ResumeEntry),
    left=int,
    scope=ScopeEntry | None,
    warnings=list_of(Problem),
    **ERROR,
)

# Histories

EventEntry = entry(
    "EventEntry",
    "An event as its file has it, with whatever else stands there.",
    **each(str, "id", "at", "event"),
)
CategoryCount = entry(
    "CategoryCount",
    "How many reopens there were for one kind of reason; null where none was named.",
    category=Text,
    reopens=int,
)
ReopenSummary = entry(
    "ReopenSummary",
    "One reopen among others.",
    **each(str, "id", "reopenedAt", "reopenedBy", "reason"),
    category=Text,
    daysAfterCompletion=float | None,
)
ReopenedEntry = entry(
    "ReopenedEntry",
    "An increment that was reopened.",
    **each(str, "id", "title"),
    reopens=list_of(ReopenSummary),
)
