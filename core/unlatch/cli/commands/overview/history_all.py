"""unlatch history --all: list the reopens of all increments, with statistics."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from unlatch.cli.options.period import read_period
from unlatch.cli.render.describe import first_line, times
from unlatch.cli.render.documents import broken_entries, link_entry
from unlatch.cli.render.notes import tell_left_out
from unlatch.cli.runtime.context import Context
from unlatch.cli.terminal import output
from unlatch.increments.model.increment import BrokenIncrement, Increment
from unlatch.increments.model.reopen_statistics import (
    Reopen,
    ReopenedIncrement,
    ReopenFilter,
    ReopenStatistics,
    Span,
    reopen_statistics,
)
from unlatch.worklog.text.neutral import csv_line
from unlatch.worklog.times import duration, stamp

# The columns of --csv: keys of an entry in `reopened`.
COLUMNS = (
    *("id", "increment", "title", "status", "reopenedAt", "reopenedBy", "reason", "category"),
    *("source", "items", "completedAt", "completedAgainAt", "undoneAt"),
    *("secondsToReopen", "secondsToCompletion"),
)
_NO_CATEGORY = "(none)"
_DAY = 86400
_MOST_SHOWN = 10
_LINE_END = re.compile(r"\r\n?")


def history_all(context: Context, *, as_csv: bool, as_json: bool, **filters: str | None) -> int:
    broken: list[BrokenIncrement] = []
    wanted = _filter(context, **filters)
    found = reopen_statistics(_readable(context, broken), wanted)
    code = tell_left_out(broken)
    if as_json:
        output.document("history-all", code, **_document(found, broken))
    elif as_csv:
        rows = (COLUMNS, *map(_cells, found.listed))
        output.data(*(line for row in rows for line in csv_line(row).split("\n")))
    elif found.listed:
        with context.paged():
            _tell(found)
    else:
        output.talk("No reopens.")
    return code


def _filter(
    context: Context, since: str | None, until: str | None, by: str | None, tracker: str | None
) -> ReopenFilter:
    now = context.workspace.clock()
    if tracker is not None:
        context.workspace.registry.manifest(tracker)
    return ReopenFilter(*read_period(since, until, now), by, tracker)


def _readable(context: Context, broken: list[BrokenIncrement]) -> Iterator[Increment]:
    """Yield the increments; those that cannot be read go to `broken`."""
    for one in context.workspace.manager.each(context.workspace.manager.collection.folders()):
        if isinstance(one, Increment):
            yield one
        else:
            broken.append(one)


def _tell(found: ReopenStatistics) -> None:
    headings = ("Reopened", "Increment", "By", "Category", "Completed again", "Reason")
    output.table(headings, [_row(one) for one in found.listed], flexible=(5,))
    categories = {name or _NO_CATEGORY: number for name, number in found.by_category.items()}
    for heading, counts in (("Month", found.by_month), ("Category", categories)):
        _tell_table((heading, "Reopens"), [(name, str(count)) for name, count in counts.items()])
    often = [one for one in found.most_reopened if len(one.reopens) > 1]
    shown = [(one.increment.id, str(len(one.reopens))) for one in often[:_MOST_SHOWN]]
    _tell_table(("Reopened repeatedly", "Reopens"), shown)
    output.data("", *(row for line in _summary(found) for row in output.hang("", line)))


def _tell_table(headings: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    if rows:
        output.data("")
        output.table(headings, rows, flexible=())


def _row(one: Reopen) -> tuple[str, ...]:
    entry, seconds = one.entry, one.seconds_to_completion
    again = "no" if seconds is None else f"after {duration(seconds)}"
    return (
        f"{entry.reopened_at:%Y-%m-%d %H:%M}",
        one.increment.id,
        entry.reopened_by,
        entry.category or "",
        again if entry.reverted_at is None else "undone",
        first_line(entry.reason),
    )


def _summary(found: ReopenStatistics) -> Iterator[str]:
    reopened, undone = len(found.most_reopened), len(found.listed) - len(found.reopens)
    count = f"{times(len(found.reopens), 'reopen')} of {times(reopened, 'increment')}"
    yield f"{count}; {undone} undone" if undone else count
    if found.rate is not None:
        share = f"{reopened} of {times(found.completed, 'completed increment')}"
        yield f"Reopen rate: {found.rate:.1%} ({share})"
    if found.to_reopen:
        yield f"From completion to reopen: {_span(found.to_reopen)}"
    if found.to_completion:
        yield f"From reopen to completion: {_span(found.to_completion)}"
    if left := _not_completed(found):
        yield f"Not completed again: {times(left, 'reopen')}"


def _not_completed(found: ReopenStatistics) -> int:
    return sum(one.completed_again_at is None for one in found.reopens)


def _span(span: Span) -> str:
    least, middle, most = map(duration, (span.least, span.median, span.most))
    return least if least == most else f"{least} to {most}, median {middle}"


def _document(found: ReopenStatistics, broken: Sequence[BrokenIncrement]) -> output.Json:
    categories = found.by_category.items()
    return {
        "increments": found.increments,
        "completed": found.completed,
        "reopens": len(found.reopens),
        "undone": len(found.listed) - len(found.reopens),
        "reopenRate": found.rate,
        "byMonth": found.by_month,
        "byCategory": [{"category": name, "reopens": number} for name, number in categories],
        "daysToReopen": _span_entry(found.to_reopen, _DAY),
        "secondsToReopen": _span_entry(found.to_reopen),
        "secondsToCompletion": _span_entry(found.to_completion),
        "notCompleted": _not_completed(found),
        "reopened": list(map(_entry, found.listed)),
        "mostReopened": list(map(_often_entry, found.most_reopened)),
        "broken": broken_entries(broken),
    }


def _span_entry(span: Span | None, unit: int = 1) -> output.Json | None:
    if span is None:
        return None
    found = output.fields(span, "least", "median", "most")
    return {name: round(seconds / unit, 1) for name, seconds in found.items()}


def _entry(one: Reopen) -> output.Json:
    entry = one.entry
    return {
        "id": entry.id,
        "increment": one.increment.id,
        **output.fields(one.increment, "title", "status"),
        "reopenedAt": stamp(entry.reopened_at),
        "reopenedBy": entry.reopened_by,
        **output.fields(entry, "reason", "category", "source"),
        "items": [link_entry(link) for link in one.items],
        "completedAt": _stamp(one.completed_at),
        "completedAgainAt": _stamp(one.completed_again_at),
        "undoneAt": _stamp(entry.reverted_at),
        "secondsToReopen": one.seconds_to_reopen,
        "secondsToCompletion": one.seconds_to_completion,
    }


def _stamp(at: datetime | None) -> str | None:
    return None if at is None else stamp(at)


def _cells(one: Reopen) -> list[str]:
    """The cells of a row of --csv; several items are separated by spaces."""
    entry = {**_entry(one), "items": " ".join(link.key for link in one.items)}
    cells = ("" if entry[name] is None else str(entry[name]) for name in COLUMNS)
    return [_LINE_END.sub("\n", cell) for cell in cells]


def _often_entry(one: ReopenedIncrement) -> output.Json:
    reopens = [_reopen_entry(reopen) for reopen in one.reopens]
    return {**output.fields(one.increment, "id", "title"), "reopens": reopens}


def _reopen_entry(one: Reopen) -> output.Json:
    seconds = one.seconds_to_reopen
    return {
        "id": one.entry.id,
        "reopenedAt": stamp(one.entry.reopened_at),
        "reopenedBy": one.entry.reopened_by,
        **output.fields(one.entry, "reason", "category"),
        "daysAfterCompletion": None if seconds is None else round(seconds / _DAY, 1),
    }
