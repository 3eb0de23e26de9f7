"""The table of checks, as docs/doctor-findings.md lists them; `--fix` applies the fixes in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.increments.layouts.installed import installed_layouts
from unlatch_doctor import configuration, documents, metadata, other_work, project, trackers
from unlatch_doctor.finding import Check, Severity, sharing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch_doctor.snapshot import (
        IncrementFiles,
        ProjectSnapshot,
        ReadableIncrement,
        TrackerSetup,
    )

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE
# A check with this id reports errors under their own ids alone.
ANY_ERROR = "*"

PROJECT: tuple[Check[ProjectSnapshot], ...] = (
    Check("two-increment-folders", WARNING, project.two_folders),
    Check("folder-ignored", WARNING, project.ignored_folders),
    Check("checkout-sparse", NOTE, project.sparse_checkout),
    Check("layout-unused", NOTE, project.unused_layouts),
    Check("merge-driver-missing", NOTE, project.no_merge_driver),
    Check("plugin-broken", ERROR, project.broken_plugins),
    Check("config-invalid", ERROR, configuration.mistakes),
)
# The checks of layouts come between those and these.
WORK: tuple[Check[ProjectSnapshot], ...] = (
    Check("no-tracker", NOTE, trackers.no_tracker),
    Check("link-dangling", WARNING, other_work.dangling_links),
    Check("imports-elsewhere", NOTE, other_work.moved_imports),
    Check(ANY_ERROR, ERROR, other_work.unreadable_files),
)
TRACKER: tuple[Check[TrackerSetup], ...] = (
    Check("host-trusted", NOTE, trackers.trusted_host),
    Check("library-installed", NOTE, trackers.installed_library),
    Check(ANY_ERROR, ERROR, trackers.broken_plugin),
    Check(ANY_ERROR, ERROR, trackers.unusable_token),
    *sharing(trackers.token, NOTE, "token-found", "token-from-program"),
    *sharing(trackers.token, WARNING, "token-missing"),
)
FILES: tuple[Check[IncrementFiles], ...] = (
    Check("unfinished-file", NOTE, metadata.unfinished, metadata.remove_unfinished),
    Check(ANY_ERROR, ERROR, metadata.unreadable),
    Check("metadata-from-spec", WARNING, metadata.from_spec, metadata.create_from_spec),
    Check("metadata-duplicate-key", ERROR, metadata.duplicate_keys),
    *sharing(
        metadata.against_schema,
        WARNING,
        "key-missing",
        "old-key",
        "old-status",
        "old-time",
        "time-unreadable",
        "shape-unexpected",
    ),
    Check(ANY_ERROR, ERROR, documents.refused_events),
    Check("events-unreadable", WARNING, documents.unreadable_events),
    *sharing(documents.odd_events, WARNING, "event-unreadable", "event-unknown", "event-invalid"),
)
UNITS: tuple[Check[IncrementFiles], ...] = (Check(ANY_ERROR, ERROR, metadata.unreadable),)
# These hold for units without records too.
DOCUMENTS: tuple[Check[ReadableIncrement], ...] = (
    Check(ANY_ERROR, ERROR, documents.refused_documents),
    Check("document-unreadable", WARNING, documents.unreadable_documents),
    Check("document-missing", NOTE, documents.missing_documents),
    Check("document-in-conflict", WARNING, documents.documents_in_conflict),
    Check("task-id-twice", WARNING, documents.repeated_tasks),
    Check("criterion-id-twice", WARNING, documents.repeated_criteria),
    Check("block-unclosed", NOTE, documents.unclosed_blocks),
    Check("mark-unknown", NOTE, documents.unknown_marks),
)
READABLE: tuple[Check[ReadableIncrement], ...] = (
    Check("id-differs", WARNING, metadata.other_id, metadata.fix_id),
    Check("spec-status-differs", WARNING, documents.other_status),
    Check("link-unread", WARNING, metadata.unread_links),
    *sharing(metadata.unusable_links, WARNING, "link-unlocated", "target-not-allowed"),
    Check("link-repeated", WARNING, metadata.repeated_links),
    Check("old-link", WARNING, metadata.old_links),
    *sharing(
        metadata.odd_dates,
        WARNING,
        "dates-out-of-order",
        "time-in-future",
        "completed-at-left",
        "completed-at-missing",
    ),
    *DOCUMENTS,
    Check("completed-with-open-work", WARNING, documents.open_work_left),
    Check("archived-unfinished", WARNING, documents.unfinished_in_archive),
    Check("event-missing", NOTE, documents.missing_events, documents.fix_events),
)
# A record of an item has no documents, and its status repeats the last request.
_OF_ITEMS = (
    "id-differs",
    "link-unread",
    "link-unlocated",
    "target-not-allowed",
    "link-repeated",
    "old-link",
    "dates-out-of-order",
    "time-in-future",
    "document-in-conflict",
    "event-missing",
)
ITEMS = tuple(check for check in READABLE if check.id in _OF_ITEMS)
TOGETHER: tuple[Check[ProjectSnapshot], ...] = (
    *sharing(metadata.same_names, ERROR, "folder-twice"),
    *sharing(metadata.same_names, WARNING, "number-twice"),
    Check("item-shared", WARNING, metadata.shared_items),
    Check("tracker-not-configured", WARNING, metadata.unconfigured_trackers),
    Check("wip-exceeded", WARNING, project.exceeded_limits),
    Check("stale", NOTE, project.stale_increments),
)
CHECKS: tuple[Check[Any], ...] = (*PROJECT, *WORK, *TRACKER, *FILES, *READABLE, *TOGETHER)


def checks_of_layouts() -> Iterator[Check[ProjectSnapshot]]:
    """The checks of other tools beside unlatch: those that the layouts have."""
    for layout in installed_layouts()[0].values():
        yield from getattr(layout, "checks", ())
