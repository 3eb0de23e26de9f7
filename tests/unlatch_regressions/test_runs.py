"""What the results of a guarding test in the runs of the default branch show."""

from datetime import UTC, datetime

import pytest

from unlatch_regressions.results.reports import Result
from unlatch_regressions.results.runs import Run, is_needed, joined, recent_streaks, why_not

_AT = datetime(2026, 3, 1, tzinfo=UTC)
_RESULTS = {"P": Result.PASSED, "F": Result.FAILED, "~": Result.FLAKY}
_RED = "no run shows that it passed when the work was completed"


def _run(letter: str, place: int) -> Run:
    return Run(place, f"{place:040x}", _AT, _RESULTS[letter])


def _runs(letters: str) -> list[Run]:
    return [_run(letter, place) for place, letter in enumerate(letters) if letter != "|"]


@pytest.mark.parametrize(
    # The work was completed at the bar.
    ("letters", "why"),
    [
        ("P|FF", ""),
        ("PP|FFFF", ""),
        ("|PFF", ""),
        ("P|F", "it failed in 1 of 2 runs in a row"),
        ("|FF", _RED),
        ("F|FFF", _RED),
        ("PF|FF", _RED),  # it failed already
        ("FF|PFF", ""),  # green for a while
        ("P|FPFF", ""),  # one failure that went away is no habit
        ("P|FPFPFF", "it fails at random: 2 failures went away within 10 runs"),
        ("P|~FPFF", "it fails at random: 2 failures went away within 10 runs"),
        ("P|F~", "it fails at random: it failed and passed on one commit"),
        ("P|FFPPFF", ""),
        ("P|FPFPPPPPPPPFF", ""),  # that was longer ago than ten runs
    ],
)
def test_when_a_failure_counts(letters: str, why: str) -> None:
    streaks = recent_streaks(_runs(letters))
    assert why == why_not(streaks, needed=2, completed=letters.index("|"))


@pytest.mark.parametrize(
    ("letters", "needed"),
    [
        ("P", True),
        ("PP", True),
        ("PPP", False),
        ("PPF", True),
        ("PPFF", True),
        ("PPFFF", False),
        ("PPFFFP", True),
        ("FPFP", True),
    ],
)
def test_what_the_memory_needs(letters: str, *, needed: bool) -> None:
    *earlier, last = _runs(letters)
    assert needed is is_needed(earlier, last, needed=2)


def test_two_results_of_one_commit_are_one_that_is_flaky() -> None:
    both = [_run("P", 1), _run("F", 1), _run("F", 1), _run("P", 0)]
    assert [_run("P", 0), _run("~", 1)] == [*joined(both)]
    assert is_needed([_run("P", 1)], _run("F", 1), needed=2)
    assert not is_needed([_run("P", 1)], _run("P", 1), needed=2)
    assert not is_needed([_run("~", 1)], _run("P", 1), needed=2)
