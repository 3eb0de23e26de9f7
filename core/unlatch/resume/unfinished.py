"""Efforts, sessions and runs that are not finished, of a project or an increment."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from unlatch.resume.kinds import OpenWork, collecting_unread, kinds_in, unread_warnings
from unlatch.resume.related import efforts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.errors import UnlatchError
    from unlatch.project.workspace import Workspace
    from unlatch.resume.related import Related


def unfinished(
    workspace: Workspace,
) -> tuple[list[tuple[str, str, str]], tuple[UnlatchError, ...]]:
    """The kind, id and status of each, and a warning for each kind that cannot be listed.

    Nothing is loaded of a kind that is not used. An effort, session or run with an unreadable file
    is left out: the commands of its kind report it.
    """
    found: list[tuple[str, str, str]] = []
    unread: dict[str, UnlatchError] = {}
    kinds = ((kind.name, kind.unfinished) for kind in kinds_in(workspace))
    for kind, find in (("effort", _efforts), *kinds):
        with collecting_unread(kind, unread):
            found += ((kind, *one) for one in find(workspace))
    return found, unread_warnings(unread)


def open_work(related: Related) -> Iterator[OpenWork]:
    """The work of an increment that has not ended."""
    for effort in related.efforts:
        if effort.is_open:
            command = f"unlatch effort close {quote(effort.id)} --summary TEXT"
            yield OpenWork(f"effort:{effort.id}", effort.status.value, command)
    yield from filter(None, (one.work.open_work() for one in related.others))


def _efforts(workspace: Workspace) -> Iterator[tuple[str, str]]:
    if (store := efforts_of(workspace)) is None:
        return
    from unlatch.efforts.store import project_of  # noqa: PLC0415

    project = project_of(workspace)
    for one in store.all():
        if one.is_open and (project is None or one.project == project):
            yield one.id, one.status.value
