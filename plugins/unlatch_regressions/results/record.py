"""Write the results that the memory needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.values import dataclass
from unlatch_regressions.results.memory import Ran, event_of, write_memory
from unlatch_regressions.results.observe import GuardResults, observe
from unlatch_regressions.results.runs import is_needed, joined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch_regressions.request import Request


@dataclass(frozen=True, slots=True)
class Recorded:
    """What was written: the numbers of lines added and removed."""

    added: int
    removed: int


def record_results(
    request: Request, *, by: str, is_default: bool, dry_run: bool = False
) -> Recorded:
    """Add the results in the reports to the memory: those that differ, or count.

    Args:
        is_default: whether the default branch is checked out, where old lines are removed.

    Raises:
        UnlatchError: as `read_tests`; the memory cannot be written.
    """
    observed = observe(request)
    lines = [line for results in observed.guards() for line in _lines(request, results, by)]
    if dry_run:
        return Recorded(len(lines), 0)
    removed = write_memory(request.root, lines, observed.places, is_default=is_default)
    return Recorded(len(lines), removed)


def _lines(request: Request, results: GuardResults, by: str) -> Iterator[Ran]:
    known = [*results.remembered]
    for run in joined(results.new):
        if is_needed(known, run, needed=request.runs):
            known = [*joined([*known, run])]
            yield event_of(results.guard.test, run, by=by)
