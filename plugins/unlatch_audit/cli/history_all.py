"""unlatch history --all: list the reopens of all increments and items, with statistics."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from unlatch.cli.options.period import read_period
from unlatch.cli.render.describe import first_line, times
from unlatch.cli.render.documents import broken_entries, link_entry
from unlatch.cli.render.notes import tell_left_out
from unlatch.cli.runtime.context import Context
from unlatch.cli.terminal import output
from unlatch.increments.model.increment import BrokenIncrement, Increment
from unlatch.project.registry import Registry
from unlatch.project.workspace import utc_now
from unlatch.worklog.times import duration, stamp
from unlatch_audit.cli.csv_lines import csv_line
from unlatch_audit.cli.report_text import reopened_of
from unlatch_audit.report.authors import Authors, authors_of
from unlatch_audit.report.statistics import (
    Reopen,
    ReopenedIncrement,
    ReopenFilter,
    ReopenStatistics,
    Span,
    reopen_statistics,
)

# The columns of --csv: keys of an entry in `reopened`.
COLUMNS = (
    *("id", "increment", "title", "status", "reopenedAt", "reopenedBy", "reason", "category"),
    *("source", "items", "completedAt", "completedAgainAt", "undoneAt"),
    *("secondsToReopen", "secondsToCompletion", "kind", "gitName", "declaredBy", "accounts"),
)
_NO_CATEGORY = "(none)"
_DAY = 86400
_MOST_SHOWN = 10
_WHO = ("Name in git", "Declared", "Accounts")
_NOBODY = Authors(None, None, {})
# The authors of reopens, by the ids of these.
Who = Mapping[str, Authors]
_LINE_END = re.compile(r"\r\n?")


def history_all(context: Context, *, as_csv: bool, as_json: bool, **filters: str | None) -> int:
    broken: list[BrokenIncrement] = []
    wanted = _filter(**filters)
    statistics = reopen_statistics(_readable(context, broken), wanted)
    reopened = {reopen.increment.id: reopen.increment for reopen in statistics.listed}
    who = {
        op: authors for record in reopened.values() for op, authors in authors_of(record).items()
    }
    code = tell_left_out(broken)
    if as_json:
        output.document("history-all", code, **_document(statistics, broken, who))
    elif as_csv:
        rows = (COLUMNS, *(_cells(reopen, who) for reopen in statistics.listed))
        output.verbatim(*(line for row in rows for line in csv_line(row).split("\n")))
    elif statistics.listed:
        with context.paged():
            _tell(statistics, who)
    else:
        output.talk(f"No reopens.{_elsewhere(context)}")
    return code


def _elsewhere(context: Context) -> str:
    """How many records of this user the list of a project leaves out."""
    from unlatch.cli.runtime.item_words import count_elsewhere  # noqa: PLC0415  (slow to load)

    count = count_elsewhere() if context.has_project else 0
    return f" {times(count, 'item')} recorded outside of this project." if count else ""


def kind_of(record: Increment) -> str:
    """Whether a record is that of an increment, or of an item alone."""
    return "item" if record.is_item else "increment"


def reopened_entry(record: Increment) -> output.Json:
    """What was reopened: the id of an increment, the name of an item alone."""
    return {"id": record.name, "title": record.title, "kind": kind_of(record)}


def _filter(
    since: str | None, until: str | None, by: str | None, tracker: str | None
) -> ReopenFilter:
    if tracker is not None:
        Registry().manifest(tracker)
    return ReopenFilter(*read_period(since, until, utc_now()), by, tracker)


def _readable(context: Context, broken: list[BrokenIncrement]) -> Iterator[Increment]:
    """Yield the increments and the records of items; the unreadable ones go to `broken`."""
    from unlatch_audit.cli.item_records import records_of_items  # noqa: PLC0415  (slow to load)

    if context.has_project:
        manager = context.workspace.manager
        for increment in manager.each(manager.collection.folders()):
            if isinstance(increment, Increment):
                yield increment
            else:
                broken.append(increment)
    groups, unread = records_of_items(context)
    broken += unread
    for _, records in groups:
        yield from records


def _tell(statistics: ReopenStatistics, who: Who) -> None:
    has_items = any(reopen.increment.is_item for reopen in statistics.listed)
    what = "Increment or item" if has_items else "Increment"
    headings = ("Reopened", what, "By", *_WHO, "Category", "Completed again", "Reason")
    columns = [*zip(headings, *(_row(reopen, who) for reopen in statistics.listed), strict=True)]
    # What no reopen has, such as older ones, takes no room.
    most = [column for column in columns if column[0] not in _WHO or any(column[1:])]
    _, *rows = zip(*most, strict=True)
    output.table(tuple(column[0] for column in most), rows, flexible=(len(most) - 1,))
    categories = {name or _NO_CATEGORY: number for name, number in statistics.by_category.items()}
    for heading, counts in (("Month", statistics.by_month), ("Category", categories)):
        _tell_table((heading, "Reopens"), [(name, str(count)) for name, count in counts.items()])
    often = [increment for increment in statistics.most_reopened if len(increment.reopens) > 1]
    most = [
        (increment.increment.name, str(len(increment.reopens))) for increment in often[:_MOST_SHOWN]
    ]
    _tell_table(("Reopened repeatedly", "Reopens"), most)
    output.data("", *(row for line in _summary(statistics) for row in output.hang("", line)))


def _tell_table(headings: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    if rows:
        output.data("")
        output.table(headings, rows, flexible=())


def _row(reopen: Reopen, who: Who) -> tuple[str, ...]:
    entry, seconds = reopen.entry, reopen.seconds_to_completion
    waiting = "pending" if reopen.is_pending else "no"
    again = waiting if seconds is None else f"after {duration(seconds)}"
    return (
        f"{entry.reopened_at:%Y-%m-%d %H:%M}",
        reopen.increment.name,
        entry.reopened_by,
        *_names(reopen, who),
        entry.category or "",
        again if entry.reverted_at is None else "undone",
        first_line(entry.reason),
    )


def _names(reopen: Reopen, who: Who) -> tuple[str, str, str]:
    """The name in git, the one that was declared, and the accounts on the trackers."""
    authors = who.get(reopen.entry.id, _NOBODY)
    accounts = "; ".join(f"{tracker} {name}" for tracker, name in authors.accounts.items())
    return authors.git_name or "", authors.declared_by or "", accounts


def _summary(statistics: ReopenStatistics) -> Iterator[str]:
    reopened, undone = statistics.reopened, len(statistics.listed) - len(statistics.reopens)
    count = times(len(statistics.reopens), "reopen")
    count += f" of {reopened_of(statistics)}" if statistics.reopens else ""
    yield f"{count}; {undone} undone" if undone else count
    if statistics.rate is not None:
        share = f"{reopened} of {times(statistics.completed, 'completed increment')}"
        yield f"Reopen rate: {statistics.rate:.1%} ({share})"
    if statistics.to_reopen:
        yield f"From completion to reopen: {_span(statistics.to_reopen)}"
    if statistics.to_completion:
        yield f"From reopen to completion: {_span(statistics.to_completion)}"
    if left := _not_completed(statistics):
        yield f"Not completed again: {times(left, 'reopen')}"


def _not_completed(statistics: ReopenStatistics) -> int:
    return sum(reopen.completed_again_at is None for reopen in statistics.reopens)


def _span(span: Span) -> str:
    least, middle, most = map(duration, (span.least, span.median, span.most))
    return least if least == most else f"{least} to {most}, median {middle}"


def _document(
    statistics: ReopenStatistics, broken: Sequence[BrokenIncrement], who: Who
) -> output.Json:
    categories = statistics.by_category.items()
    return {
        **output.fields(statistics, "increments", "completed"),
        "reopens": len(statistics.reopens),
        "items": statistics.items,
        "undone": len(statistics.listed) - len(statistics.reopens),
        "reopenRate": statistics.rate,
        **output.fields(statistics, "by_month"),
        "byCategory": [{"category": name, "reopens": number} for name, number in categories],
        "daysToReopen": _span_entry(statistics.to_reopen, _DAY),
        "secondsToReopen": _span_entry(statistics.to_reopen),
        "secondsToCompletion": _span_entry(statistics.to_completion),
        "notCompleted": _not_completed(statistics),
        "reopened": [_entry(reopen, who) for reopen in statistics.listed],
        "mostReopened": list(map(_often_entry, statistics.most_reopened)),
        "broken": broken_entries(broken),
    }


def _span_entry(span: Span | None, unit: int = 1) -> output.Json | None:
    if span is None:
        return None
    spans = output.fields(span, "least", "median", "most")
    return {name: round(seconds / unit, 1) for name, seconds in spans.items()}


def _entry(reopen: Reopen, who: Who) -> output.Json:
    entry, authors = reopen.entry, who.get(reopen.entry.id, _NOBODY)
    return {
        "id": entry.id,
        "increment": None if reopen.increment.is_item else reopen.increment.id,
        **output.fields(reopen.increment, "title", "status"),
        **output.fields(entry, "reopened_at", "reopened_by", "reason", "category", "source"),
        "items": [link_entry(link) for link in reopen.items],
        **output.fields(reopen, "completed_at", "completed_again_at"),
        "undoneAt": _stamp(entry.reverted_at),
        **output.fields(reopen, "seconds_to_reopen", "seconds_to_completion"),
        "kind": kind_of(reopen.increment),
        "gitName": authors.git_name,
        "declaredBy": authors.declared_by,
        "accounts": dict(authors.accounts),
    }


def _stamp(at: datetime | None) -> str | None:
    return None if at is None else stamp(at)


def _cells(reopen: Reopen, who: Who) -> list[str]:
    """The cells of a row of --csv; several items are separated by spaces."""
    items = " ".join(link.key for link in reopen.items)
    entry = {**_entry(reopen, who), "items": items, "accounts": _names(reopen, who)[-1]}
    cells = ("" if entry[name] is None else str(entry[name]) for name in COLUMNS)
    return [_LINE_END.sub("\n", cell) for cell in cells]


def _often_entry(reopened: ReopenedIncrement) -> output.Json:
    reopens = [_reopen_entry(reopen) for reopen in reopened.reopens]
    return {**reopened_entry(reopened.increment), "reopens": reopens}


def _reopen_entry(reopen: Reopen) -> output.Json:
    seconds = reopen.seconds_to_reopen
    return {
        **output.fields(reopen.entry, "id", "reopened_at", "reopened_by", "reason", "category"),
        "daysAfterCompletion": None if seconds is None else round(seconds / _DAY, 1),
    }
