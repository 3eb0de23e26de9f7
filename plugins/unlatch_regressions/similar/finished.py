"""The finished work of a project that a new report may repeat."""

from __future__ import annotations

from contextlib import suppress
from pathlib import PurePath
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UnlatchError
from unlatch.increments.model.status import Status
from unlatch.related.search.search import index_file, search
from unlatch.related.search.similar import similar_work
from unlatch.values import dataclass
from unlatch.worklog.search_index import retry_if_damaged
from unlatch_regressions.similar.likeness import LIKELY, Candidate, LikenessIndex, Report, rank

if TYPE_CHECKING:
    from unlatch.increments.model.increment import Increment
    from unlatch.project.workspace import Workspace

_KIND = "increment"
_YEAR = 365.25 * 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class Finished:
    """A completed increment that a report looks like.

    Args:
        score: 0 to 1; 1 is the same report on the same day.
    """

    increment: Increment
    score: float

    @property
    def items(self) -> tuple[str, ...]:
        """The names of its items for people, as #4 and SCRUM-28."""
        names = (link.name for link in self.increment.links)
        return tuple(f"#{name}" if name.isdecimal() else name for name in names)

    @property
    def command(self) -> str:
        """What reopens it."""
        return f"unlatch resume {quote(self.increment.id)}"

    @property
    def sentence(self) -> str:
        done = self.increment.completed_at
        items = f" ({', '.join(self.items)})" if self.items else ""
        when = f"completed on {done:%Y-%m-%d}, " if done else ""
        return f"this looks like {self.increment.id}{items}, {when}score {self.score:.2f}"


def looks_like(workspace: Workspace, report: Report, *, url: str = "") -> Finished | None:
    """The completed increment that a report most likely repeats; None if none is likely.

    Args:
        url: the address of the report's own item: an increment that is linked to it is none.

    Raises:
        StoreError: `search-unavailable`, or the increments cannot be listed.
    """
    search(workspace, report.title, kinds=(_KIND,), limit=1)  # brings the index up to date
    return _likely(workspace, report, url)


def related_work(workspace: Workspace, title: str, *, apart: str) -> tuple[UnlatchError, ...]:
    """Warnings about work that was done before, for `new` and `link`; never an error.

    Args:
        apart: the id of the increment that has the title.
    """
    warnings = similar_work(workspace, title, apart=apart)  # brings the index up to date
    finished = None
    with suppress(UnlatchError):
        finished = _likely(workspace, Report(title), "")
    if finished is None or finished.increment.id == apart:
        return warnings
    command = finished.command
    message = f"{finished.sentence}; to reopen it: {command}"
    others = (warning for warning in warnings if warning.hint != command)
    return (StoreError("looks-finished", message, hint=command), *others)


def _likely(workspace: Workspace, report: Report, url: str) -> Finished | None:
    increments: dict[str, Increment] = {}

    def candidate(key: str) -> Candidate | None:
        with suppress(UnlatchError):  # gone, broken, or two folders have its name
            increment = workspace.manager.read(PurePath(key).name)
            if increment.status is Status.COMPLETED and not _is_linked(increment, url):
                increments[key] = increment
                return Candidate(increment.title, _years(workspace, increment))
        return None

    index = LikenessIndex(index_file(workspace))
    ranked = retry_if_damaged(lambda: rank(index, _KIND, report, candidate))
    score, key = next(iter(ranked), (0.0, ""))
    return Finished(increments[key], score) if score >= LIKELY else None


def _is_linked(increment: Increment, url: str) -> bool:
    return bool(url) and any(link.url == url for link in increment.links)


def _years(workspace: Workspace, increment: Increment) -> float:
    done = increment.completed_at or increment.last_activity
    return (workspace.clock() - done).total_seconds() / _YEAR if done else 0.0
