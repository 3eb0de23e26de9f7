"""unlatch report: figures of the reopens of a project, or of this user's outside of one."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import flag, with_json
from unlatch.cli.options.period import read_period
from unlatch.cli.render.documents import broken_entries
from unlatch.cli.render.notes import tell_left_out
from unlatch.cli.runtime.failure import UNDECIDED
from unlatch.cli.runtime.plan_making import STDOUT
from unlatch.cli.terminal import output
from unlatch.errors import UnlatchError
from unlatch.increments.records.pending import operation_entry
from unlatch.project.plugins.loading import is_installed
from unlatch.worklog.installer import install_command
from unlatch.worklog.times import stamp
from unlatch_audit.cli.history_all import reopened_entry
from unlatch_audit.cli.report_text import report_lines, tell_tables
from unlatch_audit.report.statistics import ReopenFilter

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from unlatch.cli.runtime.context import Context
    from unlatch_audit.report.figures import Report
    from unlatch_audit.report.statistics import ReopenedIncrement, Span

_SPAN = ("count", "least", "median", "p90", "most")
_DRIFT = ("increment", "tracker", "item", "url", "here", "there", "why")


@click.command()
@click.option(
    "--since", metavar="TIME", help="Only from this day or time on (UTC); 30d for 30 days."
)
@click.option("--until", metavar="TIME", help="Only reopens until this day or time (UTC).")
@flag("--online", help="Read the items now; by default drift comes from the last sync.")
@click.option(
    "--html",
    "page",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write one self-contained HTML page to FILE, in place of the text; '-' is stdout.",
)
@with_json
def run(
    context: Context,
    *,
    since: str | None,
    until: str | None,
    online: bool,
    page: Path | None,
    as_json: bool,
) -> int:
    if page == STDOUT and as_json:
        raise click.UsageError("--html - and --json both write to stdout")
    if page is not None:
        if not page.absolute().parent.is_dir():
            raise click.BadParameter(f"'{page.parent}' is no folder.", param_hint="'--html'")
        _check_library()
    report = _make(context, since, until, online=online)
    code = UNDECIDED if report.broken or (online and report.drift.unknown) else 0
    if page is not None:
        from unlatch_audit.report.page import render_page, write_page  # noqa: PLC0415  (loads jinja2)

        title = f"Reopens of {context.paths.root.name if context.has_project else 'items'}"
        if page == STDOUT:
            # For any encoding of stdout.
            text = render_page(report, title=title).encode("ascii", "xmlcharrefreplace").decode()
            output.echo(text, sys.stdout)
        else:
            write_page(report, page.absolute(), title=title)
    if as_json:
        output.document("report", code, **_document(report))
        return code
    if page is not None:
        if page != STDOUT:
            output.ok(str(page))
        tell_left_out(report.broken)
        return code
    with context.paged():
        output.data(*report_lines(report))
        tell_tables(report)
    tell_left_out(report.broken)
    return code


def _make(context: Context, since: str | None, until: str | None, *, online: bool) -> Report:
    from unlatch.cli.runtime.item_words import over_items  # noqa: PLC0415  (slow)
    from unlatch_audit.cli.item_records import records_of_items  # noqa: PLC0415
    from unlatch_audit.report.figures import make_report  # noqa: PLC0415

    workspace = (context if context.has_project else over_items(context)).workspace
    period = ReopenFilter(*read_period(since, until, workspace.clock(), command="report"))
    groups, unread = records_of_items(context) if context.has_project else ((), ())
    items = [record for _, records in groups for record in records]
    with context.trackers() if online and context.has_project else nullcontext() as trackers:
        return make_report(workspace, period, items=items, unread=unread, trackers=trackers)


def _check_library() -> None:
    if not is_installed("jinja2"):
        raise UnlatchError(
            "extra-missing",
            "the page needs jinja2, which is not installed",
            where="jinja2",
            hint=install_command("unlatch[report]"),
        )


def _document(report: Report) -> output.Json:
    statistics, drift = report.reopens, report.drift
    return {
        "made": stamp(report.made),
        "since": _stamp(report.period.since),
        "until": _stamp(report.period.until),
        "increments": statistics.increments,
        "completed": statistics.completed,
        "reopened": report.reopened,
        "items": statistics.items,
        "reopens": len(statistics.reopens),
        "undone": len(statistics.listed) - len(statistics.reopens),
        "reopenRate": statistics.rate,
        "goal": report.goal,
        "overGoal": [reopened.increment.name for reopened in report.over_goal],
        "byMonth": report.by_month,
        "byCategory": _counts("category", statistics.by_category),
        "byTracker": _counts("tracker", statistics.by_tracker),
        "secondsToReopen": _span(statistics.to_reopen),
        "secondsToCompletion": _span(statistics.to_completion),
        "mostReopened": [_often(reopened) for reopened in statistics.most_reopened],
        "pending": [
            {**operation_entry(entry.operation), "increment": entry.increment.name}
            for entry in report.pending
        ],
        "blocked": report.blocked,
        "drift": [output.fields(item, *_DRIFT) for item in drift.items],
        "links": drift.links,
        "notCompared": drift.unknown,
        "online": drift.is_online,
        "broken": broken_entries(report.broken),
    }


def _stamp(at: datetime | None) -> str | None:
    return None if at is None else stamp(at)


def _counts(name: str, counts: Mapping[str | None, int]) -> list[output.Json]:
    return [{name: value, "reopens": number} for value, number in counts.items()]


def _span(span: Span | None) -> output.Json | None:
    return None if span is None else output.fields(span, *_SPAN)


def _often(reopened: ReopenedIncrement) -> output.Json:
    return {**reopened_entry(reopened.increment), "reopens": len(reopened.reopens)}
