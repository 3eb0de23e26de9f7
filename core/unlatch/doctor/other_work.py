"""Checks of the files of efforts, sessions and runs, and of their links to increments."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from unlatch.doctor.finding import Found, Hits
from unlatch.related.dangling import dangling, unreadable
from unlatch.worklog.disk.user_files import earlier_states, state_folder

if TYPE_CHECKING:
    from unlatch.doctor.snapshot import ProjectSnapshot


def dangling_links(project: ProjectSnapshot) -> Hits:
    for one in dangling(project.workspace):
        hint = one.fix or "correct its front matter, if the other was renamed"
        yield Found(f"{one.ref} names {one.named}, which does not exist", one.where, hint)


def unreadable_files(project: ProjectSnapshot) -> Hits:
    return unreadable(project.workspace)


def moved_imports(project: ProjectSnapshot) -> Hits:
    """Imported sessions of a project that was moved here: the state folder is of the old path."""
    for path, state in earlier_states(project.root):
        if any((state / "imports").glob("*.md")):
            target = state_folder(project.root) / "imports"
            moved = f"{quote(str(state / 'imports'))}/*.md"
            hint = f"mkdir -p {quote(str(target))} && mv {moved} {quote(str(target))}"
            message = f"sessions were imported at {path}, where this project may have been before"
            yield Found(message, state / "imports", hint)
