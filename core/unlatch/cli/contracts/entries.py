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


def list_of(kind: Any) -> Any:
    """The type of a list."""
    return GenericAlias(list, kind)


Text = str | None
# A record as it stands in an increment's file, with the keys of other programs.
Record = dict[str, Any]

Problem = entry("Problem", "Why one item could not be served.", id=str, message=str, hint=Text)
ERROR: dict[str, Any] = {"error": Problem | None}
Failure = entry(
    "Failure",
    "Why a command failed.",
    id=str,
    message=str,
    where=Text,
    hint=Text,
    problems=list[str],
)
Broken = entry("Broken", "Why an increment cannot be read.", id=str, reason=str, hint=Text)

# Increments

MovedIncrement = entry(
    "MovedIncrement",
    "An increment whose status may have changed.",
    id=str,
    status=Status,
    previousStatus=Status,
)
NewIncrement = entry("NewIncrement", "An increment that was made.", id=str, status=Status, path=str)
WouldBe = entry(
    "WouldBe",
    "An increment, and the status that it would have.",
    id=str,
    status=Status,
    wouldBe=Status,
)
ITEM: dict[str, Any] = {"tracker": str, "id": str, "url": Text}
LinkEntry = entry("LinkEntry", "An increment's tie to one item.", **ITEM)
ListEntry = entry(
    "ListEntry",
    "An increment in a list.",
    id=str,
    title=Text,
    status=Status | None,
    type=Text,
    archived=bool,
    created=Text,
    completedAt=Text,
    lastActivity=Text,
    links=list_of(LinkEntry),
    reopens=int,
    pending=int,
    broken=Broken | None,
)
LimitsEntry = entry(
    "LimitsEntry",
    "How much may be worked on at once, and for how long nothing may be done.",
    maxActive=int | None,
    hardCap=int | None,
    perType=dict[str, int],
    canInterrupt=list[str],
    policy=Policy,
    staleAfter=dict[str, int],
)
# `over` names the settings whose limits are exceeded.
WipEntry = entry(
    "WipEntry", "How much is worked on at once.", active=int, types=dict[str, int], over=list[str]
)
StaleEntry = entry(
    "StaleEntry",
    "An increment on which nothing was done for too long.",
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
    title=Text,
    type=Text,
    state=Text,
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
    "An item, and what would be done to it.",
    **ITEM,
    state=Text,
    comment=Text,
    addLabels=list[str],
    removeLabels=list[str],
    owedSince=Text,
    requests=list_of(PreviewedRequest),
    **ERROR,
)
PreviewedIncrement = entry(
    "PreviewedIncrement",
    "One of many increments, and what its items would be sent.",
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
    total=int,
    original=int,
    new=int,
)
# The coverage target is in percent, if the files name one. `spared` are the items of other user
# stories, which are left alone; the next command writes the files in `unwritten`.
ScopeEntry = entry(
    "ScopeEntry",
    "More work, or parts of it to be done again.",
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
    status=Status,
    previousStatus=Status,
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
    id=str,
    at=str,
    event=str,
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
    id=str,
    reopenedAt=str,
    reopenedBy=str,
    reason=str,
    category=Text,
    daysAfterCompletion=float | None,
)
ReopenedEntry = entry(
    "ReopenedEntry",
    "An increment that was reopened.",
    id=str,
    title=str,
    reopens=list_of(ReopenSummary),
)
