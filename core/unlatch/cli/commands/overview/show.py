"""unlatch show: show an increment, and its items as they are now."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import complete_tracker, flag, with_json
from unlatch.cli.options.increments import increment_argument, increment_id
from unlatch.cli.render.increment import items_of, last_synced, show_increment, warnings_of
from unlatch.cli.render.related import related_keys
from unlatch.cli.terminal import output
from unlatch.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.cli.runtime.work_references import Reference
    from unlatch.cli.terminal.output import Json
    from unlatch.increments.model.increment import Increment
    from unlatch.lifecycle.fetch_items import ItemSnapshot


def _meant(ctx: click.Context, param: click.Parameter, value: str) -> str | Reference:
    if ":" in value:
        from unlatch.cli.runtime.work_references import read_reference  # noqa: PLC0415

        if reference := read_reference(value):
            return reference
    return increment_id(ctx, param, value)


@click.command()
@increment_argument("wanted", metavar="ID", callback=_meant)
@flag("--offline", is_eager=True, help="Do not read the items from the trackers.")
@flag("--briefing", help="Show what is known of it: decisions, failures and open work.")
@flag("--web", help="Open an item in the browser; of several, the one that you choose.")
@click.option(
    "--tracker",
    metavar="NAME",
    shell_complete=complete_tracker,
    help="With --web, the item on this tracker.",
)
@with_json
def run(
    context: Context,
    *,
    wanted: str | Reference,
    offline: bool,
    briefing: bool,
    web: bool,
    tracker: str | None,
    as_json: bool,
) -> int:
    if not isinstance(wanted, str):
        from unlatch.cli.runtime.work_references import run_instead  # noqa: PLC0415

        if briefing:
            message = f"--briefing takes an increment, and {wanted} is none"
            raise UsageError("usage", message, hint=f"unlatch show {quote(str(wanted))}")
        return run_instead(wanted, "show", without={"offline"})
    if (web and as_json) or (tracker is not None and not web):
        raise click.UsageError("--tracker goes with --web, and --json does not")
    increment = context.workspace.manager.read(wanted)
    if web:
        from unlatch.cli.commands.items.web import open_item_of  # noqa: PLC0415

        return open_item_of(context, increment, tracker)
    if briefing and not as_json:
        from unlatch.cli.commands.work.other_work import show_briefing  # noqa: PLC0415

        show_briefing(context, increment)
        return 0
    if not as_json:
        show_increment(context, increment, offline=offline)
        return 0
    seen, warnings = (
        items_of(context, increment, offline=offline),
        warnings_of(context, increment),
    )
    more = related_keys(context, increment)
    if briefing:
        from unlatch.cli.commands.work.other_work import briefing_entry, briefing_now  # noqa: PLC0415

        more["briefing"] = briefing_entry(briefing_now(context, increment))
    output.document("show", **_entries(increment, seen), warnings=warnings, **more)
    return 0


def _entries(increment: Increment, seen: Sequence[ItemSnapshot]) -> Json:
    from unlatch.cli.render.documents import list_entry, synced_item_entry  # noqa: PLC0415
    from unlatch.increments.records.pending import operation_entry  # noqa: PLC0415
    from unlatch.increments.records.reopens import reopen_entries  # noqa: PLC0415
    from unlatch.sync.check_boxes import absent_boxes  # noqa: PLC0415

    synced = last_synced(increment) if seen else {}
    return {
        "increment": list_entry(increment),
        "reopenHistory": reopen_entries(increment.data, increment.reopens),
        "pending": [operation_entry(operation) for operation in increment.pending],
        "items": [
            synced_item_entry(snapshot, synced)
            | (
                {"absent": list(ids)}
                if (ids := absent_boxes(increment, snapshot.link, snapshot.item))
                else {}
            )
            for snapshot in seen
        ],
    }
