"""unlatch link: tie items to an increment by their browser addresses, or make them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli import output
from unlatch.cli.app import reach
from unlatch.cli.describe import seen_line
from unlatch.cli.session import BY, ID, JSON, Session, with_session
from unlatch.cli.show import item_entry
from unlatch.errors import UsageError

if TYPE_CHECKING:
    from unlatch.cli.contracts.documents import LinkDocument
    from unlatch.cli.table import Entry


def command(entry: Entry) -> click.Command:
    """The command."""

    @click.command(entry.name, help=reach(entry))
    @ID
    @click.argument("urls", metavar="[URL...]", nargs=-1)
    @click.option("--create", metavar="TRACKER", help="Make an item there, and tie it.")
    @BY
    @JSON
    @with_session
    def run(
        session: Session,
        *,
        wanted: str,
        urls: tuple[str, ...],
        create: str | None,
        by: str | None,
        as_json: bool,
    ) -> int:
        if bool(urls) is bool(create):
            raise UsageError(
                "link-what",
                "name the addresses of items, or --create TRACKER",
                hint=f"unlatch link {wanted} https://github.com/octo/widgets/issues/4",
            )
        if create:
            from unlatch.cli.tracker import create_item  # noqa: PLC0415

            return create_item(session, create, wanted, by=by, as_json=as_json)
        return _link(session, wanted, urls, by=by, as_json=as_json)

    return run


def _link(
    session: Session, wanted: str, urls: tuple[str, ...], *, by: str | None, as_json: bool
) -> int:
    from unlatch.engine.linking import link_items, see_urls  # noqa: PLC0415

    workspace = session.workspace
    workspace.manager.find(wanted)
    with session.trackers() as trackers:
        seen = see_urls(trackers, urls)
    increment = link_items(workspace, wanted, seen, by=session.who(by))
    if as_json:
        document: LinkDocument = {
            "schema": "unlatch.link/1",
            "id": increment.id,
            "linked": [item_entry(one) for one in seen],
            "exitCode": 0,
        }
        output.document(document)
        return 0
    for one in seen:
        mark = output.good(output.sign("ok"))
        output.data(f"{mark} {seen_line(workspace.registry, one, columns=14).strip()}")
    output.talk(f"Linked to {increment.id}; nothing was posted.")
    return 0
