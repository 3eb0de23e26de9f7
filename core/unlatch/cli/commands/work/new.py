"""unlatch new: make an increment, from a title or from an item."""

from os.path import relpath
from shlex import quote

import click

from unlatch.cli.options.common import BY, text_argument, with_json
from unlatch.cli.render.documents import warning_entries
from unlatch.cli.render.notes import tell_warnings
from unlatch.cli.runtime.context import Context
from unlatch.cli.runtime.failure import part
from unlatch.cli.table import Entry
from unlatch.cli.terminal import output
from unlatch.errors import UnlatchError, UsageError
from unlatch.increments.model.increment import NEW_TYPE, Increment
from unlatch.lifecycle.fetch_items import ItemSnapshot


def command(entry: Entry) -> click.Command:
    @click.command(entry.name, help=entry.own_help)
    @text_argument("title", required=False)
    @click.option("--from", "url", metavar="ITEM|URL", help="Take title and link from this item.")
    @click.option(
        "--type", "kind", default=NEW_TYPE, show_default=True, help="Type of the increment."
    )
    @BY
    @with_json
    def run(
        context: Context,
        *,
        title: str | None,
        url: str | None,
        kind: str,
        by: str | None,
        as_json: bool,
    ) -> int:
        seen = _item_at(context, url) if url else None
        if seen and seen.item:
            title = title or seen.item.title
        if not title or not title.strip():
            raise UsageError(
                "title-missing", "an increment needs a title", hint="unlatch new TITLE"
            )
        similar_work = part("similar", of="unlatch.related")  # it loads SQLite
        increment, warnings = _create(context, title, seen, kind=kind, by=context.who(by))
        warnings += similar_work(context.workspace, title, apart=increment.id)
        if as_json:
            entry = {**output.fields(increment, "id", "status"), "path": str(increment.folder)}
            output.document("new", increment=entry, warnings=warning_entries(warnings))
        else:
            output.ok(f"{increment.id} in {output.clean(relpath(increment.folder))}")
            tell_warnings(warnings)
            output.talk(f"Next: unlatch start {quote(increment.id)}")
        return 0

    return run


def _item_at(context: Context, url: str) -> ItemSnapshot:
    from unlatch.lifecycle.linking.link import fetch_named  # noqa: PLC0415

    with context.trackers() as trackers:
        return fetch_named(trackers, [url])[0]


def _create(
    context: Context, title: str, seen: ItemSnapshot | None, *, kind: str, by: str
) -> tuple[Increment, tuple[UnlatchError, ...]]:
    from unlatch.project.git.sparse import sparse_increments  # noqa: PLC0415  (as below)

    workspace, title = context.workspace, output.clean(title)
    taken = sparse_increments(workspace.paths)
    if seen is None:
        return workspace.manager.create(title, kind=kind, by=by, taken=taken), ()
    from unlatch.lifecycle.closed_items import closed_warnings  # noqa: PLC0415
    from unlatch.lifecycle.linking.link import based_link, shared_items  # noqa: PLC0415

    links = [based_link(None, seen)]
    increment = workspace.manager.create(title, kind=kind, by=by, links=links, taken=taken)
    shared = shared_items(workspace, [(increment, seen)])
    return increment, (*shared, *closed_warnings(increment, [seen]))
