"""The efforts, sessions and runs of an increment, and its work in another checkout."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.cli.runtime.context import Context
from unlatch.cli.terminal import output
from unlatch.errors import UnlatchError
from unlatch.related.places import may_have_related
from unlatch.worklog.name_matching import first_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.increments.model.increment import Increment


def tell_elsewhere(context: Context, increment: Increment) -> None:
    """In a worktree, name the work of an increment that only the main checkout has."""
    from unlatch.project.git.setup import main_checkout  # noqa: PLC0415  (as below)

    if (main := main_checkout(context.paths.root)) is None:
        return
    from unlatch.related.belonging import find_related  # noqa: PLC0415  (only in worktrees)

    with suppress(UnlatchError):  # it may be of another version
        here = find_related(context.workspace, increment)
        there = find_related(Context(replace(context.options, root=main)).workspace, increment)
        if refs := [ref for ref in there.refs if ref not in here.known]:
            command = f"unlatch --root {quote(str(main))} show {quote(increment.id)} --briefing"
            output.note(f"not in this worktree: {first_of(refs)}; {command} has them")


def related_lines(context: Context, increment: Increment) -> Iterator[tuple[str, str, str]]:
    """The kind, id and status of each; loads nothing if the project has no such work."""
    if not may_have_related(context.workspace, increment):
        return
    from unlatch.cli.render.notes import tell_warnings  # noqa: PLC0415
    from unlatch.related.belonging import find_related  # noqa: PLC0415  (slow to load)

    related = find_related(context.workspace, increment)
    tell_warnings(related.unreadable)
    yield from ((work.kind.capitalize(), work.work.id, work.work.status) for work in related.others)


def related_keys(context: Context, increment: Increment) -> output.Json:
    """The key `related` of a document; none if nothing is related."""
    entries = [
        {"ref": f"{kind.lower()}:{name}", "status": status}
        for kind, name, status in related_lines(context, increment)
    ]
    return {"related": entries} if entries else {}
