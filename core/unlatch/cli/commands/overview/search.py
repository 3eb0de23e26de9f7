"""unlatch search: find work of all kinds by words."""

from collections.abc import Sequence
from datetime import datetime

import click

from unlatch.cli.options.common import filter_option, with_json
from unlatch.cli.options.period import read_period
from unlatch.cli.render.documents import warning_entries
from unlatch.cli.render.notes import tell_unread_work
from unlatch.cli.runtime.context import Context
from unlatch.cli.table import Entry
from unlatch.cli.terminal import output
from unlatch.related.search.search import Found, kinds_of_work, search

_LIMIT = 10


def command(entry: Entry) -> click.Command:
    @click.command(entry.name, help=entry.own_help)
    @click.argument("words", nargs=-1, required=True)
    @click.option(
        "--kind",
        "kinds",
        type=click.Choice(kinds_of_work()),
        multiple=True,
        help="Only work of this kind.",
    )
    @filter_option("--status", metavar="STATUS", help="Only work with this status.")
    @filter_option(
        "--since",
        metavar="TIME",
        help="Only from this day or time on (UTC); 30d for 30 days.",
    )
    @with_json
    def run(
        context: Context,
        *,
        words: tuple[str, ...],
        kinds: tuple[str, ...],
        status: str | None,
        since: str | None,
        as_json: bool,
    ) -> int:
        moment, _ = read_period(since, None, context.workspace.clock())
        return run_search(context, words, kinds=kinds, as_json=as_json, status=status, since=moment)

    return run


def run_search(
    context: Context,
    words: Sequence[str],
    *,
    kinds: Sequence[str],
    as_json: bool,
    status: str | None = None,
    since: datetime | None = None,
) -> int:
    query = " ".join(words)
    workspace = context.workspace
    result = search(workspace, query, kinds=kinds, status=status, since=since, limit=_LIMIT)
    tell_unread_work(result.warnings)
    if as_json:
        results, warnings = map(result_entry, result.found), warning_entries(result.warnings)
        output.document("search", query=query, results=[*results], warnings=warnings)
        return 0
    for match in result.found:
        changed = f", {match.work.changed:%Y-%m-%d}" if match.work.changed else ""
        head = f"{match.kind} {match.work.status}{changed}"
        output.data(*output.hang(f"{output.strong(match.work.id)}  ", output.faint(head)))
        output.data(*output.hang("  ", output.clean(match.work.summary or match.work.title)))
        output.data(*output.hang("  ", output.faint(why(match))))
    if not result.found:
        listing = "effort list" if kinds == ("effort",) else "list --all"
        output.talk(f"Nothing found. Next: unlatch {listing}")
    return 0


def why(result: Found) -> str:
    """The words that matched, by place."""
    places: dict[str, list[str]] = {}
    for match in result.why:
        places.setdefault(match.where, []).append(match.word)
    listed = (f"{', '.join(words)} in {place}" for place, words in places.items())
    return output.clean("; ".join(listed))


def result_entry(result: Found) -> output.Json:
    return {
        "kind": result.kind,
        **output.fields(result.work, "id", "title", "status", "summary", "changed"),
        "score": round(result.score, 3),
        "why": [output.fields(match, "word", "where") for match in result.why],
    }
