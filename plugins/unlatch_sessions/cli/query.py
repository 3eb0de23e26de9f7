"""unlatch session query and stats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import filter_option, flag, with_json
from unlatch.cli.terminal import output
from unlatch_sessions.cli.chosen import IMPORTED, OF_STATUS, next_listing, store_of, tell_none
from unlatch_sessions.project import session_index
from unlatch_sessions.statistics import Figures, GroupBy, choose, group

if TYPE_CHECKING:
    from unlatch.cli.runtime.context import Context


@click.command("query", help="Find sessions in the index. (local)")
@filter_option("--agent", metavar="NAME", help="Only sessions with this agent.")
@filter_option("--channel", metavar="NAME", help="Only sessions with this channel.")
@OF_STATUS
@flag("--toon", help="Print the index's tables of these sessions in TOON.")
@IMPORTED
@with_json
def query_session(
    context: Context,
    *,
    agent: str | None,
    channel: str | None,
    status: str | None,
    toon: bool,
    imported: bool,
    as_json: bool,
) -> int:
    index = session_index(context.workspace, store_of(context, imported=imported))
    entries = choose(index.entries(), agent=agent, channel=channel, status=status)
    if as_json:
        output.document("session-query", sessions=[entry.session for entry in entries])
        return 0
    if toon:
        names = [entry.session["id"] for entry in entries]
        output.data(*index.toon(names).rstrip("\n").split("\n"))
        return 0
    keys = ("id", "status", "started", "channel", "tokens", "calls", "failures")
    rows = [tuple(str(entry.session[key] or "") for key in keys) for entry in entries]
    if rows:
        headings = ("Session", "Status", "Started", "Channel", "Tokens", "Calls", "Failed")
        output.table(headings, rows, flexible=())
    else:
        listing = next_listing(context, imported=imported)
        output.talk(f"No sessions match.{f' Next: {listing}' if listing else ''}")
    return 0


@click.command("stats", help="Show tokens, durations and failures of sessions. (local)")
@click.option(
    "--by",
    type=click.Choice([grouping.value for grouping in GroupBy]),
    default=GroupBy.AGENT.value,
    show_default=True,
    metavar="KEY",
    help="Group by agent, channel or status.",
)
@IMPORTED
@with_json
def stats_session(context: Context, *, by: str, imported: bool, as_json: bool) -> int:
    entries = session_index(context.workspace, store_of(context, imported=imported)).entries()
    groups = group(entries, GroupBy(by))
    if as_json:
        output.document("session-stats", by=by, groups=[_entry(figures) for figures in groups])
        return 0
    rows = [_row(figures) for figures in groups]
    if rows:
        headings = (by.capitalize(), "Sessions", "Tokens", "Duration", "Calls", "Failed")
        output.table(headings, rows, flexible=(0,))
    else:
        tell_none(context, imported=imported)
    return 0


def _entry(figures: Figures) -> output.Json:
    names = ("sessions", "tokens", "mean_seconds", "calls", "failures", "failure_rate")
    return output.fields(figures, "group", *names)


def _row(figures: Figures) -> tuple[str, ...]:
    minutes = "" if figures.mean_seconds is None else f"{figures.mean_seconds / 60:.1f} min"
    failed = "" if figures.failure_rate is None else f"{figures.failure_rate:.0%}"
    return (
        figures.group or "(none)",
        str(figures.sessions),
        f"{figures.tokens:,}",
        minutes,
        str(figures.calls),
        failed,
    )
