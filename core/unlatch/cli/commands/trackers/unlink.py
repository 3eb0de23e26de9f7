"""unlatch unlink: unlink an item; the item itself does not change."""

from __future__ import annotations

import click

from unlatch.cli.render.describe import times
from unlatch.cli.render.documents import link_entry
from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import BY, ID, JSON, Session, with_session
from unlatch.lifecycle.link import unlink_item


@click.command()
@ID
@click.argument("item", metavar="URL|ITEM")
@BY
@JSON
@with_session
def run(session: Session, *, wanted: str, item: str, by: str | None, as_json: bool) -> int:
    found = session.workspace.manager.find(wanted).name
    link, dropped = unlink_item(session.workspace, wanted, item, by=session.who(by))
    if as_json:
        output.document("unlink", id=found, unlinked=link_entry(link), dropped=dropped)
        return 0
    output.ok(f"{output.clean(link.key)} unlinked")
    if dropped:
        output.talk(f"Dropped {times(dropped, 'pending operation')}.")
    return 0
