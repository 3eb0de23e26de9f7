"""The project's folders, what git makes of them, and the installed plugins."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from unlatch.doctor.finding import Finding, Severity, below, from_error
from unlatch.errors import StoreError
from unlatch.increments.files.layout import HOME, METADATA, SPECWEAVE, sorted_folders
from unlatch.project.git.run import ask_git
from unlatch.project.git.setup import DRIVER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.increments.files.layout import Layout
    from unlatch.project.workspace import Workspace


def check_project(workspace: Workspace) -> Iterator[Finding]:
    """What is odd about folders, git and plugins."""
    yield from _two_homes(workspace.layout)
    yield from _old_local_folder(workspace.layout)
    yield from _merge_driver(workspace.layout)
    for name, problem in workspace.registry.broken.items():
        yield Finding(
            Severity.ERROR,
            "plugin-broken",
            f"the plugin {name} cannot be used: {problem}",
            hint="install a version of it that fits, or uninstall it",
        )


def _two_homes(layout: Layout) -> Iterator[Finding]:
    theirs = layout.root / SPECWEAVE / "increments"
    if layout.increments == theirs:
        return
    try:
        is_used = any(sorted_folders(theirs, archived=False))
    except StoreError as error:
        # Nothing there is read, so it is not what keeps anything from working.
        yield from_error(error, layout.root, severity=Severity.WARNING)
        return
    if is_used:
        yield Finding(
            Severity.WARNING,
            "two-increment-folders",
            f"only {HOME}/increments is read, and {SPECWEAVE}/increments holds increments too",
            below(theirs, layout.root),
            "unlatch migrate",
        )


def _merge_driver(layout: Layout) -> Iterator[Finding]:
    # The attribute comes with the repository, the driver has to be set in each clone.
    path = str(layout.increments / "0001-any" / METADATA)
    wanted = ask_git(layout.root, "check-attr", "merge", "--", path) or ""
    if wanted.endswith(": unlatch") and ask_git(layout.root, "config", "--get", DRIVER) is None:
        yield Finding(
            Severity.NOTE,
            "merge-driver-missing",
            "git merges increments as text in this clone",
            hint="unlatch init --git",
        )


def _old_local_folder(layout: Layout) -> Iterator[Finding]:
    place = layout.home / "local"
    if os.path.lexists(place):
        yield Finding(
            Severity.NOTE,
            "local-unused",
            "locks and caches of an older version; nothing uses them any more",
            below(place, layout.root),
            f"rm -r {below(place, layout.root)}",
        )
