"""A report at the terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from unlatch.cli.render.describe import times
from unlatch.cli.terminal import output
from unlatch.worklog.times import duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from unlatch_audit.report.figures import Report
    from unlatch_audit.report.statistics import ReopenStatistics, Span

_NONE = "(none)"
_MOST_SHOWN = 10
# The cells of the longest bar, by the width of the terminal; without one, as at 100 columns.
_SHARE, _SHORTEST, _LONGEST, _USUAL = 3, 10, 50, 33


def reopened_of(statistics: ReopenStatistics) -> str:
    """How many increments and items were reopened."""
    return counted(statistics.reopened, statistics.items)


def counted(increments: int, items: int) -> str:
    """The number of increments, and of items alone if there are any."""
    if not items:
        return times(increments, "increment")
    first = f"{times(increments, 'increment')} and " if increments else ""
    return f"{first}{times(items, 'item')}"


def report_lines(report: Report) -> Iterator[str]:
    """The figures in sentences."""
    for line in _sentences(report):
        yield from output.hang("", line)


def _sentences(report: Report) -> Iterator[str]:
    statistics = report.reopens
    undone = len(statistics.listed) - len(statistics.reopens)
    count = f"{times(len(statistics.reopens), 'reopen')} of {reopened_of(statistics)}"
    yield output.strong(f"{count}{_period(report)}{f'; {undone:,} undone' if undone else ''}")
    if statistics.rate is not None:
        completed = times(statistics.completed, "completed increment")
        yield f"Reopen rate: {statistics.rate:.1%} ({report.reopened:,} of {completed})"
    over = len(report.over_goal)
    items = sum(each.increment.is_item for each in report.over_goal)
    missed = output.warn(f"missed by {counted(over - items, items)}")
    goal = f"Goal: fewer than {times(report.goal, 'reopen')} of each increment"
    yield f"{goal}: {missed if over else output.good('met')}"
    for what, span in _spans(report):
        yield f"{what}: {_span_text(span)}"
    blocked = f", {report.blocked:,} blocked" if report.blocked else ""
    yield f"Pending operations: {len(report.pending):,}{blocked}"
    if report.drift.links:
        yield f"Drift: {_drift_text(report)}"


def _period(report: Report) -> str:
    since, until = report.period.since, report.period.until
    start = f" since {since:%Y-%m-%d}" if since else ""
    return f"{start}{f' until {until:%Y-%m-%d}' if until else ''}"


def _spans(report: Report) -> Iterator[tuple[str, Span]]:
    for what, span in (
        ("From completion to reopen", report.reopens.to_reopen),
        ("From reopen to completion", report.reopens.to_completion),
    ):
        if span is not None:
            yield what, span


def _span_text(span: Span) -> str:
    if span.count == 1:
        return duration(span.median)
    return f"median {duration(span.median)}, 90% within {duration(span.p90)}"


def _drift_text(report: Report) -> str:
    drift = report.drift
    source = "now" if drift.is_online else "at the last sync"
    compared = drift.links - drift.unknown
    text = f"{len(drift.items):,} of {times(compared, 'item')} ({source})"
    what = "not read" if drift.is_online else "never compared"
    return f"{text}, {drift.unknown:,} {what}" if drift.unknown else text


def tell_tables(report: Report) -> None:
    """Write the tables of the report, without empty ones."""
    statistics = report.reopens
    for heading, counts in (
        ("Month", report.by_month),
        ("Category", _named(statistics.by_category)),
        ("Tracker", _named(statistics.by_tracker)),
    ):
        _tell_bars(heading, counts)
    often = [
        (reopened.increment.name, f"{len(reopened.reopens):,}", reopened.increment.title)
        for reopened in statistics.most_reopened[:_MOST_SHOWN]
    ]
    _tell(("Most reopened", "Reopens", "Title"), often, flexible=(2,))
    pending = [
        (
            entry.increment.name,
            entry.operation.kind,
            entry.operation.item,
            _state(entry.operation.is_blocked),
        )
        for entry in report.pending
    ]
    _tell(("Pending", "What", "Item", "State"), pending, flexible=(2,))
    drift = [
        (item.increment, item.here, f"{item.tracker} {item.item}", item.there or "", item.why)
        for item in report.drift.items
    ]
    _tell(("Drift", "Here", "Item", "There", "Why"), drift, flexible=(4,))


def _state(is_blocked: bool) -> str:
    return "blocked" if is_blocked else "waiting"


def _named(counts: Mapping[str | None, int]) -> dict[str, int]:
    return {name or _NONE: number for name, number in counts.items()}


def _tell_bars(heading: str, counts: Mapping[str, int]) -> None:
    most = max(counts.values(), default=0)
    # One bar, or bars of zeros, compare nothing.
    longest = _bar_cells() if most and len(counts) > 1 else 0
    sign = output.sign("bar")
    rows = [
        (name, f"{number:,}", sign * round(number * longest / (most or 1)))
        for name, number in counts.items()
    ]
    _tell((heading, "Reopens", ""), rows, flexible=(0,))


def _bar_cells() -> int:
    if not sys.stdout.isatty():
        return _USUAL
    return min(_LONGEST, max(_SHORTEST, output.columns() // _SHARE))


def _tell(
    headings: tuple[str, ...], rows: Sequence[tuple[str, ...]], *, flexible: tuple[int, ...]
) -> None:
    if rows:
        output.data("")
        output.table(headings, rows, flexible=flexible)
