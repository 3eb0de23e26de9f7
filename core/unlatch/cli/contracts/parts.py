"""What several documents have in common."""

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from typing_extensions import TypedDict

from unlatch.increments.model.rule_violation import Policy
from unlatch.increments.model.status import Status
from unlatch.increments.records.contracts import entry_type
from unlatch.increments.records.operation import OPERATION
from unlatch.spi.item import Category
from unlatch.spi.operation import Kind

DeliveryOutcome = Literal[
    "reopened",
    "already-open",
    "closed",
    "already-closed",
    "created",
    "updated",
    "skipped",
    "pending",
    "failed",
]
ResumeOutcome = Literal["reopened", "already-open", "updated", "pending", "skipped", "failed"]


class Document(TypedDict):
    """What every document has."""

    schema: str
    exitCode: int


class Problem(TypedDict):
    """Why one item could not be served."""

    id: str
    message: str
    hint: str | None


class Failure(TypedDict):
    """Why a command failed."""

    id: str
    message: str
    where: str | None
    hint: str | None
    problems: list[str]


class MovedIncrement(TypedDict):
    """An increment whose status may have changed."""

    id: str
    status: Status
    previousStatus: Status


class LinkEntry(TypedDict):
    """An increment's tie to one item."""

    tracker: str
    id: str
    url: str | None


class Broken(TypedDict):
    """Why an increment cannot be read."""

    id: str
    reason: str
    hint: str | None


class ListEntry(TypedDict):
    """An increment in a list."""

    id: str
    title: str | None
    status: Status | None
    type: str | None
    archived: bool
    created: str | None
    completedAt: str | None
    lastActivity: str | None
    links: list[LinkEntry]
    reopens: int
    pending: int
    broken: Broken | None


if TYPE_CHECKING:
    PendingEntry: TypeAlias = dict[str, Any]
    PendingOf: TypeAlias = dict[str, Any]
    WaitingEntry: TypeAlias = dict[str, Any]
else:
    # The keys of an operation are listed once, for the file and for this.
    _STATE = {"state": bool}
    _OF = {**_STATE, "increment": str}
    PendingEntry = entry_type("PendingEntry", OPERATION, "An operation to be delivered.", _STATE)
    PendingOf = entry_type("PendingOf", OPERATION, "The same, with its increment.", _OF)
    WaitingEntry = entry_type(
        "WaitingEntry",
        OPERATION,
        "The same, with the attempts that count, and when it is tried again.",
        {**_OF, "attempts": int, "nextTry": str | None, "blocked": bool},
    )


class LimitsEntry(TypedDict):
    """How much may be worked on at once, and for how long nothing may be done."""

    maxActive: int | None
    hardCap: int | None
    perType: dict[str, int]
    canInterrupt: list[str]
    policy: Policy
    staleAfter: dict[str, int]


class WipEntry(TypedDict):
    """How much is worked on at once."""

    active: int
    types: dict[str, int]
    # The settings whose limits are exceeded.
    over: list[str]


class StaleEntry(TypedDict):
    """An increment on which nothing was done for too long."""

    increment: str
    status: Status
    days: int


class ItemEntry(TypedDict):
    """An item as its tracker describes it now."""

    tracker: str
    id: str
    url: str | None
    title: str | None
    type: str | None
    state: str | None
    category: Category | None
    labels: list[str]
    assignee: str | None
    error: Problem | None


class DeliveryEntry(TypedDict):
    """The result of one operation."""

    tracker: str
    id: str
    url: str | None
    kind: Kind
    outcome: DeliveryOutcome
    requests: int
    # What a person should know of it, such as what undo left as it is.
    notes: list[str]
    error: Problem | None


class ResumeEntry(TypedDict):
    """The result of one item of an increment that was resumed."""

    tracker: str
    id: str
    url: str | None
    outcome: ResumeOutcome
    requests: int
    # What a person should know of it, such as what the tracker did not take.
    notes: list[str]
    error: Problem | None


class ClashEntry(TypedDict):
    """A field that both sides of a merge changed, differently."""

    field: str
    ours: Any
    theirs: Any


class GitEntry(TypedDict):
    """What git was told about merging increments."""

    attributes: list[str]
    driver: bool
    foreign: str | None


class EventEntry(TypedDict):
    """An event as its file has it, with whatever else stands there."""

    id: str
    at: str
    event: str


# Records of an increment's files are shown as they stand there, with whatever others added.
Record = dict[str, Any]
