"""Checks of the files of efforts, sessions and runs, and of their links to increments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.doctor.finding import Found, Hits
from unlatch.resume.dangling import dangling, unreadable

if TYPE_CHECKING:
    from unlatch.doctor.snapshot import ProjectSnapshot


def dangling_links(project: ProjectSnapshot) -> Hits:
    for one in dangling(project.workspace):
        hint = one.fix or "correct its front matter, if the other was renamed"
        yield Found(f"{one.ref} names {one.named}, which does not exist", one.where, hint)


def unreadable_files(project: ProjectSnapshot) -> Hits:
    return unreadable(project.workspace)
