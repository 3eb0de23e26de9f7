"""The documents, by the names in their `schema`: unlatch.NAME/1."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from unlatch.cli.contracts import command_entries, entries
from unlatch.cli.contracts.entries import Text, each, entry, list_of
from unlatch.increments.files.schemas import Schema, schema_of
from unlatch.increments.records.contracts import ReopenRecord
from unlatch.spi.operation import Kind


def _document(meaning: str, /, **keys: Any) -> Any:
    return entry("Document", meaning, schema=str, exitCode=int, **keys)


_MOVED: dict[str, Any] = {"increment": entries.MovedIncrement}
_WARNINGS: dict[str, Any] = {"warnings": list_of(entries.Problem)}
_DELIVERED: dict[str, Any] = {"trackers": list_of(entries.DeliveryEntry)}
_BROKEN: dict[str, Any] = {"broken": list_of(entries.Broken)}
# `forced` holds the ids of the refusals that were overridden.
_FINISH = _document(
    "unlatch complete, unlatch abandon.",
    **_MOVED,
    spared=list_of(entries.Spared),
    **_DELIVERED,
    forced=list[str],
    **_WARNINGS,
)
_MOVE = _document("unlatch start, pause, review, backlog.", **_MOVED, **_WARNINGS)
DOCUMENTS: Mapping[str, Any] = MappingProxyType(
    {
        "resume": _document(
            "unlatch resume.",
            **_MOVED,
            reopen=ReopenRecord | None,
            trackers=list_of(entries.ResumeEntry),
            scope=entries.ScopeEntry | None,
            **_WARNINGS,
        ),
        "resume-many": _document(
            "unlatch resume with several ids, or --all-matching.",
            increments=list_of(entries.ResumedEntry),
        ),
        "complete": _FINISH,
        "undo": _document("unlatch undo.", **_MOVED, undone=str, **_DELIVERED),
        "abandon": _FINISH,
        "start": _MOVE,
        "pause": _MOVE,
        "review": _MOVE,
        "backlog": _MOVE,
        "new": _document("unlatch new.", increment=entries.NewIncrement),
        "list": list_of(entries.ListEntry),
        "show": _document(
            "unlatch show.",
            increment=entries.ListEntry,
            reopenHistory=list_of(entries.Record),
            pending=list_of(entries.PendingEntry),
            items=list_of(entries.ItemEntry),
            warnings=list[str],
        ),
        "history": _document(
            "unlatch history.",
            id=str,
            events=list_of(entries.EventEntry),
            reopens=list_of(entries.Record),
        ),
        "history-all": _document(
            "unlatch history --all.",
            **each(int, "increments", "reopens", "undone"),
            byMonth=dict[str, int],
            byCategory=list_of(entries.CategoryCount),
            daysToReopen=dict[str, float] | None,
            mostReopened=list_of(entries.ReopenedEntry),
            **_BROKEN,
        ),
        "status": _document(
            "unlatch status.",
            active=list_of(entries.ListEntry),
            maxActive=int | None,
            limits=entries.LimitsEntry,
            wip=entries.WipEntry,
            paused=list_of(entries.ListEntry),
            stale=list_of(entries.StaleEntry),
            pending=list_of(entries.WaitingEntry),
            notRecorded=list_of(entries.PendingOf),
            reopenedOften=list[str],
            broken=list_of(entries.ListEntry),
            configMistakes=list[str],
        ),
        "link": _document("unlatch link.", id=str, linked=list_of(entries.ItemEntry), dryRun=bool),
        "link-file": _document(
            "unlatch link --file.", increments=list_of(command_entries.TieEntry), dryRun=bool
        ),
        "link-suggest": _document(
            "unlatch link --suggest.",
            proposals=list_of(command_entries.ProposalEntry),
            **each(dict[str, int], "listed", "lacking"),
            errors=list_of(command_entries.TrackerProblem),
        ),
        "unlink": _document("unlatch unlink.", id=str, unlinked=entries.LinkEntry, dropped=int),
        # `broken` are increments that could not be compared.
        "sync": _document(
            "unlatch sync, and unlatch ingest.",
            increments=list_of(command_entries.SyncedIncrement),
            compared=list_of(command_entries.ComparedEntry),
            moves=list_of(command_entries.MoveEntry),
            otherBranch=Text,
            commit=command_entries.CommitEntry | None,
            event=command_entries.MessageEntry | None,
            **_BROKEN,
        ),
        "sync-plan": _document(
            "unlatch sync --plan, --dry-run or --check.",
            compared=list_of(command_entries.ComparedEntry),
            moves=list_of(command_entries.MoveEntry),
            pending=list_of(entries.PendingOf),
            items=list_of(entries.PreviewedItem),
            requests=dict[str, int],
            comments=int,
            adrift=bool,
            otherBranch=Text,
            **_BROKEN,
        ),
        "dry-run": _document(
            "The dry run of any other command.",
            increment=entries.WouldBe,
            items=list_of(entries.PreviewedItem),
            spared=list_of(entries.Spared),
            requests=int,
            scope=entries.ScopeEntry | None,
            **_WARNINGS,
        ),
        "dry-run-many": _document(
            "unlatch resume --dry-run for several increments.",
            increments=list_of(entries.PreviewedIncrement),
            requests=int,
        ),
        "tracker-change": _document(
            "unlatch TRACKER create-..., update-..., close-..., reopen-...; unlatch link --create.",
            tracker=str,
            kind=Kind,
            **_MOVED,
            **_DELIVERED,
        ),
        "tracker-status": _document(
            "unlatch TRACKER status.", tracker=str, increments=list_of(entries.IncrementItems)
        ),
        "merge": _document(
            "unlatch merge --resolve.",
            id=str,
            resolved=bool,
            **each(list[str], "files", "kept", "left"),
            added=bool,
            conflicts=list_of(command_entries.ClashEntry),
        ),
        "migrate": _document(
            "unlatch migrate.",
            **each(bool, "dryRun", "undo"),
            moved=list_of(command_entries.MovedFolder),
            changed=list_of(command_entries.ChangedFile),
            left=list_of(command_entries.LeftFile),
        ),
        "init": _document(
            "unlatch init.", root=str, made=list[str], git=command_entries.GitEntry | None
        ),
        "auth": _document("unlatch auth status.", trackers=list_of(command_entries.TokenSource)),
        "plugins": _document(
            "unlatch plugins.", plugins=list_of(command_entries.PluginEntry), broken=dict[str, str]
        ),
        "doctor": _document(
            "unlatch doctor.",
            root=str,
            settings=list_of(command_entries.SettingEntry),
            findings=list_of(command_entries.FindingEntry),
            access=list_of(command_entries.AccessEntry),
            fixes=list_of(command_entries.FixEntry),
            **each(int, "increments", "errors", "warnings"),
        ),
        "error": _document("The document of a command that failed.", error=entries.Failure),
    }
)


def document_schemas() -> dict[str, Schema]:
    """The schemas of all documents, by their names."""
    return {name: _schema(name) for name in DOCUMENTS}


def _schema(name: str) -> Schema:
    made = schema_of(DOCUMENTS[name], name=name, title=f"unlatch.{name}/1")
    if "schema" in made.get("properties", {}):  # the document of `list` is an array
        made["properties"]["schema"] = {"const": f"unlatch.{name}/1"}
    return made
