"""unlatch new: make an increment, from a title or from an item."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import BY, JSON, Session, with_session
from unlatch.errors import UsageError

if TYPE_CHECKING:
    from unlatch.cli.table import Entry
    from unlatch.increments.model.increment import Link


def command(entry: Entry) -> click.Command:
    @click.command(entry.name, help=entry.own_help)
    @click.argument("title", required=False)
    @click.option("--from", "url", metavar="URL", help="Take title and link from this item.")
    @click.option(
        "--type", "kind", default="feature", show_default=True, help="Type of the increment."
    )
    @BY
    @JSON
    @with_session
    def run(
        session: Session,
        *,
        title: str | None,
        url: str | None,
        kind: str,
        by: str | None,
        as_json: bool,
    ) -> int:
        links: list[Link] = []
        if url:
            found, link = _from_item(session, url)
            title, links = title or found, [link]
        if not title or not title.strip():
            raise UsageError(
                "title-missing", "an increment needs a title", hint="unlatch new 'Export to CSV'"
            )
        increment = session.workspace.manager.create(
            output.clean(title), kind=kind, by=session.who(by), links=links
        )
        if as_json:
            entry = {**output.fields(increment, "id", "status"), "path": str(increment.folder)}
            output.document("new", increment=entry)
        else:
            output.ok(f"{increment.id} in {increment.folder}")
            output.talk(f"Next: unlatch start {increment.id}")
        return 0

    return run


def _from_item(session: Session, url: str) -> tuple[str, Link]:
    from unlatch.lifecycle.link import based_link, fetch_urls  # noqa: PLC0415

    with session.trackers() as trackers:
        seen = fetch_urls(trackers, [url])[0]
    title = seen.item.title if seen.item else ""
    return title, based_link(None, seen)
