"""The table of checks: docs/findings.md lists the same, and `--fix` applies the fixes in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.doctor import configuration, documents, metadata, project, trackers
from unlatch.doctor.finding import Check, Severity

if TYPE_CHECKING:
    from unlatch.doctor.snapshot import (
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
    Check("local-unused", NOTE, project.old_local_folder),
    Check("merge-driver-missing", NOTE, project.no_merge_driver),
    Check("plugin-broken", ERROR, project.broken_plugins),
    Check("config-invalid", ERROR, configuration.mistakes),
    Check("specweave-config-unreadable", WARNING, project.unreadable_specweave),
    Check("specweave-sync-on", WARNING, project.specweave_sync),
    Check("specweave-labels-unused", NOTE, project.unused_labels),
    Check("migration-unfinished", ERROR, project.unfinished_migration),
    Check("no-tracker", NOTE, trackers.no_tracker),
)
TRACKER: tuple[Check[TrackerSetup], ...] = (
    Check("host-trusted", NOTE, trackers.trusted_host),
    Check("library-installed", NOTE, trackers.installed_library),
    Check(ANY_ERROR, ERROR, trackers.unusable_token),
    Check("token-found", NOTE, trackers.token("token-found")),
    Check("token-from-program", NOTE, trackers.token("token-from-program")),
    Check("token-missing", WARNING, trackers.token("token-missing")),
)
FILES: tuple[Check[IncrementFiles], ...] = (
    Check("unfinished-file", NOTE, metadata.unfinished, metadata.remove_unfinished),
    Check(ANY_ERROR, ERROR, metadata.unreadable),
    Check("metadata-from-spec", WARNING, metadata.from_spec, metadata.create_from_spec),
    Check("metadata-duplicate-key", ERROR, metadata.duplicate_keys),
    Check("key-missing", WARNING, metadata.against_schema("key-missing")),
    Check("old-key", WARNING, metadata.against_schema("old-key")),
    Check("old-status", WARNING, metadata.against_schema("old-status")),
    Check("old-time", WARNING, metadata.against_schema("old-time")),
    Check("time-unreadable", WARNING, metadata.against_schema("time-unreadable")),
    Check("shape-unexpected", WARNING, metadata.against_schema("shape-unexpected")),
    Check(ANY_ERROR, ERROR, documents.refused_events),
    Check("events-unreadable", WARNING, documents.unreadable_events),
    Check("event-unreadable", WARNING, documents.odd_events("event-unreadable")),
    Check("event-unknown", WARNING, documents.odd_events("event-unknown")),
    Check("event-invalid", WARNING, documents.odd_events("event-invalid")),
)
READABLE: tuple[Check[ReadableIncrement], ...] = (
    Check("id-differs", WARNING, metadata.other_id, metadata.fix_id),
    Check("spec-status-differs", WARNING, documents.other_status, documents.fix_status),
    Check("link-unread", WARNING, metadata.unread_links),
    Check("link-unlocated", WARNING, metadata.unusable_links("link-unlocated")),
    Check("target-not-allowed", WARNING, metadata.unusable_links("target-not-allowed")),
    Check("link-repeated", WARNING, metadata.repeated_links),
    Check("old-link", WARNING, metadata.old_links),
    Check("dates-out-of-order", WARNING, metadata.odd_dates("dates-out-of-order")),
    Check("time-in-future", WARNING, metadata.odd_dates("time-in-future")),
    Check("completed-at-left", WARNING, metadata.odd_dates("completed-at-left")),
    Check("completed-at-missing", WARNING, metadata.odd_dates("completed-at-missing")),
    Check(ANY_ERROR, ERROR, documents.refused_documents),
    Check("document-unreadable", WARNING, documents.unreadable_documents),
    Check("document-missing", NOTE, documents.missing_documents),
    Check("document-in-conflict", WARNING, documents.documents_in_conflict),
    Check("task-id-twice", WARNING, documents.repeated_tasks),
    Check("criterion-id-twice", WARNING, documents.repeated_criteria),
    Check("completed-with-open-work", WARNING, documents.open_work_left),
    Check("event-missing", NOTE, documents.missing_events, documents.fix_events),
)
TOGETHER: tuple[Check[ProjectSnapshot], ...] = (
    Check("folder-twice", ERROR, metadata.same_names("folder-twice")),
    Check("number-twice", WARNING, metadata.same_names("number-twice")),
    Check("item-shared", WARNING, metadata.shared_items),
    Check("tracker-not-configured", WARNING, metadata.unconfigured_trackers),
    Check("wip-exceeded", WARNING, project.exceeded_limits),
    Check("stale", NOTE, project.stale_increments),
)
CHECKS: tuple[Check[Any], ...] = (*PROJECT, *TRACKER, *FILES, *READABLE, *TOGETHER)
