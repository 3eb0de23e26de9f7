"""unlatch unlink: cut the tie to an item; the item itself is left alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli.render.describe import times
from unlatch.cli.render.documents import link_entry
from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import BY, ID, JSON, Session, with_session
from unlatch.increments.files.linking import unlink
from unlatch.lifecycle.link import find_link

if TYPE_CHECKING:
    from unlatch.cli.table import Entry


def command(entry: Entry) -> click.Command:
    """The command."""

    @click.command(entry.name, help=entry.own_help)
    @ID
    @click.argument("item", metavar="URL|ITEM")
    @BY
    @JSON
    @with_session
    def run(session: Session, *, wanted: str, item: str, by: str | None, as_json: bool) -> int:
        increment = session.workspace.manager.read(wanted)
        link = find_link(increment, item)
        owed = [o for o in increment.pending if (o.tracker, o.item) == (link.tracker, link.key)]
        unlink(session.workspace.manager, increment.id, link, by=session.who(by))
        if as_json:
            output.document(
                "unlink",
                id=increment.id,
                unlinked=link_entry(link),
                dropped=len(owed),
            )
            return 0
        output.data(f"{output.good(output.sign('ok'))} {output.clean(link.key)} unlinked")
        if owed:
            output.talk(f"Dropped {times(len(owed), 'pending operation')}.")
        return 0

    return run
