"""Suggesting finished work for a new issue, compared with plain FTS5.

The sample is cut into two halves by id. A threshold is the lowest score of the first half at which
at most one suggestion in ten is wrong; the figures are of the second half. A query is a report that
has a marked duplicate among the earlier ones, and a suggestion is right if people marked both as
duplicates of one report. Other reports show how often a suggestion comes unasked.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import accumulate
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from benchmarks.figures import Figure
from benchmarks.search import plain_index, plain_query, read_reports
from unlatch.worklog.search_index import Document, Source
from unlatch_regressions.similar.likeness import LIKELY, Candidate, LikenessIndex, Report, rank

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Sequence

    # The best earlier report for a query with its score; None if no report matches.
    Suggest = Callable[[int], tuple[float, int] | None]

PART = "refile"
WRONG = 0.1
# Reports of each half that nobody marked as duplicates.
UNRELATED = 100
_KIND = "report"
_YEAR = 365.25 * 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class Sample:
    """Reports in the order of their ids, and the group of duplicates of each that has one."""

    reports: Sequence[dict[str, Any]]
    groups: dict[int, int]

    @property
    def middle(self) -> int:
        return len(self.reports) // 2

    def queries(self, half: range) -> list[int]:
        """The reports of a half that duplicate an earlier one."""
        return [at for at in half if any(self.is_same(at, other) for other in range(at))]

    def is_same(self, first: int, second: int) -> bool:
        return first in self.groups and self.groups[first] == self.groups.get(second)


def figures() -> Iterator[Figure]:
    """True and wrong suggestions of the second half, by title, and by title and description."""
    sample = _sample()
    with TemporaryDirectory() as place, closing(plain_index(sample.reports)) as plain:
        index = _indexed(Path(place) / "index", sample.reports)
        for name, with_text in (("title", False), ("title and description", True)):
            ours = partial(_ours, sample, index, with_text=with_text)
            theirs = partial(_theirs, sample, plain, with_text=with_text)
            yield from _figures(sample, name, ours, theirs)


def _sample() -> Sample:
    reports, pairs = read_reports()
    reports = sorted(reports, key=lambda report: int(report["id"]))
    places = {report["id"]: at for at, report in enumerate(reports)}
    groups: dict[int, int] = {}
    for first, second in (sorted(map(places.__getitem__, pair)) for pair in pairs):
        kept, other = groups.setdefault(first, first), groups.setdefault(second, second)
        groups = {at: kept if group == other else group for at, group in groups.items()}
    return Sample(reports, groups)


def _figures(sample: Sample, name: str, ours: Suggest, theirs: Suggest) -> Iterator[Figure]:
    first, second = range(sample.middle), range(sample.middle, len(sample.reports))
    least = _threshold(sample, first, ours)
    plain = _threshold(sample, first, theirs)
    yield Figure(PART, f"threshold, by {name}", least, "", LIKELY, 1, "that of unlatch")
    right, wrong = _counts(sample, sample.queries(second), ours, LIKELY)
    plain_right, plain_wrong = _counts(sample, sample.queries(second), theirs, plain)
    share = wrong / max(1, right + wrong)
    details: dict[str, float] = {
        "right": right,
        "wrong": wrong,
        "plain right": plain_right,
        "plain wrong": plain_wrong,
    }
    yield Figure(PART, f"wrong suggestions, by {name}", share, "", WRONG, 1, "budget", details)
    plain_best = _best(sample, sample.queries(second), theirs)[0]
    what = f"of {len(sample.queries(second))} duplicates missed, by {name}"
    missed, plain_missed = (len(sample.queries(second)) - n for n in (right, plain_best))
    yield Figure(PART, what, missed, "reports", plain_missed, 1, "plain FTS5 at its best")
    for half, places in (("first", first), ("second", second)):
        others = Random(16).sample([at for at in places if at not in sample.groups], UNRELATED)  # noqa: S311  (a sample)
        asked = sum(hit is not None and hit[0] >= LIKELY for hit in map(ours, others)) / UNRELATED
        what = f"unmarked reports of the {half} half with a suggestion, by {name}"
        yield Figure(PART, what, asked, "", None, None, "")


def _threshold(sample: Sample, half: range, suggest: Suggest) -> float:
    return _best(sample, sample.queries(half), suggest)[1]


def _best(sample: Sample, queries: Sequence[int], suggest: Suggest) -> tuple[int, float]:
    """The most right suggestions while at most one in ten is wrong, and the lowest score."""
    hits = sorted(((*hit, at) for at in queries if (hit := suggest(at))), reverse=True)
    right = [*accumulate(sample.is_same(at, other) for _, other, at in hits)]
    fitting = [n for n, count in enumerate(right) if n + 1 - count <= WRONG * (n + 1)]
    return (right[fitting[-1]], hits[fitting[-1]][0]) if fitting else (0, float("inf"))


def _counts(
    sample: Sample, queries: Sequence[int], suggest: Suggest, least: float
) -> tuple[int, int]:
    hits = [(at, hit[1]) for at in queries if (hit := suggest(at)) and hit[0] >= least]
    right = sum(sample.is_same(*pair) for pair in hits)
    return right, len(hits) - right


def _indexed(path: Path, reports: Sequence[dict[str, Any]]) -> LikenessIndex:
    index = LikenessIndex(path)
    documents = (
        Source(str(at), "1", partial(Document, report["title"], "", report["description"] or ""))
        for at, report in enumerate(reports)
    )
    index.refresh(_KIND, documents)
    return index


def _ours(
    sample: Sample, index: LikenessIndex, at: int, *, with_text: bool
) -> tuple[float, int] | None:
    report = sample.reports[at]

    def candidate(key: str) -> Candidate | None:
        if int(key) >= at:
            return None
        earlier = sample.reports[int(key)]
        return Candidate(earlier["title"], (_time(report) - _time(earlier)) / _YEAR)

    text = (report["description"] or "") if with_text else ""
    ranked = rank(index, _KIND, Report(report["title"], text), candidate)
    return (ranked[0][0], int(ranked[0][1])) if ranked else None


def _time(report: dict[str, Any]) -> float:
    return datetime.fromisoformat(report["created"]).timestamp()


def _theirs(
    sample: Sample, database: sqlite3.Connection, at: int, *, with_text: bool
) -> tuple[float, int] | None:
    hit = database.execute(
        "SELECT -rank, rowid - 1 FROM report WHERE report MATCH ? AND rowid <= ? "
        "ORDER BY rank LIMIT 1",
        (plain_query(sample.reports[at], with_text=with_text), at),
    ).fetchone()
    return None if hit is None else (hit[0], hit[1])
