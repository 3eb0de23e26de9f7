"""unlatch TRACKER status: the items of increments as they are now."""

from collections.abc import Sequence

import click

from unlatch.cli.options.common import with_json
from unlatch.cli.options.increments import increment_argument, increment_ids
from unlatch.cli.render.describe import synced_lines
from unlatch.cli.render.documents import synced_item_entry
from unlatch.cli.render.notes import tell_left_out, tell_unread
from unlatch.cli.runtime.context import Context
from unlatch.cli.runtime.failure import UNDECIDED
from unlatch.cli.runtime.increments import Named
from unlatch.cli.terminal import output
from unlatch.increments.model.increment import Increment
from unlatch.lifecycle.fetch_items import ItemSnapshot, last_synced
from unlatch.lifecycle.items.tracker_items import fetch_tracker_items
from unlatch.spi import Manifest


def status_command(manifest: Manifest) -> click.Command:
    @click.command(
        "status",
        help=f"Show the {manifest.noun}s of increments as they are now; by default of all "
        "increments. (reads trackers)",
    )
    @increment_argument("wanted", metavar="[ID...]", callback=increment_ids, nargs=-1)
    @with_json
    def run(context: Context, *, wanted: Named, as_json: bool) -> int:
        names = wanted.names
        with context.trackers() as trackers:
            fetched, broken = fetch_tracker_items(context.workspace, trackers, manifest, names)
        errors = [snapshot.error for _, items in fetched for snapshot in items]
        if errors and all(errors):
            raise next(filter(None, errors))
        left_out = tell_left_out(broken)
        code = UNDECIDED if any(errors) else left_out
        if as_json:
            increments = [
                {**output.fields(increment, "id", "status"), "items": _entries(increment, items)}
                for increment, items in fetched
            ]
            output.document("tracker-status", code, tracker=manifest.name, increments=increments)
        else:
            _tell_status(context, fetched)
        return code

    return run


def _entries(increment: Increment, items: Sequence[ItemSnapshot]) -> list[output.Json]:
    synced = last_synced(increment)
    return [synced_item_entry(snapshot, synced) for snapshot in items]


def _tell_status(
    context: Context, fetched: Sequence[tuple[Increment, Sequence[ItemSnapshot]]]
) -> None:
    several = len(fetched) > 1
    registry, now = context.workspace.registry, context.workspace.clock()
    for increment, items in fetched:
        synced = last_synced(increment)
        if several:
            output.data(f"{output.strong(increment.id)} ({increment.status})")
        for snapshot in items:
            lines = synced_lines(registry, snapshot, synced, columns=14, now=now)
            output.data(*(lines if several else [line.removeprefix("    ") for line in lines]))
    tell_unread(snapshot for _, items in fetched for snapshot in items)
    if not fetched:
        output.talk("No increment has an item there.")
