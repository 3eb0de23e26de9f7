"""Alerts of SARIF files: what is there on which commit, and what was away before.

A file shows one commit. That an alert came back is shown only by a file of an earlier commit of the
same tool that does not have it, or by a tool that compared both itself; else it may have been there
all the time.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache, partial
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from unlatch.project.git.run import ask_git, run_git
from unlatch.worklog.disk.user_files import read_user_file
from unlatch_regressions.alerts.alert import Alert
from unlatch_regressions.alerts.sarif import MOST_BYTES, Result, Run, SarifInvalid, read_sarif

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from unlatch_regressions.request import Request

# The name of the option.
SARIF = "sarif"


class _Seen(NamedTuple):
    """A commit of reports; those that the default branch does not have are last."""

    place: int
    at: datetime
    commit: str


def _dated(reports: Iterable[tuple[_Seen, _Report]]) -> list[tuple[_Seen, _Report]]:
    """Reports with times in the order of their commits, whose own may be equal or go back."""
    dated: list[tuple[_Seen, _Report]] = []
    for seen, report in reports:
        at = max(seen.at, dated[-1][0].at + timedelta.resolution) if dated else seen.at
        dated.append((seen._replace(at=at), report))
    return dated


class _Report:
    """What one tool shows of a commit, in all files."""

    def __init__(self) -> None:
        self.unread = set[str]()
        self._open: dict[tuple[str, ...], Result] = {}

    def add(self, run: Run) -> None:
        """Add the run of another file."""
        self.unread |= run.unread
        for result in run.results:
            if not result.is_suppressed:
                for key in _keys(result):
                    self._open.setdefault(key, result)

    def alerts(self) -> Iterator[Result]:
        """Its open results, each alert once."""
        for key, result in self._open.items():
            if key == _keys(result)[0]:
                yield result

    def shown(self, alert: Result) -> Result | None:
        """The open result of an alert of any report."""
        keys = (key for key in _keys(alert) if key in self._open)
        return next((self._open[key] for key in keys), None)


def read_alerts(request: Request) -> Iterator[Alert]:
    """The alerts of the files that the command names, on each commit.

    Raises:
        SarifInvalid: `sarif-invalid`.
    """
    reports = defaultdict[tuple[str, str], _Report](_Report)
    for file in request.files.get(SARIF, ()):
        commit = request.commits_of.get(file, request.head)
        for run in _runs(request, file, commit):
            reports[run.tool, commit].add(run)
    by_tool = defaultdict[str, list[tuple[_Seen, _Report]]](list)
    for (tool, commit), report in reports.items():
        by_tool[tool].append((_seen(request, commit), report))
    for tool, seen in by_tool.items():
        yield from _compared(tool, _dated(sorted(seen, key=itemgetter(0))))


def _seen(request: Request, commit: str) -> _Seen:
    made = request.history.find(commit)
    index = request.history.index
    return _Seen(index.get(commit, len(index)), made.at if made else request.now, commit)


def _runs(request: Request, file: Path, commit: str) -> Iterator[Run]:
    try:
        content = read_user_file(file, at_most=MOST_BYTES)
    except OSError as error:
        message = f"the alerts cannot be read: {error.strerror}"
        raise SarifInvalid("sarif-invalid", message, where=str(file), hint="ls -l") from error
    top = Path(ask_git(request.root, "rev-parse", "--show-toplevel") or request.root)
    line_of = partial(_line, _lines_of(top, commit))
    yield from read_sarif(content, str(file), root=top, line_of=line_of)


def _lines_of(top: Path, commit: str) -> Callable[[str], Sequence[str]]:
    """Reads the lines of a commit's files, each file once."""

    @cache
    def lines(file: str) -> Sequence[str]:
        content = run_git(top, "cat-file", "blob", f"{commit}:{file}") if commit else None
        return (content or b"").decode(errors="replace").splitlines()

    return lines


def _line(lines_of: Callable[[str], Sequence[str]], file: str, number: int) -> str:
    lines = lines_of(file)
    return lines[number - 1] if 0 < number <= len(lines) else ""


def _compared(tool: str, reports: Sequence[tuple[_Seen, _Report]]) -> Iterator[Alert]:
    """What each report shows of each alert that any of them has open."""
    alerts: dict[tuple[str, ...], Result] = {}
    for _, report in reports:
        for result in report.alerts():
            if not any(key in alerts for key in _keys(result)):
                alerts |= dict.fromkeys(_keys(result), result)
    for result in dict.fromkeys(alerts.values()):
        yield from _sightings(tool, result, reports)


def _sightings(
    tool: str, first: Result, reports: Iterable[tuple[_Seen, _Report]]
) -> Iterator[Alert]:
    earlier: tuple[tuple[datetime, bool], ...] = ()
    for seen, report in reports:
        result = report.shown(first)
        if result is None and first.file in report.unread:
            continue  # unknown
        if result is not None and result.is_new:
            earlier += ((seen.at - timedelta.resolution, True),)
        alert = _alert(tool, first, result or first, seen)
        yield replace(alert, is_closed=result is None, earlier=earlier)
        earlier += ((seen.at, result is None),)


def _alert(tool: str, first: Result, result: Result, seen: _Seen) -> Alert:
    place = f"{result.file}:{result.line}" if result.line else result.file
    return Alert(
        (tool, *_keys(first)[0]),
        f"{' '.join(filter(None, (tool, result.rule)))} in {place}: {result.message}",
        result.page or place,
        seen.at,
        names=tuple(filter(None, (result.page,))),
        items=result.items,
        commit=seen.commit,
    )


def _keys(result: Result) -> tuple[tuple[str, ...], ...]:
    """What two results of one alert share: a fingerprint that tells, or rule, file and line.

    Without a rule, its message tells it from others of the line.
    """
    own = (result.rule or result.message, result.file, result.text)
    return ((result.fingerprint,), own) if result.fingerprint else (own,)
