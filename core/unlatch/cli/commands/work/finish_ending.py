"""The steps of complete, abandon and undo after their change.

The archive, the briefing, and the other work that stays open.
"""

from __future__ import annotations

import shlex
from functools import partial
from typing import TYPE_CHECKING

import click

from unlatch.cli.runtime.failure import error_lines
from unlatch.cli.terminal import output, prompts
from unlatch.errors import unexpected
from unlatch.increments.model.status import Status
from unlatch.lifecycle.units.archiving import archive_command, archive_unit
from unlatch.related.belonging import find_related
from unlatch.related.places import may_have_related

if TYPE_CHECKING:
    from unlatch.cli.runtime.context import Context
    from unlatch.errors import UnlatchError
    from unlatch.increments.model.increment import Increment
    from unlatch.lifecycle.change import ChangeOptions


def end_change(
    context: Context, id: str, options: ChangeOptions, *, archive: bool, briefing: bool | None
) -> tuple[list[UnlatchError], output.Json]:
    """Archive a changed increment, write its briefing, and name its other work that is open.

    Args:
        archive: archive the unit; by default the command for it is shown.
        briefing: write the briefing; None asks at a terminal, or names the command.

    Returns:
        The errors, which are shown: they cannot end the command as if nothing was changed; and
        keys for the document.
    """
    failed: list[UnlatchError] = []
    keys: output.Json = {}
    steps = (partial(_archive, wanted=archive), partial(_brief, wanted=briefing), _tell_open_work)
    for step in steps:
        try:
            keys |= step(context, context.workspace.manager.read(id), options) or {}
        except prompts.Unanswered as stop:
            # An unanswered prompt would say that nothing was changed.
            raise click.Abort from stop
        except click.Abort:
            raise
        except Exception as error:  # noqa: BLE001  # a bug is reported like any error
            failed.append(unexpected(error))
            context.trace(failed[-1])
            output.talk(*error_lines(failed[-1]))
    return failed, keys


def _archive(
    context: Context, increment: Increment, options: ChangeOptions, *, wanted: bool
) -> None:
    """Archive a completed unit, or name the command that does."""
    command = shlex.join(archive_command(increment))
    if options.command == "abandon" or increment.archived or not command:
        return
    if wanted:
        archive_unit(context.workspace, increment)
    if not options.as_json:
        if wanted:
            output.ok(f"{output.clean(command)}")
        else:
            output.talk(f"Next: {output.clean(command)}")


def _brief(
    context: Context, increment: Increment, options: ChangeOptions, *, wanted: bool | None
) -> None:
    """Write the briefing of a completed increment, or ask for it."""
    if wanted is False or increment.status is not Status.COMPLETED:
        return
    if wanted or may_have_related(context.workspace, increment):
        from unlatch.cli.commands.work.other_work import offer_briefing  # noqa: PLC0415

        asks, silent = not options.yes, options.as_json
        offer_briefing(context, increment, wanted=wanted, asks=asks, silent=silent)


def _tell_open_work(
    context: Context, increment: Increment, options: ChangeOptions
) -> output.Json | None:
    """Name each effort, session and run of the increment that has not ended."""
    if not (increment.status.is_finished and may_have_related(context.workspace, increment)):
        return None
    from unlatch.related.unfinished import open_work  # noqa: PLC0415

    works = [*open_work(find_related(context.workspace, increment))]
    if not options.as_json:
        for work in works:
            output.talk(f"{output.warn('!')} {output.clean(work.ref)} is still {work.status}")
            output.talk(f"    To end it: {output.clean(work.next)}")
    return (
        {"related": [output.fields(work, "ref", "status", "next") for work in works]}
        if works
        else None
    )
