"""unlatch complete, abandon, undo: changes of status that close items."""

from shlex import quote
from typing import Any

import click

from unlatch.cli.commands.work.finish_dialog import FinishDialog
from unlatch.cli.options.common import BY, MainCommand, flag, together, with_json
from unlatch.cli.options.delivery import (
    DRY_RUN,
    OFFLINE,
    YES,
    refuse_elsewhere,
    serving,
    take_options,
)
from unlatch.cli.options.increments import IDS, UNDONE
from unlatch.cli.options.items import MAX_ITEMS
from unlatch.cli.options.reason import reason_option
from unlatch.cli.runtime.context import Context
from unlatch.cli.runtime.increments import Named
from unlatch.cli.table import Entry
from unlatch.increments.model.status import Status
from unlatch.lifecycle.carry_out import carry_out, plan_each
from unlatch.lifecycle.change import Place, Work
from unlatch.lifecycle.deliver import shared_items
from unlatch.lifecycle.finish import plan_finish, plan_undo_reopen
from unlatch.lifecycle.status_change import StatusChange
from unlatch.lifecycle.units.archiving import check_archive
from unlatch.spi.operation import Kind

_FORCE = flag(
    "--force",
    help="Complete although work is open or nothing changed; recorded in the history.",
)
_ARCHIVE = flag(
    "--archive", help="Also archive the unit with its tool's own program, such as openspec archive."
)


_BRIEFING = click.option(
    "--briefing/--no-briefing",
    default=None,
    help="Write what is known of the increment into its folder; by default asks at a terminal.",
)


_OWN_OPTIONS = {"complete": together(_FORCE, _ARCHIVE, _BRIEFING)}
STATUSES = {"complete": Status.COMPLETED, "abandon": Status.ABANDONED}


def command(entry: Entry) -> click.Command:
    @click.command(
        entry.name, cls=MainCommand, help=entry.own_help, example=f"unlatch {entry.name} 7"
    )
    @(UNDONE if entry.name == "undo" else IDS)
    @reason_option("Record this reason, and post it on each item.")
    @BY
    @YES
    @_OWN_OPTIONS.get(entry.name, together())
    @MAX_ITEMS
    @OFFLINE
    @DRY_RUN
    @serving(Kind.CLOSE, labels=entry.name != "undo")
    @with_json
    def run(context: Context, *, named: Named, **options: Any) -> int:
        return finish(named.records or context, entry.name, named, **options)

    return run


def finish(
    context: Context,
    name: str,
    named: Named,
    *,
    by: str | None,
    archive: bool = False,
    briefing: bool | None = False,
    **given: Any,
) -> int:
    """Complete or abandon increments, or undo their last reopens, by the command's name."""
    workspace = context.workspace
    workspace.check_config()
    words = " ".join(map(quote, named.names))
    listing = f"unlatch {quote(name)} {words} --dry-run"
    options, given = take_options(given, command=name, is_many=named.is_many, listing=listing)
    who, delivery, shared = context.who(by), given.pop("delivery"), shared_items(workspace)

    def plan(wanted: str) -> StatusChange:
        how = {"by": who, "options": delivery, "shared": shared, **given}
        if name == "undo":
            change = plan_undo_reopen(workspace, wanted, **how)
        else:
            change = plan_finish(workspace, wanted, STATUSES[name], **how)
        if archive:
            check_archive(workspace, change.subject)
        return change

    changes, refused = plan_each(workspace, named.names, plan, stops=not named.is_many)
    refuse_elsewhere(delivery, (link for change in changes for link in change.subject.links))
    dialog = FinishDialog(context, options, archive=archive, briefing=briefing)
    if options.dry_run and named.is_many:
        changes = dialog.leave_idle(changes)
    with context.trackers() as trackers:
        place = Place(workspace, trackers, shared)
        return carry_out([Work(place, changes, refused, named.names)], dialog, options)
