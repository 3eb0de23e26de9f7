"""The documents, one type each; `schema` is "unlatch.NAME/1" with the names of `DOCUMENTS`."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

from typing_extensions import TypedDict

from unlatch.cli.contracts.parts import (
    ClashEntry,
    DeliveryEntry,
    EventEntry,
    Failure,
    GitEntry,
    ItemEntry,
    LinkEntry,
    ListEntry,
    MovedIncrement,
    PendingEntry,
    PendingOf,
    Problem,
    Record,
    ResumeEntry,
    WaitingEntry,
)
from unlatch.domain.operation import Kind
from unlatch.domain.status import Status
from unlatch.store.contracts import ReopenRecord


class Document(TypedDict):
    """What every document has."""

    schema: str
    exitCode: int


class ErrorDocument(Document):
    """What a command prints that failed."""

    error: Failure


class ResumeDocument(Document):
    """unlatch resume."""

    increment: MovedIncrement
    reopen: ReopenRecord | None
    trackers: list[ResumeEntry]


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


class UndoDocument(Document):
    """unlatch undo."""

    increment: MovedIncrement
    undone: str
    trackers: list[DeliveryEntry]


class MoveDocument(Document):
    """unlatch start, pause, review, backlog."""

    increment: MovedIncrement


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


class StatusDocument(Document):
    """unlatch status."""

    active: list[ListEntry]
    maxActive: int | None
    paused: list[ListEntry]
    pending: list[WaitingEntry]
    notRecorded: list[PendingOf]
    reopenedOften: list[str]
    broken: list[ListEntry]


class LinkDocument(Document):
    """unlatch link."""

    id: str
    linked: list[ItemEntry]


class UnlinkDocument(Document):
    """unlatch unlink."""

    id: str
    unlinked: LinkEntry
    dropped: int


class SyncedIncrement(TypedDict):
    """An increment whose items were served."""

    id: str
    trackers: list[DeliveryEntry]
    left: int


class SyncDocument(Document):
    """unlatch sync."""

    increments: list[SyncedIncrement]


class SyncDryRunDocument(Document):
    """unlatch sync --dry-run."""

    pending: list[PendingOf]


class WouldBe(TypedDict):
    """An increment, and the status that it would have."""

    id: str
    status: Status
    wouldBe: Status


class RehearsedRequest(TypedDict):
    """A request that would be sent."""

    method: str
    url: str
    what: str


class RehearsedItem(TypedDict):
    """An item, and what would be done to it."""

    tracker: str
    id: str
    url: str | None
    state: str | None
    comment: str | None
    addLabels: list[str]
    removeLabels: list[str]
    owedSince: str | None
    requests: list[RehearsedRequest]
    error: Problem | None


class DryRunDocument(Document):
    """What any other command prints with --dry-run."""

    increment: WouldBe
    items: list[RehearsedItem]
    spared: list[Spared]
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
    extra: str


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


class TrackerStatusDocument(Document):
    """unlatch TRACKER status."""

    tracker: str
    id: str
    items: list[ItemEntry]


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


class DoctorDocument(Document):
    """unlatch doctor."""

    root: str
    settings: list[SettingEntry]
    findings: list[FindingEntry]
    increments: int
    errors: int
    warnings: int


DOCUMENTS: Mapping[str, Any] = MappingProxyType(
    {
        "resume": ResumeDocument,
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
        "status": StatusDocument,
        "link": LinkDocument,
        "unlink": UnlinkDocument,
        "sync": SyncDocument,
        "sync-dry-run": SyncDryRunDocument,
        "dry-run": DryRunDocument,
        "tracker-change": TrackerChangeDocument,
        "tracker-status": TrackerStatusDocument,
        "merge": MergeDocument,
        "init": InitDocument,
        "auth": AuthDocument,
        "plugins": PluginsDocument,
        "doctor": DoctorDocument,
        "error": ErrorDocument,
    }
)
