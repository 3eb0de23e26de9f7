"""Checks of the files of efforts, sessions and runs: readable, and naming what exists."""

from __future__ import annotations

from contextlib import suppress
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.related.belonging import read_filed
from unlatch.related.increment_names import References
from unlatch.related.kinds import kinds_in
from unlatch.worklog.disk.file_check import UnsafePath
from unlatch.worklog.disk.safe_open import open_folder
from unlatch.worklog.disk.user_files import earlier_states, state_folder
from unlatch_doctor.finding import Found, Hits

if TYPE_CHECKING:
    from unlatch_doctor.snapshot import ProjectSnapshot


def dangling_links(project: ProjectSnapshot) -> Hits:
    references = References(project.workspace)
    for kind in kinds_in(project.workspace):
        for link in kind.dangling(project.workspace, references):
            hint = link.fix or "correct its front matter, if the other was renamed"
            message = f"{link.ref} names {link.named}, which does not exist"
            yield Found(message, link.where, hint)


def unreadable_files(project: ProjectSnapshot) -> Hits:
    """The errors of the files of efforts, sessions, runs and briefings."""
    for kind in kinds_in(project.workspace):
        yield from kind.unreadable(project.workspace)
    for folder in project.workspace.manager.collection.folders():
        with suppress(OSError, UnsafePath), open_folder(folder.path):  # else its own check fails
            try:
                read_filed(folder.path)
            except StoreError as error:
                yield error


def moved_imports(project: ProjectSnapshot) -> Hits:
    """Imported sessions of a project that was moved here: the state folder is of the old path."""
    for path, state in earlier_states(project.root):
        if any((state / "imports").glob("*.md")):
            target = state_folder(project.root) / "imports"
            moved = f"{quote(str(state / 'imports'))}/*.md"
            hint = f"mkdir -p {quote(str(target))} && mv {moved} {quote(str(target))}"
            message = f"sessions were imported at {path}, where this project may have been before"
            yield Found(message, state / "imports", hint)
