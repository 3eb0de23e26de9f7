"""The note about an increment's work that another checkout of the user has."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.cli.runtime.context import Context
from unlatch.cli.terminal import output
from unlatch.errors import UnlatchError
from unlatch.worklog.name_matching import first_of

if TYPE_CHECKING:
    from unlatch.increments.model.increment import Increment


def tell_elsewhere(context: Context, increment: Increment) -> None:
    """In a worktree, name the work of an increment that only the main checkout has."""
    from unlatch.project.git.worktree import main_checkout  # noqa: PLC0415  (as below)

    if (main := main_checkout(context.paths.root)) is None:
        return
    from unlatch.related.belonging import find_related  # noqa: PLC0415  (only in worktrees)

    with suppress(UnlatchError):  # it may be of another version
        here = find_related(context.workspace, increment)
        there = find_related(Context(replace(context.options, root=main)).workspace, increment)
        if refs := [one for one in there.refs if one not in here.known]:
            command = f"unlatch --root {quote(str(main))} show {quote(increment.id)} --briefing"
            output.note(f"not in this worktree: {first_of(refs)}; {command} has them")
