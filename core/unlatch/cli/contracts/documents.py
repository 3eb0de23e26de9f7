"""The documents, one type each; `schema` is "unlatch.NAME/1" with the names of `DOCUMENTS`."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

from typing_extensions import TypedDict

from unlatch.cli.contracts.linking import LinkFileDocument, LinkSuggestDocument
from unlatch.cli.contracts.parts import (
    Broken,
    ClashEntry,
    DeliveryEntry,
    Document,
    EventEntry,
    Failure,
    GitEntry,
    ItemEntry,
    LimitsEntry,
    LinkEntry,
    ListEntry,
    MovedIncrement,
    PendingEntry,
    PendingOf,
    Problem,
    Record,
    ResumeEntry,
    StaleEntry,
    WaitingEntry,
    WipEntry,
)
from unlatch.cli.contracts.previewed import PreviewedIncrement, PreviewedItem, WouldBe
from unlatch.cli.contracts.resuming import ResumeManyDocument
from unlatch.cli.contracts.scope import ScopeEntry
from unlatch.cli.contracts.syncing import SyncDocument, SyncPlanDocument
from unlatch.increments.model.status import Status
from unlatch.increments.records.contracts import ReopenRecord
from unlatch.spi.operation import Kind


class ErrorDocument(Document):
    """What a command prints that failed."""

    error: Failure


class ResumeDocument(Document):
    """unlatch resume."""

    increment: MovedIncrement
    reopen: ReopenRecord | None
    trackers: list[ResumeEntry]
    scope: ScopeEntry | None
    warnings: list[Problem]


class Spared(TypedDict):
    """An item that stays open because other increments need it."""

    tracker: str
    id: str
    url: str | None

    neededBy: list[str]


class FinishDocument(Document):
    """unlatch complete, unlatch abandon."""

    increment: MovedIncrement
    spared: list[Spared]
    trackers: list[DeliveryEntry]
    # The ids of the refusals that it was done in spite of.
    forced: list[str]
    warnings: list[Problem]


class UndoDocument(Document):
    """unlatch undo."""

    increment: MovedIncrement
    undone: str
    trackers: list[DeliveryEntry]


class MoveDocument(Document):
    """unlatch start, pause, review, backlog."""

    increment: MovedIncrement
    warnings: list[Problem]


class NewIncrement(TypedDict):
    """An increment that was made."""

    id: str
    status: Status
    path: str


class NewDocument(Document):
    """unlatch new."""

    increment: NewIncrement


ListDocument = list[ListEntry]


class ShowDocument(Document):
    """unlatch show."""

    increment: ListEntry
    reopenHistory: list[Record]
    pending: list[PendingEntry]
    items: list[ItemEntry]
    warnings: list[str]


class HistoryDocument(Document):
    """unlatch history."""

    id: str
    events: list[EventEntry]
    reopens: list[Record]


class CategoryCount(TypedDict):
    """How many reopens there were for one kind of reason; null where none was named."""

    category: str | None
    reopens: int


class ReopenSummary(TypedDict):
    """One reopen among others."""

    id: str
    reopenedAt: str
    reopenedBy: str
    reason: str
    category: str | None
    daysAfterCompletion: float | None


class ReopenedEntry(TypedDict):
    """An increment that was reopened."""

    id: str
    title: str
    reopens: list[ReopenSummary]


class HistoryAllDocument(Document):
    """unlatch history --all."""

    increments: int
    reopens: int
    undone: int
    byMonth: dict[str, int]
    byCategory: list[CategoryCount]
    daysToReopen: dict[str, float] | None
    mostReopened: list[ReopenedEntry]
    broken: list[Broken]


class StatusDocument(Document):
    """unlatch status."""

    active: list[ListEntry]
    maxActive: int | None
    limits: LimitsEntry
    wip: WipEntry
    paused: list[ListEntry]
    stale: list[StaleEntry]
    pending: list[WaitingEntry]
    notRecorded: list[PendingOf]
    reopenedOften: list[str]
    broken: list[ListEntry]
    configMistakes: list[str]


class LinkDocument(Document):
    """unlatch link."""

    id: str
    linked: list[ItemEntry]
    dryRun: bool


class UnlinkDocument(Document):
    """unlatch unlink."""

    id: str
    unlinked: LinkEntry
    dropped: int


class DryRunDocument(Document):
    """What any other command prints with --dry-run."""

    increment: WouldBe
    items: list[PreviewedItem]
    spared: list[Spared]
    requests: int
    scope: ScopeEntry | None
    warnings: list[Problem]


class DryRunManyDocument(Document):
    """What resume prints with --dry-run for several increments."""

    increments: list[PreviewedIncrement]
    requests: int


class MergeDocument(Document):
    """unlatch merge --resolve."""

    id: str
    resolved: bool
    files: list[str]
    kept: list[str]
    left: list[str]
    added: bool
    conflicts: list[ClashEntry]


class InitDocument(Document):
    """unlatch init."""

    root: str
    made: list[str]
    git: GitEntry | None


class TokenSource(TypedDict):
    """Where a tracker's token comes from."""

    tracker: str
    host: str
    source: str | None
    user: str | None
    hint: str | None


