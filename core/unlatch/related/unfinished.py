"""Efforts, sessions and runs that are not finished, of a project or an increment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.related.kinds import OpenWork, collecting_unread, kinds_in, unread_warnings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.errors import UnlatchError
    from unlatch.project.workspace import Workspace
    from unlatch.related.belonging import Related


def unfinished(
    workspace: Workspace,
) -> tuple[list[tuple[str, str, str]], tuple[UnlatchError, ...]]:
    """The kind, id and status of each, and a warning for each kind that cannot be listed.

    Nothing is loaded of a kind that is not used. An effort, session or run with an unreadable file
    is left out: the commands of its kind report it.
    """
    works: list[tuple[str, str, str]] = []
    unread: dict[str, UnlatchError] = {}
    for kind in kinds_in(workspace):
        with collecting_unread(kind.name, unread):
            works += ((kind.name, *work) for work in kind.unfinished(workspace))
    return works, unread_warnings(unread)


def open_work(related: Related) -> Iterator[OpenWork]:
    """The work of an increment that has not ended."""
    return filter(None, (related.work.open_work() for related in related.others))
