"""Tests that guard finished work and fail on the default branch.

A test counts when it failed in several runs in a row, and passed when the work was completed. What
is not known, or may be the result of another test, is listed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from unlatch.config.choices import Reaction
from unlatch.increments.files.paths import HOME, RESULTS
from unlatch_regressions.cause import Cause
from unlatch_regressions.request import Reader, Request
from unlatch_regressions.results.observe import GuardResults, Observed, observe
from unlatch_regressions.results.reports import Result
from unlatch_regressions.results.runs import Run, Streak, recent_streaks, why_not

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unlatch_regressions.results.guards import Guard

KIND = "test"
_SECOND = timedelta(seconds=1)


def read_tests(request: Request) -> Iterator[Cause]:
    """What the results of guarding tests say of finished work.

    Raises:
        UnlatchError: a report or the memory cannot be read, or `history-missing`.
    """
    observed = observe(request)
    unknown: Counter[tuple[str, str]] = Counter()
    for results in observed.guards():
        if results.unknown and not results.guard.is_linked:
            unknown[results.guard.work, results.unknown] += 1
        yield from _causes(observed, results)
    for (work, why), tests in unknown.items():
        name = f"{tests} tests that its commits added"
        yield _listed(request, work, name, why)
    for file, why in observed.skipped:
        yield _listed(request, "", file, why)
    if observed.lost:
        lines = f"{observed.lost} lines" if observed.lost > 1 else "a line"
        why = f"it has {lines} that cannot be read"
        yield _listed(request, "", f"{HOME}/{RESULTS}", why)


def _causes(observed: Observed, results: GuardResults) -> Iterator[Cause]:
    request, guard = observed.request, results.guard
    if results.unknown and guard.is_linked:
        yield _listed(request, guard.work, guard.test, results.unknown)
    for commit in results.elsewhere:
        at_most = Reaction.IGNORE if commit else Reaction.SUGGEST
        why = "it did not run on the default branch" if commit else "its commit is not known"
        yield _listed(request, guard.work, guard.test, why, commit=commit, at_most=at_most)
    streaks = recent_streaks(results.runs)
    if streaks:
        work = request.work[guard.work]
        last, why = streaks[-1], ""
        if last.result is not Result.PASSED:
            why = why_not(streaks, needed=request.runs, completed=observed.completed_at(work))
        yield from _observations(guard, streaks, request.runs, why=why)


def _observations(
    guard: Guard, streaks: Sequence[Streak], needed: int, *, why: str
) -> Iterator[Cause]:
    """The failures that count, and each run that passed after them.

    Args:
        why: why the last failures do not count, so that they are listed.
    """
    times = _times(streaks)
    has_failed = False
    for result, runs in streaks:
        at = times[runs[-1]]
        cause = Cause(KIND, (guard.test,), at, "", guard.test, guard.work, runs[-1].commit)
        if result is Result.PASSED and has_failed:
            evidence = f"{guard.test} passed"
            for run in runs:
                seen = replace(cause, seen_at=times[run], commit=run.commit, is_gone=True)
                yield replace(seen, evidence=evidence)
        often = f"in {len(runs)} runs in a row" if len(runs) > 1 else "in 1 run"
        evidence = f"{guard.test} failed {often}"
        if why and runs is streaks[-1].runs:
            yield replace(cause, evidence=evidence, at_most=Reaction.IGNORE, why=why)
        elif result is Result.FAILED and len(runs) >= needed:
            has_failed = True
            yield replace(cause, evidence=evidence)


def _times(streaks: Sequence[Streak]) -> dict[Run, datetime]:
    """The times of runs, each after the one before it, as their commits are.

    The clock of a committer may be wrong, and commits may have one second.
    """
    times: dict[Run, datetime] = {}
    for run in (run for streak in streaks for run in streak.runs):
        last = next(reversed(times.values()), None)
        times[run] = run.at if last is None else max(run.at, last + _SECOND)
    return times


def _listed(
    request: Request,
    work: str,
    name: str,
    why: str,
    *,
    commit: str = "",
    at_most: Reaction = Reaction.IGNORE,
) -> Cause:
    key = (name, why, commit)
    return Cause(KIND, key, request.now, name, name, work, commit, at_most=at_most, why=why)


READER = Reader((KIND,), read_tests)
