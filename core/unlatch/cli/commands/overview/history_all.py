"""unlatch history --all: statistics of the reopens of all increments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.render.describe import times
from unlatch.cli.render.increments import broken_entries, tell_left_out
from unlatch.cli.runtime import output
from unlatch.lifecycle.history import summary
from unlatch.worklog.times import stamp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.cli.runtime.session import Session
    from unlatch.increments.model.increment import BrokenIncrement
    from unlatch.lifecycle.history import Reopened, Summary

NO_CATEGORY = "(none)"


def tell_all(session: Session, *, as_json: bool) -> int:
    """Show the statistics of all reopens; the exit code."""
    increments, broken = session.workspace.manager.read_all()
    found = summary(increments)
    code = tell_left_out(broken)
    if as_json:
        output.document("history-all", code, **_document(found, len(increments), broken))
    elif found.reopens:
        _tell(found, len(increments))
    else:
        undone = f"; {times(found.undone, 'reopen')} undone" if found.undone else ""
        output.talk(f"No reopens{undone}.")
    return code


def _tell(found: Summary, count: int) -> None:
    undone = f", {found.undone} undone" if found.undone else ""
    reopens = times(len(found.reopens), "reopen")
    output.data(f"{reopens} of {times(len(found.often), 'increment')} in {count}{undone}")
    if found.days:
        least, middle, most = (f"{days:g}" for days in found.days)
        output.data(f"Days from completion to reopen: {least} to {most}, median {middle}")
    output.data()
    output.table(("Month", "Reopens"), _rows(found.by_month), flexible=0)
    output.data()
    categories = {name or NO_CATEGORY: number for name, number in found.by_category.items()}
    output.table(("Category", "Reopens"), _rows(categories), flexible=0)
    output.data()
    output.table(
        ("Increment", "Reopens", "Last", "By", "Reason"),
        [_row(one) for one in found.often],
        flexible=4,
    )


def _rows(counted: dict[str, int]) -> list[tuple[str, str]]:
    return [(name, str(number)) for name, number in counted.items()]


def _row(one: Reopened) -> tuple[str, ...]:
    last = one.last.entry
    day = f"{last.reopened_at:%Y-%m-%d}"
    return one.increment.id, str(len(one.reopens)), day, last.reopened_by, last.reason


def _document(found: Summary, count: int, broken: Sequence[BrokenIncrement]) -> output.Json:
    days = found.days
    return {
        "increments": count,
        "reopens": len(found.reopens),
        "undone": found.undone,
        "byMonth": found.by_month,
        "byCategory": [
            {"category": name, "reopens": number} for name, number in found.by_category.items()
        ],
        "daysToReopen": dict(zip(("least", "median", "most"), days, strict=True)) if days else None,
        "mostReopened": [_entry(one) for one in found.often],
        "broken": broken_entries(broken),
    }


def _entry(one: Reopened) -> output.Json:
    return {
        "id": one.increment.id,
        "title": one.increment.title,
        "reopens": [
            {
                "id": reopen.entry.id,
                "reopenedAt": stamp(reopen.entry.reopened_at),
                "reopenedBy": reopen.entry.reopened_by,
                "reason": reopen.entry.reason,
                "category": reopen.entry.category,
                "daysAfterCompletion": reopen.after,
            }
            for reopen in one.reopens
        ],
    }
