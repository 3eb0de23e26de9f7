"""After any answer of a tracker, the command ends, is clear, and records the truth.

A sample: each answer once, and the greedy ones against a process as it is shipped. All of them, to
every request: `python -m tests.security.hostile_tracker`.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.pairs import sampled
from tests.security.hostile_answers import ANSWERS
from tests.security.hostile_tracker import TRACKERS, as_shipped, attempt, in_process

from unlatch_sandbox import Sandbox

# How many requests the reopen of an item sends; a test holds them to it.
REQUESTS = {"github": 4, "ado": 4, "jira": 3}
PLACES = [(name, number + 1) for name in TRACKERS for number in range(REQUESTS[name])]
GREEDY = {
    "1 GiB body": ("github", 2),
    "endless chunks": ("jira", 1),
    "gzip bomb": ("ado", 4),
    "many values": ("github", 1),
    "wide text": ("jira", 1),
    "flood of 103": ("ado", 2),
}


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        yield sandbox


@pytest.mark.parametrize("name", TRACKERS)
def test_reopen_sends_the_requests_that_are_answered_badly_here(
    name: str, box: Sandbox, tmp_path: Path
) -> None:
    trial = attempt(box, name, tmp_path, run=in_process)

    assert (0, [], REQUESTS[name]) == (trial.code, trial.faults(), len(trial.requests))


@pytest.mark.parametrize(
    ("name", "place"),
    [
        pytest.param(name, PLACES[number % len(PLACES)], id=name, marks=marks)
        for number, name in enumerate(ANSWERS)
        for marks in [pytest.mark.sweep if number % 6 else ()]
    ],
)
def test_hostile_answer_ends_in_a_clear_error_and_true_records(
    name: str, place: tuple[str, int], box: Sandbox, tmp_path: Path
) -> None:
    tracker, number = place
    trial = attempt(box, tracker, tmp_path, target=number, answer=ANSWERS[name], run=in_process)

    assert [] == trial.faults(), trial.said


@pytest.mark.parametrize("name", sampled(GREEDY, {"endless chunks", "gzip bomb"}))
def test_greedy_answer_takes_little_memory(name: str, box: Sandbox, tmp_path: Path) -> None:
    tracker, number = GREEDY[name]
    trial = attempt(box, tracker, tmp_path, target=number, answer=ANSWERS[name], run=as_shipped)

    assert [] == trial.faults(), trial.said
    assert trial.memory > 0
