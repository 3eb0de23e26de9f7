"""How much an earlier report is like a new one.

SQLite's FTS5 chooses candidates (bm25) and finds the stems of words. The score is the geometric
mean of three shares, each 0 to 1: of the new title, by the rarity of its words, that the earlier
report has; of the earlier title that the new report has; and the cosine of the words of both. Two
titles that name different files or hosts are not about the same. What was finished long ago is
rarely meant: without that, older reports of the same part win.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections import Counter
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING

from unlatch.values import dataclass
from unlatch.worklog.search_index import STOP_WORDS, SearchIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

# From the first half of samples/duplicates: the lowest score at which at most one suggestion in ten
# is wrong, by title and by title and description, and at most one in ten reports without a marked
# duplicate gets one (`python -m benchmarks refile`).
LIKELY = 0.325
# Candidates that are scored, and the characters and words of a text that count.
_CANDIDATES = 50
_MOST_TEXT, _MOST_WORDS = 20_000, 400
# A report of a year ago counts two fifths, one of three years a quarter.
_FADING = 1.5
# As in `SearchIndex`: a word's rarity means little in a small collection.
_OTHERS = 50
# A single word of the title says nothing: many are about the login.
_LEAST_SHARED = 2
_WORD = re.compile(r"\w+")
# Names of files and hosts: a dot, and letters behind it.
_NAMES = re.compile(r"\b[^\W_][\w-]{0,100}(?:\.[\w-]{1,100}){0,10}\.[^\W\d_]{2,30}\b")


@dataclass(frozen=True, slots=True)
class Report:
    """What was asked for; both are untrusted text."""

    title: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A finished piece of work of an index; `years` are those since it was finished."""

    title: str
    years: float


@dataclass(frozen=True, slots=True)
class Words:
    """The stems of a report: of its title, and how often each is in all of it."""

    title: frozenset[str]
    counts: Mapping[str, int]


class LikenessIndex(SearchIndex):
    """The search index, as candidates with their texts and the rarity of stems.

    Raises as `SearchIndex`.
    """

    def hits(self, kind: str, report: Report) -> Iterator[tuple[str, str]]:
        """The keys and texts of the documents that have words of a report, the best first."""
        words = dict.fromkeys(_WORD.findall(f"{report.title} {report.text[:_MOST_TEXT]}".lower()))
        wanted = " OR ".join(f'"{word}"' for word in [*words][:_MOST_WORDS])
        query = (
            "SELECT key, summary || ' ' || title || ' ' || text FROM document "
            "JOIN source ON source.id = document.rowid WHERE document MATCH ? AND kind = ? "
            "ORDER BY bm25(document, 3.0, 2.0, 1.0), source.id"
        )
        with self._open() as database:
            rows = database.execute(query, (wanted, kind)) if wanted else ()
            yield from ((key, text[:_MOST_TEXT]) for key, text in rows)

    def rarity(self, stems: Iterable[str]) -> dict[str, float]:
        """The weight of each stem: the fewer documents have it, the more."""
        with self._open() as database:
            database.execute("CREATE VIRTUAL TABLE temp.term USING fts5vocab(main, document, row)")
            (total,) = database.execute("SELECT count(*) FROM source").fetchone()
            query = "SELECT coalesce(sum(doc), 0) FROM temp.term WHERE term = ?"
            having = {stem: database.execute(query, (stem,)).fetchone()[0] for stem in stems}
        total += _OTHERS
        return {stem: math.log(1 + (total - n + 0.5) / (n + 0.5)) for stem, n in having.items()}


def rank(
    index: LikenessIndex, kind: str, report: Report, candidate: Callable[[str], Candidate | None]
) -> list[tuple[float, str]]:
    """The scores and keys of the candidates, the best first.

    Args:
        candidate: the work of a key of the index; None if it is not to be suggested.
    """
    pairs = ((candidate(key), key, text) for key, text in index.hits(kind, report))
    candidates = [*islice(((work, key, text) for work, key, text in pairs if work), _CANDIDATES)]
    new, *others = _words([report, *(Report(work.title, text) for work, _, text in candidates)])
    rarity = index.rarity({stem for words in (new, *others) for stem in words.counts})
    scores = [
        (_score(new, words, rarity) * _fading(work.years), key)
        for (work, key, _), words in zip(candidates, others, strict=True)
        if _may_be_same(report.title, work.title)
    ]
    return sorted(scores, reverse=True)


def _words(reports: Sequence[Report]) -> list[Words]:
    """The words of reports, without those that have no subject."""
    counts: list[Counter[str]] = [Counter() for _ in (*reports, None)]
    titles: list[set[str]] = [set() for _ in counts]
    for stem, document, column in _stems([*reports, Report(" ".join(STOP_WORDS))]):
        counts[document - 1][stem] += 1
        if column == "title":
            titles[document - 1].add(stem)
    empty = titles.pop()
    return [
        Words(
            frozenset(title - empty),
            {stem: number for stem, number in count.items() if stem not in empty},
        )
        for title, count in zip(titles, counts, strict=False)
    ]


def _stems(reports: Iterable[Report]) -> Iterator[tuple[str, int, str]]:
    """Each word's stem, with the number of its report and the column."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(
            "CREATE VIRTUAL TABLE report USING fts5 (title, text, tokenize = 'porter unicode61')"
        )
        rows = (
            [part.encode(errors="replace").decode() for part in (report.title, report.text)]
            for report in reports
        )
        database.executemany("INSERT INTO report (title, text) VALUES (?, ?)", rows)
        database.execute("CREATE VIRTUAL TABLE term USING fts5vocab(report, instance)")
        yield from database.execute("SELECT term, doc, col FROM term")


def _score(new: Words, earlier: Words, rarity: Mapping[str, float]) -> float:
    if len(new.title & earlier.counts.keys()) < _LEAST_SHARED:
        return 0.0
    shares = (
        _share(new.title, earlier.counts, rarity),
        _share(earlier.title, new.counts, rarity),
        _cosine(new.counts, earlier.counts, rarity),
    )
    return math.prod(shares) ** (1 / len(shares))


def _share(words: frozenset[str], others: Mapping[str, int], rarity: Mapping[str, float]) -> float:
    whole = sum(rarity[word] for word in words)
    return sum(rarity[word] for word in words if word in others) / whole if whole else 0.0


def _cosine(
    words: Mapping[str, int], others: Mapping[str, int], rarity: Mapping[str, float]
) -> float:
    first, second = _vector(words, rarity), _vector(others, rarity)
    length = math.hypot(*first.values()) * math.hypot(*second.values())
    product = sum(weight * second[word] for word, weight in first.items() if word in second)
    return product / length if length else 0.0


def _vector(counts: Mapping[str, int], rarity: Mapping[str, float]) -> dict[str, float]:
    return {word: (1 + math.log(number)) * rarity[word] for word, number in counts.items()}


def _fading(years: float) -> float:
    return 1 / (1 + _FADING * math.log2(1 + max(years, 0.0)))


def _may_be_same(title: str, other: str) -> bool:
    """Whether the names of files and hosts in two titles allow that they are about the same."""
    names, others = _names(title), _names(other)
    if not names or not others:
        return True
    return any(
        first == second or first.endswith(f".{second}") or second.endswith(f".{first}")
        for first in names
        for second in others
    )


def _names(title: str) -> set[str]:
    return {name.lower().removeprefix("www.") for name in _NAMES.findall(title)}
