"""What doctor says of SpecWeave beside unlatch, and of migrations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.increments.files.paths import HOME
from unlatch.worklog.disk.safe_open import read_file
from unlatch.worklog.json_text import load_json
from unlatch_doctor.finding import Check, Found, Hits, Severity
from unlatch_specweave import settings
from unlatch_specweave.migrate.migrate import find_unfinished

if TYPE_CHECKING:
    from unlatch_doctor.snapshot import ProjectSnapshot


def unreadable_config(project: ProjectSnapshot) -> Hits:
    path = project.root / settings.CONFIG
    try:
        load_json(read_file(path))
    except FileNotFoundError:
        return
    except StoreError as error:
        yield error
    except (OSError, ValueError) as error:
        yield Found(f"its repository and limits are not used: {error}", path)


def automatic_sync(project: ProjectSnapshot) -> Hits:
    for setting in settings.automatic_sync(settings.read_specweave(project.root)):
        by = "SpecWeave also writes to trackers: two programs change the same items"
        yield Found(by, f"{settings.CONFIG}:{setting}", "set it to false")


def unread_profile(project: ProjectSnapshot) -> Hits:
    name = settings.unread_profile(settings.read_specweave(project.root))
    if name is None or project.core is None or not project.core.specweave:
        return
    origins = project.workspace.raw_config.origins
    if not any(key.startswith("trackers.") and HOME in origins[key] for key in origins):
        message = f"the active profile {name!r} names no tracker and place that unlatch can read"
        hint = "add a table such as [trackers.github] to .unlatch/config.toml"
        yield Found(message, f"{settings.CONFIG}:sync", hint)


def unused_labels(project: ProjectSnapshot) -> Hits:
    mappings = settings.unused_mappings(settings.read_specweave(project.root))
    if mappings and project.core is not None and project.core.specweave:
        message = "labels and tags by status are not set; [labels] has those of unlatch"
        yield Found(message, f"{settings.CONFIG}:{mappings[0]}")


def unfinished_migration(project: ProjectSnapshot) -> Hits:
    if (begun := find_unfinished(project.workspace)) is not None:
        message = f"a migration that {begun.by} started was interrupted"
        hint = "to finish it: unlatch migrate; to revert it: unlatch migrate --undo"
        yield Found(message, f".unlatch/migrations/{begun.id}.json", hint)


CHECKS: tuple[Check[ProjectSnapshot], ...] = (
    Check("specweave-config-unreadable", Severity.WARNING, unreadable_config),
    Check("specweave-profile-unread", Severity.WARNING, unread_profile),
    Check("specweave-sync-on", Severity.WARNING, automatic_sync),
    Check("specweave-labels-unused", Severity.NOTE, unused_labels),
    Check("migration-unfinished", Severity.ERROR, unfinished_migration),
)
