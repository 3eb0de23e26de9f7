"""The effects of a worker's answer and end."""

from __future__ import annotations

import pytest

from unlatch.runs.dispatch.outcome import NO_ANSWER, NO_VERDICT, NoAnswer, outcome_of
from unlatch.runs.dispatch.port import End, Ended, Role
from unlatch.runs.dispatch.protocol import Answer, Done, Failed, Question

CLEAN = Ended(End.EXIT, 0)
KILLED = Ended(End.SIGNAL, 9)
DONE, ASSUMED = Done("all"), Done("all", is_stated=False)
FAILED, BROKEN = Failed("no server"), Failed("error_max_turns", is_stated=False)
ASKED = Question("Which?")

TABLE: list[tuple[Answer | None, Ended, Answer | NoAnswer, Answer | NoAnswer]] = [
    # answer, end, outcome for a developer, outcome for an auditor
    (DONE, CLEAN, DONE, DONE),
    (DONE, Ended(End.LINGERED), DONE, DONE),
    (ASSUMED, CLEAN, ASSUMED, NoAnswer(NO_VERDICT)),
    (FAILED, CLEAN, FAILED, FAILED),
    (FAILED, Ended(End.EXIT, 1), FAILED, FAILED),
    (BROKEN, Ended(End.EXIT, 1), BROKEN, NoAnswer("error_max_turns")),
    (ASKED, CLEAN, ASKED, ASKED),
    (None, CLEAN, NoAnswer(NO_ANSWER), NoAnswer(NO_VERDICT)),
]


@pytest.mark.parametrize(("answer", "ended", "developer", "auditor"), TABLE)
def test_an_outcome_depends_on_answer_end_and_role(
    answer: Answer | None, ended: Ended, developer: Answer | NoAnswer, auditor: Answer | NoAnswer
) -> None:
    assert outcome_of(Role.DEVELOPER, answer, ended) == developer
    assert outcome_of(Role.AUDITOR, answer, ended) == auditor


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("end", [one for one in End if one is not End.LINGERED])
def test_done_counts_only_with_a_clean_end(role: Role, end: End) -> None:
    code = {End.EXIT: 1, End.SIGNAL: 11}.get(end)
    outcome = outcome_of(role, DONE, Ended(end, code))
    assert isinstance(outcome, NoAnswer)
    assert outcome.reason.startswith("it reported done, then: it ")


def test_a_reason_names_exit_code_signal_and_the_last_error() -> None:
    failed = Ended(End.EXIT, 3, errors="Traceback\n  ...\nKeyError: 'x'\n\n")
    assert outcome_of(Role.DEVELOPER, None, failed) == NoAnswer(
        "it ended with exit code 3: KeyError: 'x'"
    )
    assert outcome_of(Role.DEVELOPER, None, KILLED) == NoAnswer(
        "it was ended by signal 9 (SIGKILL)"
    )
    assert outcome_of(Role.DEVELOPER, None, Ended(End.SIGNAL, 99)) == NoAnswer(
        "it was ended by signal 99 (unknown)"
    )
