"""unlatch session link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import flag, with_json
from unlatch.cli.runtime.increments import named_increment
from unlatch.cli.terminal import output
from unlatch_sessions import lifecycle
from unlatch_sessions.cli.chosen import IMPORTED, complete_session, session_entry
from unlatch_sessions.cli.everywhere import chosen_or_picked

if TYPE_CHECKING:
    from unlatch.cli.runtime.context import Context


@click.command("link", help="Link a session to the increment that it belongs to. (local)")
@click.argument("wanted", metavar="ID", shell_complete=complete_session)
@click.argument("increment", metavar="[INCREMENT]", required=False)
@flag("--remove", help="Remove the link.")
@IMPORTED
@with_json
def link_session(
    context: Context,
    *,
    wanted: str,
    increment: str | None,
    remove: bool,
    imported: bool,
    as_json: bool,
) -> int:
    if remove == (increment is not None):
        raise click.UsageError("name an increment, or use --remove")
    _, store, path, _ = chosen_or_picked(context, wanted, imported=imported, asks=False)
    name = named_increment(context, increment) if increment else None
    before = store.read(path).session.meta.increment
    session = lifecycle.link(store, path, name).session
    if before and before != name:
        output.note(f"it belonged to {output.clean(before)}")
    if as_json:
        output.document("session", session=session_entry(session.meta, session.title))
    else:
        output.ok(f"{session.id} belongs to {output.clean(name or 'no increment')}")
    return 0
