"""Find work by words: bring the index up to date, rank, and read the hits again."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.errors import UnlatchError
from unlatch.project.find_increment import names_item
from unlatch.related.kinds import collecting_unread, kind_named, unread_warnings
from unlatch.related.places import installed_kinds
from unlatch.related.search.increments import IncrementDocuments, described
from unlatch.values import dataclass
from unlatch.worklog.disk.user_files import state_folder
from unlatch.worklog.search_index import Hit, Match, SearchIndex, Source, retry_if_damaged

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from unlatch.increments.model.increment import Increment
    from unlatch.project.workspace import Workspace
    from unlatch.related.kinds import Described, Documents

_INCREMENT = "increment"
# On samples/duplicates every tenth unrelated query has a hit with this coverage, and 39 % of those
# that a person marked as duplicates (`python -m benchmarks search`).
LIKELY = 0.7
# Hits to read for each shown result: some are gone or filtered out.
_SPARE = 5


@dataclass(frozen=True, slots=True)
class Found:
    """A piece of work that matches.

    Args:
        score: the share of the query that it has, 0 to 1; the order is that of the ranking.
        why: the words that matched, each with its place.
    """

    kind: str
    work: Described
    score: float
    why: tuple[Match, ...]

    @property
    def is_likely(self) -> bool:
        """Whether to mention it unasked."""
        return self.score >= LIKELY


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a search.

    Args:
        found: the best first.
        warnings: why efforts, sessions or runs were not read.
    """

    found: list[Found]
    warnings: tuple[UnlatchError, ...] = ()


def kinds_of_work() -> tuple[str, ...]:
    """The kinds that can be searched."""
    return (_INCREMENT, *installed_kinds())


def index_file(workspace: Workspace) -> Path:
    """The place of a project's search index."""
    return state_folder(workspace.paths.root) / "search.sqlite3"


def search(
    workspace: Workspace,
    query: str,
    *,
    kinds: Sequence[str] = (),
    status: str | None = None,
    since: datetime | None = None,
    limit: int = 10,
    seconds: float | None = None,
) -> Result:
    """Find the work that has words of the query.

    Args:
        kinds: only work of these kinds; by default of all.
        status: only work with this status.
        since: only work that was changed at this time or later.
        seconds: time for indexing new work of each kind; by default as long as it takes.

    Raises:
        StoreError: `search-unavailable`, or increments, or all of `kinds`, cannot be listed.
    """
    kinds = kinds or kinds_of_work()
    index = SearchIndex(index_file(workspace))
    documents: dict[str, Documents] = {}
    unread: dict[str, UnlatchError] = {}
    for kind in kinds:
        with collecting_unread(kind, unread):
            documents[kind] = _documents(workspace, kind)

    def sources(kind: str) -> Iterator[Source]:
        with collecting_unread(kind, unread):
            yield from documents[kind].sources()

    def hits() -> list[Hit]:
        for kind in documents:
            index.refresh(kind, sources(kind), seconds=seconds)
        return index.search(query, kinds=list(documents), limit=limit * _SPARE)

    results = [*_linked(workspace, query)] if _INCREMENT in kinds else []
    results = [result for result in results if status in (None, result.work.status)]
    results = [result for result in results if _is_since(result.work, since)]
    linked_ids = {result.work.id for result in results}
    best = retry_if_damaged(hits)
    if unread.keys() >= {*kinds} or _INCREMENT in unread:
        raise unread.get(_INCREMENT) or unread[kinds[0]]
    for hit in best:
        work = documents[hit.kind].describe(hit.key)
        if work and hit.kind == _INCREMENT and work.id in linked_ids:
            continue
        if work and (status is None or work.status == status) and _is_since(work, since):
            results.append(Found(hit.kind, work, hit.coverage, _placed(hit, work)))
    return Result(results[:limit], unread_warnings(unread))


def _placed(hit: Hit, work: Described) -> tuple[Match, ...]:
    """The matches of a hit, with the names of what its kind has beside the summary."""
    place = "reasons" if hit.kind == _INCREMENT else kind_named(hit.kind).beside
    summary = (work.summary or "").casefold()
    return tuple(
        replace(match, where=place)
        if place and match.where == "summary" and match.word.casefold() not in summary
        else match
        for match in hit.matches
    )


def _linked(workspace: Workspace, query: str) -> Iterator[Found]:
    """The increments that are linked to the item that the whole query names."""
    word = query.strip()
    if not names_item(word):
        return
    from unlatch.project.linked import find_linked  # noqa: PLC0415  (loads the trackers)

    linked: list[Increment] = []
    with suppress(UnlatchError):  # no tracker knows the address
        linked = find_linked(workspace, word)
    for increment in linked:
        yield Found(_INCREMENT, described(increment), 1.0, (Match(word, "links"),))


def _documents(workspace: Workspace, kind: str) -> Documents:
    if kind == _INCREMENT:
        return IncrementDocuments(workspace)
    return kind_named(kind).documents(workspace)


def _is_since(work: Described, since: datetime | None) -> bool:
    return since is None or (work.changed is not None and work.changed >= since)
