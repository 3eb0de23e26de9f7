"""Search compared with plain FTS5: duplicates found, false asks, and time."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import time
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from benchmarks.figures import Figure, NotMeasured
from unlatch.related.search.search import LIKELY
from unlatch.worklog.search_index import Document, SearchIndex, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

PART = "search"
BEST = 5
# Reports not marked as duplicates; asking about one of them is a false ask.
UNRELATED = 200
MANY = 10_000
ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Reports:
    """Bug reports by date, and pairs of places among them: a later report and its duplicate."""

    reports: Sequence[dict[str, Any]]
    pairs: Sequence[tuple[int, int]]


def figures() -> Iterator[Figure]:
    """Recall on known duplicates, then time on 10,000 documents."""
    corpus = _read()
    with TemporaryDirectory() as place:
        index = _indexed(Path(place) / "index", corpus.reports)
        plain = plain_index(corpus.reports)
        for name, with_text in (("title", False), ("title and description", True)):
            ours = _found(corpus, partial(_ours, index), with_text=with_text)
            theirs = _found(corpus, partial(_theirs, plain), with_text=with_text)
            what = f"of {len(corpus.pairs)} duplicates missed among the first {BEST}, by {name}"
            missed = len(corpus.pairs) - ours
            yield Figure(
                PART,
                what,
                missed,
                "pairs",
                len(corpus.pairs) - theirs,
                1,
                "plain FTS5, OR of words",
            )
        yield from _asks(corpus, index)
    yield from _times(corpus)


def read_reports() -> tuple[list[dict[str, Any]], list[list[str]]]:
    """The reports of the sample, and pairs of the ids of duplicates.

    Raises:
        NotMeasured: UNLATCH_SAMPLES is not set.
    """
    samples = os.environ.get("UNLATCH_SAMPLES")
    if not samples:
        raise NotMeasured("UNLATCH_SAMPLES does not name the folder with duplicates/reports.jsonl")
    folder = Path(samples) / "duplicates"
    return _lines(folder / "reports.jsonl"), _lines(folder / "pairs.jsonl")


def _read() -> Reports:
    listed, duplicates = read_reports()
    reports = sorted(listed, key=lambda report: (report["created"], report["id"]))
    places = {report["id"]: number for number, report in enumerate(reports)}
    pairs = [(places[first], places[other]) for first, other in duplicates]
    return Reports(reports, [(max(pair), min(pair)) for pair in pairs])


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _indexed(path: Path, reports: Sequence[dict[str, Any]], copies: int = 1) -> SearchIndex:
    index = SearchIndex(path)
    numbered = (
        (f"{copy}.{at}", report) for copy in range(copies) for at, report in enumerate(reports)
    )
    documents = (
        Source(key, "1", partial(Document, report["title"], "", report["description"] or ""))
        for key, report in islice(numbered, MANY)
    )
    index.refresh("report", documents)
    return index


def plain_index(reports: Sequence[dict[str, Any]], copies: int = 1) -> sqlite3.Connection:
    """The same reports in a table of FTS5, in their order."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE report USING fts5 (title, text, tokenize = 'porter')")
    rows = [(report["title"], report["description"] or "") for report in reports] * copies
    database.executemany("INSERT INTO report VALUES (?, ?)", rows[:MANY])
    return database


def _ours(index: SearchIndex, query: str, limit: int) -> list[int]:
    return [int(hit.key.partition(".")[2]) for hit in index.search(query, limit=limit)]


def _theirs(database: sqlite3.Connection, query: str, limit: int) -> list[int]:
    term = _any_word(query)
    rows = database.execute(
        "SELECT rowid FROM report WHERE report MATCH ? ORDER BY rank LIMIT ?", (term, limit)
    )
    return [row[0] - 1 for row in rows]


def plain_query(report: dict[str, Any], *, with_text: bool) -> str:
    """A report as a query of FTS5: any of its words."""
    return _any_word(_query(report, with_text=with_text))


def _any_word(query: str) -> str:
    words = dict.fromkeys(re.findall(r"\w+", query))
    return " OR ".join(f'"{word}"' for word in words)


def _found(corpus: Reports, search: Callable[[str, int], list[int]], *, with_text: bool) -> int:
    """The number of pairs whose earlier report is among the best of those that were there."""
    hits = 0
    for later, earlier in corpus.pairs:
        query = _query(corpus.reports[later], with_text=with_text)
        before = [place for place in search(query, len(corpus.reports)) if place < later]
        hits += earlier in before[:BEST]
    return hits


def _query(report: dict[str, Any], *, with_text: bool) -> str:
    return f"{report['title']} {report['description'] or ''}" if with_text else report["title"]


def _asks(corpus: Reports, index: SearchIndex) -> Iterator[Figure]:
    related = {place for pair in corpus.pairs for place in pair}
    others = [at for at in range(len(corpus.reports)) if at not in related]
    unrelated = Random(16).sample(others, UNRELATED)  # noqa: S311  (a sample)
    false = sum(_would_ask(corpus, index, at) for at in unrelated) / len(unrelated)
    true = sum(_would_ask(corpus, index, at) for at, _ in corpus.pairs) / len(corpus.pairs)
    yield Figure(PART, "unrelated reports that it would ask about", false, "", 0.1, 1.2, "budget")
    yield Figure(PART, "duplicates that it would ask about", true, "", None, None, "")


def _would_ask(corpus: Reports, index: SearchIndex, at: int) -> bool:
    hits = index.search(corpus.reports[at]["title"], limit=len(corpus.reports))
    earlier = (hit for hit in hits if int(hit.key.partition(".")[2]) < at)
    best = next(earlier, None)
    return best is not None and best.coverage >= LIKELY


def _times(corpus: Reports) -> Iterator[Figure]:
    copies = -(-MANY // len(corpus.reports))
    with TemporaryDirectory() as place:
        began = time.perf_counter()
        plain = plain_index(corpus.reports, copies)
        filled = time.perf_counter()
        index = _indexed(Path(place) / "index", corpus.reports, copies)
        ended = time.perf_counter()
        what = f"indexing {MANY:,} reports"
        ours, theirs = (ended - filled) * 1000, (filled - began) * 1000
        yield Figure(PART, what, ours, "ms", theirs, None, "plain FTS5 in memory")
        queries = [corpus.reports[later]["title"] for later, _ in corpus.pairs]
        spent = [
            min(_spent(search, queries) for _ in range(ROUNDS))
            for search in (partial(_ours, index), partial(_theirs, plain))
        ]
        what = f"{len(queries)} searches among {MANY:,} reports"
        yield Figure(PART, what, spent[0], "ms", spent[1], None, "plain FTS5 in memory")


def _spent(search: Callable[[str, int], list[int]], queries: Sequence[str]) -> float:
    began = time.perf_counter()
    for query in queries:
        search(query, BEST)
    return (time.perf_counter() - began) * 1000
