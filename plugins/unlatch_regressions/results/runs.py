"""What the runs of a guarding test on the default branch say."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from unlatch_regressions.results.reports import Result

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

# Of a test; what was longer ago does not count.
MOST_RUNS = 10
# Failures that went away by themselves.
_RANDOM = 2


class Run(NamedTuple):
    """A run of a test, of which the result is known.

    Args:
        place: that of its commit among the commits of the branch.
        at: the time of the commit.
    """

    place: int
    commit: str
    at: datetime
    result: Result


class Streak(NamedTuple):
    """Runs in a row with one result."""

    result: Result
    runs: Sequence[Run]


def recent_streaks(runs: Sequence[Run]) -> list[Streak]:
    """The last runs of a test, which count, in the order of their commits."""
    groups = groupby(runs[-MOST_RUNS:], lambda run: run.result)
    return [Streak(result, [*group]) for result, group in groups]


def why_not(streaks: Sequence[Streak], *, needed: int, completed: int) -> str:
    """Why a test that failed last does not show that its work is broken; "" if it shows it.

    Args:
        needed: the number of runs in a row that count.
        completed: the place of the commit that completed the work.
    """
    if why := _why_random(streaks, needed):
        return why
    if not _was_green(streaks, completed):
        return "no run shows that it passed when the work was completed"
    count = len(streaks[-1].runs)
    return f"it failed in {count} of {needed} runs in a row" if count < needed else ""


def _why_random(streaks: Sequence[Streak], needed: int) -> str:
    if streaks[-1].result is Result.FLAKY:
        return "it fails at random: it failed and passed on one commit"
    away = [
        result
        for result, runs in streaks[:-1]
        if result is Result.FLAKY or (result is Result.FAILED and len(runs) < needed)
    ]
    if len(away) < _RANDOM:
        return ""
    return f"it fails at random: {len(away)} failures went away within {MOST_RUNS} runs"


def _was_green(streaks: Sequence[Streak], completed: int) -> bool:
    """Whether it passed in the last run before the completion, or after it."""
    runs = [run for streak in streaks for run in streak.runs]
    before = [run for run in runs if run.place <= completed]
    since = [run for run in runs if run.place > completed]
    return any(run.result is Result.PASSED for run in (*before[-1:], *since))


def is_needed(runs: Sequence[Run], run: Run, *, needed: int) -> bool:
    """Whether the memory needs a run: one that differs from the one before it, or counts."""
    earlier = [other for other in runs if other.place <= run.place][-needed:]
    if any(other.place == run.place for other in earlier):
        return earlier[-1].result not in (run.result, Result.FLAKY)
    return len(earlier) < needed or any(other.result is not run.result for other in earlier)


def joined(runs: Sequence[Run]) -> Iterator[Run]:
    """Runs in order; those of one commit are one, which is flaky if they differ."""
    for _, group in groupby(sorted(runs, key=lambda run: run.place), lambda run: run.place):
        same = [*group]
        differ = len({run.result for run in same}) > 1
        yield same[0]._replace(result=Result.FLAKY) if differ else same[0]
