"""unlatch effort link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import BY, flag, with_json
from unlatch.cli.runtime.increments import named_increment
from unlatch.cli.terminal import output
from unlatch_efforts.cli.chosen import complete_effort, effort_entry
from unlatch_efforts.cli.conversation import store_of
from unlatch_efforts.store import project_of

if TYPE_CHECKING:
    from unlatch.cli.runtime.context import Context


@click.command("link", help="Link an effort to the increment that it belongs to. (local)")
@click.argument("effort", metavar="ID", shell_complete=complete_effort)
@click.argument("increment", metavar="[INCREMENT]", required=False)
@flag("--remove", help="Remove the link.")
@BY
@with_json
def link_effort(
    context: Context,
    *,
    effort: str,
    increment: str | None,
    remove: bool,
    by: str | None,
    as_json: bool,
) -> int:
    if remove == (increment is not None):
        raise click.UsageError("name an increment, or use --remove")
    name = named_increment(context, increment) if increment else None
    project = project_of(context.workspace) if name else None
    store = store_of(context, by)
    before = store.find(effort).increment
    record = store.link(effort, name, project=project)
    if before and before != name:
        output.note(f"it belonged to {output.clean(before)}")
    if as_json:
        output.document("effort-link", effort=effort_entry(record))
    elif name:
        output.ok(f"{record.id} belongs to {name}")
    else:
        output.ok(f"{record.id} belongs to no increment")
    return 0
