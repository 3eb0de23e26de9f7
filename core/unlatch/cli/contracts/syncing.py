"""What sync prints."""

from typing_extensions import TypedDict

from unlatch.cli.contracts.parts import Broken, DeliveryEntry, Document, Failure, PendingOf, Problem
from unlatch.cli.contracts.previewed import PreviewedItem
from unlatch.increments.model.status import Status


class ComparedEntry(TypedDict):
    """A link, and what both of its sides are."""

    increment: str
    status: Status
    tracker: str
    id: str
    url: str | None
    name: str
    state: str | None
    category: str | None
    verdict: str
    why: str
    error: Problem | None


class MoveEntry(TypedDict):
    """An increment that follows its items."""

    increment: str
    before: Status
    after: Status
    by: str
    reason: str
    error: Problem | None


class SyncedIncrement(TypedDict):
    """An increment whose items were served."""

    id: str
    trackers: list[DeliveryEntry]
    left: int


class CommitEntry(TypedDict):
    """What was given back to git, or why not."""

    commit: str | None
    branch: str | None
    increments: list[str]
    proposal: str | None
    error: Failure | None


class EventEntry(TypedDict):
    """A message from a tracker, and whose business it is."""

    tracker: str
    action: str
    url: str | None
    by: str | None
    increments: list[str]
    note: str | None


class SyncDocument(Document):
    """unlatch sync, and unlatch ingest."""

    increments: list[SyncedIncrement]
    compared: list[ComparedEntry]
    moves: list[MoveEntry]
    otherBranch: str | None
    commit: CommitEntry | None
    event: EventEntry | None
    # Increments that could not be compared, because they cannot be read.
    broken: list[Broken]


class SyncPlanDocument(Document):
    """unlatch sync --plan, --dry-run or --check."""

    compared: list[ComparedEntry]
    moves: list[MoveEntry]
    pending: list[PendingOf]
    items: list[PreviewedItem]
    requests: dict[str, int]
    comments: int
    adrift: bool
    otherBranch: str | None
    broken: list[Broken]
