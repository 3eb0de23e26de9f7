"""SpecWeave beside unlatch: what it does by itself, and what of its settings nobody heeds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from unlatch.config.specweave import automatic_sync, unused_mappings
from unlatch.doctor.finding import Finding, Severity, from_error
from unlatch.errors import ConfigError, StoreError
from unlatch.increments.files.layout import SPECWEAVE
from unlatch.migrate.migrate import unfinished
from unlatch.worklog.safe_open import read_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.project.workspace import Workspace

_CONFIG = f"{SPECWEAVE}/config.json"


def check_specweave(workspace: Workspace) -> Iterator[Finding]:
    """What there is to say about SpecWeave in this project."""
    config = _config(workspace)
    for setting in automatic_sync(config):
        yield Finding(
            Severity.WARNING,
            "specweave-sync-on",
            "SpecWeave writes to trackers by itself, so that two programs change the same items",
            f"{_CONFIG}:{setting}",
            "set it to false",
        )
    mappings = unused_mappings(config)
    if mappings and _is_read(workspace):
        yield Finding(
            Severity.NOTE,
            "specweave-labels-unused",
            "labels and tags by status are not set; [labels] has those of unlatch",
            f"{_CONFIG}:{mappings[0]}",
        )
    try:
        begun = unfinished(workspace)
    except StoreError as error:
        yield from_error(error, workspace.layout.root)
        return
    if begun is not None:
        yield Finding(
            Severity.ERROR,
            "migration-unfinished",
            f"a migration that {begun.by} began was cut short",
            f".unlatch/migrations/{begun.id}.json",
            "unlatch migrate finishes it, unlatch migrate --undo takes it back",
        )


def _config(workspace: Workspace) -> Any:
    try:
        return json.loads(read_file(workspace.layout.root / _CONFIG))
    except (OSError, StoreError, ValueError, RecursionError):
        return None


def _is_read(workspace: Workspace) -> bool:
    try:
        return workspace.raw_config.core.specweave
    except ConfigError:
        return False