class AuthDocument(Document):
    """unlatch auth status."""

    trackers: list[TokenSource]


class PluginEntry(TypedDict):
    """A tracker that unlatch knows."""

    name: str
    title: str
    noun: str
    capabilities: list[str]
    ready: bool
    extra: str | None
    requirement: str


class PluginsDocument(Document):
    """unlatch plugins."""

    plugins: list[PluginEntry]
    broken: dict[str, str]


class TrackerChangeDocument(Document):
    """unlatch TRACKER create-..., update-..., close-..., reopen-...; unlatch link --create."""

    tracker: str
    kind: Kind
    increment: MovedIncrement
    trackers: list[DeliveryEntry]


class IncrementItems(TypedDict):
    """An increment, and its items on one tracker."""

    id: str
    status: Status
    items: list[ItemEntry]


class TrackerStatusDocument(Document):
    """unlatch TRACKER status."""

    tracker: str
    increments: list[IncrementItems]


class SettingEntry(TypedDict):
    """A setting, and where its value came from."""

    key: str
    value: Any
    source: str


class FindingEntry(TypedDict):
    """Something that the doctor found."""

    severity: Literal["error", "warning", "note"]
    id: str
    message: str
    where: str | None
    hint: str | None
    increment: str | None


class PlaceEntry(TypedDict):
    """What a credential may do in one place; null where only a write would tell."""

    target: str
    rights: dict[str, bool | None]


class AccessEntry(TypedDict):
    """What a tracker said about the credential."""

    tracker: str
    login: str | None
    places: list[PlaceEntry]


class FixEntry(TypedDict):
    """A file that the doctor mends, and how."""

    id: str
    increment: str | None
    path: str
    diff: str
    done: bool


class DoctorDocument(Document):
    """unlatch doctor."""

    root: str
    settings: list[SettingEntry]
    findings: list[FindingEntry]
    access: list[AccessEntry]
    fixes: list[FixEntry]
    increments: int
    errors: int
    warnings: int


MovedFolder = TypedDict("MovedFolder", {"from": str, "to": str})


class ChangedFile(TypedDict):
    """A file that changes, and how; null for one that is put back as it was."""

    path: str
    diff: str | None
    deleted: bool


class LeftFile(TypedDict):
    """A file that is left as it is."""

    path: str
    why: str


class MigrateDocument(Document):
    """unlatch migrate."""

    dryRun: bool
    undo: bool
    moved: list[MovedFolder]
    changed: list[ChangedFile]
    left: list[LeftFile]


DOCUMENTS: Mapping[str, Any] = MappingProxyType(
    {
        "resume": ResumeDocument,
        "resume-many": ResumeManyDocument,
        "complete": FinishDocument,
        "undo": UndoDocument,
        "abandon": FinishDocument,
        "start": MoveDocument,
        "pause": MoveDocument,
        "review": MoveDocument,
        "backlog": MoveDocument,
        "new": NewDocument,
        "list": ListDocument,
        "show": ShowDocument,
        "history": HistoryDocument,
        "history-all": HistoryAllDocument,
        "status": StatusDocument,
        "link": LinkDocument,
        "link-file": LinkFileDocument,
        "link-suggest": LinkSuggestDocument,
        "unlink": UnlinkDocument,
        "sync": SyncDocument,
        "sync-plan": SyncPlanDocument,
        "dry-run": DryRunDocument,
        "dry-run-many": DryRunManyDocument,
        "tracker-change": TrackerChangeDocument,
        "tracker-status": TrackerStatusDocument,
        "merge": MergeDocument,
        "migrate": MigrateDocument,
        "init": InitDocument,
        "auth": AuthDocument,
        "plugins": PluginsDocument,
        "doctor": DoctorDocument,
        "error": ErrorDocument,
    }
)
