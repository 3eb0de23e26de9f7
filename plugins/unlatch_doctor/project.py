"""Checks of the project's folders, git, plugins and limits."""

from __future__ import annotations

import os
import re
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.increments.files.paths import BRIEFING, HOME, METADATA, SPECWEAVE
from unlatch.increments.layouts.installed import installed_layouts
from unlatch.increments.layouts.native import OWN
from unlatch.increments.model.limits import days_idle, is_stale, wip
from unlatch.increments.model.status import Status
from unlatch.project.git.run import ask_git
from unlatch.project.git.setup import DRIVER
from unlatch.project.git.sparse import sparse_note
from unlatch.worklog.collection import sorted_folders
from unlatch.worklog.disk.safe_open import add_root
from unlatch_doctor.finding import Found, Hits, below

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch_doctor.snapshot import ProjectSnapshot

# The reasons why a name is not an increment's; the first match counts.
_OTHER_NAMES = (
    (r"[^0-9]", "its name does not begin with a number"),
    (r"(?:[0-9]{1,2}|[0-9]{10,})(?![0-9])", "its number does not have three to nine digits"),
    (r"[0-9]+[A-Za-z]{2}", "more than one letter follows its number"),
    (r"", "no hyphen and name follow its number"),
)


def two_folders(project: ProjectSnapshot) -> Hits:
    theirs = project.root / SPECWEAVE / "increments"
    if project.paths.increments != theirs and any(sorted_folders(theirs, archived=False)):
        message = f"only {HOME}/increments is read; {SPECWEAVE}/increments also has increments"
        yield Found(message, theirs, "unlatch migrate")


def ignored_folders(project: ProjectSnapshot) -> Hits:
    place = below(project.paths.increments, project.root)
    for folder, nested in project.workspace.manager.unread_folders():
        why = f"it is not directly in {place} or an archive there"
        if not nested:
            why = f"{_why_ignored(folder.name)} as in 0007-search"
        hint = f"{'move' if nested else 'rename'} the folder if it is an increment"
        yield Found(f"is not read: {why}", folder, hint)


def _why_ignored(name: str) -> str:
    return next(why for pattern, why in _OTHER_NAMES if re.match(pattern, name))


def sparse_checkout(project: ProjectSnapshot) -> Hits:
    yield from (Found(note, project.paths.increments) for note in sparse_note(project.paths))


def unused_layouts(project: ProjectSnapshot) -> Hits:
    if project.core and "use" in project.core.layouts.model_fields_set:
        return  # the project says which it means
    add_root(project.root)
    for name, layout in installed_layouts()[0].items():
        if name not in OWN and name not in project.paths.layouts and layout.detect(project.root):
            message = f"the project has units of {layout.title}, which are not read"
            hint = f'in [layouts], set use = ["{name}"], or [] to leave it unread'
            yield Found(message, project.paths.config, hint)


def no_merge_driver(project: ProjectSnapshot) -> Hits:
    # The attribute comes with the repository, the driver has to be set in each clone.
    places = {"increments": project.paths.increments / "0001-any" / METADATA}
    folders = project.workspace.manager.collection.folders()
    if any(os.path.lexists(folder.path / BRIEFING) for folder in folders):
        places["briefings"] = project.paths.increments / "0001-any" / BRIEFING
    wanted = {name: _merged_by(project.root, path) for name, path in places.items()}
    if wanted["increments"] != "unlatch":
        return
    missing = [name for name, driver in wanted.items() if driver == "unspecified"]
    if ask_git(project.root, "config", "--get", DRIVER) is None:
        missing = [*wanted]
    if missing:
        names = " and ".join(missing)
        yield Found(f"git merges {names} as text in this clone", hint="unlatch init --git")


def _merged_by(root: Path, path: Path) -> str:
    """The merge driver that .gitattributes names for a file."""
    return (ask_git(root, "check-attr", "merge", "--", str(path)) or "").rpartition(": ")[2]


def broken_plugins(project: ProjectSnapshot) -> Hits:
    yield from project.workspace.registry.broken.values()


def exceeded_limits(project: ProjectSnapshot) -> Hits:
    if project.core is None:
        return  # reported with the configuration
    increments = [readable.increment for readable in project.readable]
    for use in wip(increments, project.core.limits.rules).over:
        kind = use.setting.partition("per_type.")[2]
        noun = f"{kind} increments" if kind else "increments"
        limit = f"at most {use.most} may be (limits.{use.setting})"
        hint = "unlatch list --status active"
        yield Found(f"{use.active} {noun} are active, {limit}", hint=hint)


def stale_increments(project: ProjectSnapshot) -> Hits:
    now = project.workspace.clock()
    for increment in (readable.increment for readable in project.readable):
        if project.core and is_stale(increment, project.core.limits.rules, now):
            message = f"{increment.status} without a change for {days_idle(increment, now)} days"
            way = "resume" if increment.status is Status.PAUSED else "pause"
            hint = f"unlatch {way} {quote(increment.id)}"
            yield Found(message, None, hint, increment.id)
