"""A report as one HTML page that loads nothing."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from unlatch.values import dataclass
from unlatch.worklog.disk.atomic import replace_file
from unlatch.worklog.text.neutral import without_controls
from unlatch.worklog.times import duration

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from unlatch_audit.report.figures import Report

_NONE = "(none)"
_STYLE, _TEMPLATE = "page.css", "page.html"


@dataclass(frozen=True, slots=True)
class Figure:
    """A table of numbers; `bars` are the lengths of the bars beside its rows, from 0 to 1."""

    id: str
    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    bars: tuple[float, ...]


def render_page(report: Report, *, title: str) -> str:
    """The page; people's words in it are escaped, and its policy lets it load nothing."""
    statistics = report.reopens
    style = _read(_STYLE)
    environment = Environment(
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.loader = DictLoader({_TEMPLATE: _read(_TEMPLATE)})
    environment.filters |= {"web": _web, "duration": duration, "count": "{:,}".format}
    figures = [
        _counted("months", "Reopens by month", "Month", report.by_month),
        _counted("categories", "Reopens by category", "Category", _named(statistics.by_category)),
        _counted("trackers", "Reopens by tracker", "Tracker", _named(statistics.by_tracker)),
        _times(report),
    ]
    return environment.get_template(_TEMPLATE).render(
        title=title,
        report=report,
        found=statistics,
        undone=len(statistics.listed) - len(statistics.reopens),
        known=report.drift.links - report.drift.unknown,
        figures=[figure for figure in figures if figure],
        # The text is a constant of ours; the policy allows this style alone.
        style=Markup(style),  # noqa: S704
        digest=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
    )


def write_page(report: Report, file: Path, *, title: str) -> None:
    """Write the page in place of an older one; StoreError: it cannot be written."""
    # A lone surrogate has no UTF-8 form.
    replace_file(file, render_page(report, title=title).encode(errors="replace"))


def _read(name: str) -> str:
    return (files("unlatch_audit.report") / name).read_text(encoding="utf-8")


def _shown(value: object) -> object:
    """A value of the page; HTML has no control characters."""
    is_text = isinstance(value, str) and not isinstance(value, Markup)
    return without_controls(str(value)) if is_text else value


def _web(url: str | None) -> str | None:
    """An address that a browser may open; None for any other."""
    try:
        return url if url and urlsplit(url).scheme in ("https", "http") else None
    except ValueError:
        return None


def _named(counts: Mapping[str | None, int]) -> dict[str, int]:
    return {name or _NONE: number for name, number in counts.items()}


def _counted(id: str, title: str, heading: str, counts: Mapping[str, int]) -> Figure | None:
    if not counts:
        return None
    rows = tuple((name, f"{number:,}") for name, number in counts.items())
    return Figure(id, title, (heading, "Reopens"), rows, _bars(counts.values()))


def _times(report: Report) -> Figure | None:
    spans = {
        "To reopen": report.reopens.to_reopen,
        "To completion": report.reopens.to_completion,
    }
    measured = {name: span for name, span in spans.items() if span is not None}
    if not measured:
        return None
    title = "Time from completion to reopen, and to the next completion"
    rows = tuple(
        (name, duration(span.median), duration(span.p90), f"{span.count:,}")
        for name, span in measured.items()
    )
    headings = ("From", "Median", "90% within", "Reopens")
    return Figure("times", title, headings, rows, _bars(span.median for span in measured.values()))


def _bars(values: Iterable[float]) -> tuple[float, ...]:
    """The lengths of the bars, from 0 to 1; none for a single value or zeros alone."""
    numbers = tuple(values)
    most = max(numbers)
    return tuple(number / most for number in numbers) if most and len(numbers) > 1 else ()
