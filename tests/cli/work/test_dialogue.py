"""resume at a terminal: the output, the prompts, and the effects of the answers."""

import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from tests.cli.project import ALL, FINISHED, OPEN, REASON, Project
from tests.cli.terminal import CTRL_C, Terminal

from unlatch_sandbox import Fault

CONTINUE, WHY = "Continue? [y/N]: ", "Reason for reopening: "
INTRODUCTION = f"""\
! Increment 0007-smart-discipline is completed
    Completed       {FINISHED:%Y-%m-%d} (3 days ago)
    GitHub          octo/widgets#4 "Smart discipline" (closed, assigned to octocat)
    Azure DevOps    fabrikam/widgets 101 "Smart discipline" (User Story, Closed)
    Jira            SCRUM-28 "Smart discipline" (Epic, Done)
    Reopened before 0 times
  Resuming will set it active, reopen 3 items and post the reason on each.
"""
DIALOGUE = f"""\
{INTRODUCTION}\
Continue? [y/N]: y
Reason for reopening: Bug discovered in error handling
✓ Increment 0007-smart-discipline reopened: completed -> active (by Gil Git)
✓ GitHub octo/widgets#4 reopened; commented; labels +reopened -completed
✓ Azure DevOps fabrikam/widgets 101 reopened; commented; labels +reopened -completed
✓ Jira SCRUM-28 reopened; commented; labels +reopened -completed
Next: unlatch show 0007-smart-discipline
"""


def in_order(shown: str) -> str:
    """The dialogue with its items in the order of the links; they end in any order."""
    lines = shown.splitlines(keepends=True)
    rank = {"✓ GitHub": 0, "✓ Azure": 1, "✓ Jira": 2}
    results = [line for line in lines if line.startswith(tuple(rank))]
    first = lines.index(results[0])
    ordered = sorted(results, key=lambda line: next(n for t, n in rank.items() if t in line))
    return "".join([*lines[:first], *ordered, *lines[first + len(results) :]])


Answers = tuple[tuple[str, str], ...]
GO_ON, LEAVE, BECAUSE = (CONTINUE, "y\n"), (CONTINUE, "n\n"), (WHY, f"{REASON}\n")


def converse(
    project: Project, answers: Answers, *options: str, **terminal: Any
) -> tuple[int, Terminal]:
    """Resume 0007 with these answers to questions; the exit code, and what was shown."""
    with Terminal(project, "resume", "7", *options, **terminal) as shown:
        for question, answer in answers:
            shown.answer(question, answer)
        code = shown.end()
    return code, shown


def test_the_whole_dialogue(completed: Project) -> None:
    code, shown = converse(completed, (GO_ON, BECAUSE))
    assert in_order(shown.text) == DIALOGUE
    assert code == 0
    assert completed.states() == OPEN
    assert dict.fromkeys(ALL, 1) == {name: len(c) for name, c in completed.comments().items()}


@pytest.mark.parametrize("prompts", [[CONTINUE], [CONTINUE, WHY]])
@pytest.mark.parametrize("key", [CTRL_C, "\x04"], ids=["ctrl-c", "ctrl-d"])
def test_leaving_at_a_prompt_changes_nothing(single: Project, prompts: list[str], key: str) -> None:
    before = single.tree()
    with Terminal(single, "resume", "7") as terminal:
        for number, prompt in enumerate(prompts):
            terminal.expect(prompt)
            if number + 1 < len(prompts):
                terminal.type("y\n")
        code = terminal.leave(key)
    assert code == 130
    assert "Traceback" not in terminal.text
    assert "Interrupted. Nothing was changed.\n" in terminal.text
    assert before == single.tree()
    assert single.wrote() == []


@pytest.mark.parametrize(("before", "warned"), [(1, False), (2, True), (4, True)])
def test_from_the_third_reopen_on_it_warns(project: Project, before: int, warned: bool) -> None:
    entry = {
        "reopenedAt": "2025-10-02T08:00:00Z",
        "reason": "Again",
        "previousStatus": "completed",
        "reopenedBy": "Gil Git",
        "syncedTo": {},
    }
    ids = [f"01JC000000000000000000000{number}" for number in range(before)]
    project.increment(reopenHistory=[{"id": ulid, **entry} for ulid in ids])

    _, shown = converse(project, (LEAVE,))

    count = "1 time\n" if before == 1 else f"{before} times\n"
    assert f"    Reopened before {count}" in shown.text
    warning = f"This will be reopen number {before + 1}. Consider a new increment"
    assert warned is (warning in shown.text)


@pytest.fixture
def over() -> Iterator[threading.Event]:
    """A delay of a request until the end of the test."""
    event = threading.Event()
    yield event
    event.set()


def test_an_item_that_takes_too_long_is_unknown_and_holds_nothing_up(
    completed: Project, over: threading.Event
) -> None:
    # On a busy machine those that are not held up may need more time than a little.
    for patience in (1, 4, 20):
        completed.configure_more(f"patience = {patience}")
        completed.box.faults.clear()
        completed.box.faults.add(Fault("ado", "human", action=over.wait, path="(?i)workitems/101"))
        with Terminal(completed, "resume", "7") as terminal:
            terminal.expect(CONTINUE)
            if terminal.text.count("(unknown)") > 1:
                continue
            terminal.type("y\n")
            terminal.answer(WHY, f"{REASON}\n")
            code = terminal.end()
        break
    else:
        pytest.fail(f"the others did not answer either: {terminal.text}")

    assert "    Azure DevOps    fabrikam/widgets 101 (unknown)\n" in terminal.text
    assert '    GitHub          octo/widgets#4 "Smart discipline" (closed' in terminal.text
    assert '    Jira            SCRUM-28 "Smart discipline" (Epic, Done)' in terminal.text
    assert code == 0
    assert completed.states() == OPEN


def test_an_abandoned_increment_says_what_becomes_of_its_items(project: Project) -> None:
    project.increment(status="abandoned", links=project.items("github"))
    for option, announced in (
        ((), "set it active; its items stay as they are."),
        (("--reopen-items",), "set it active, reopen 1 item and post the reason on it."),
    ):
        _, shown = converse(project, (LEAVE,), *option)
        assert "! Increment 0007-smart-discipline is abandoned\n" in shown.text
        assert f"  Resuming will {announced}\n" in shown.text


def test_an_item_cannot_act_on_the_terminal(project: Project) -> None:
    title = "Smart\x1b]0;owned\x07\x1b[2J\u202edisc\r\nipline"
    number = project.box.github.add_issue(number=4, title=title, state="closed")
    project.increment(links={"github": {"issue": number, "url": project.urls["github"]}})
    _, shown = converse(project, (LEAVE,), extra={"NO_COLOR": "1"})
    assert 'octo/widgets#4 "Smartdisc ipline" (closed)' in shown.text
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", shown.text)


@pytest.mark.parametrize(("answer", "state"), [("y\n", "open"), ("n\n", "closed")])
def test_what_was_closed_on_purpose_is_asked_for(
    completed: Project, answer: str, state: str
) -> None:
    for change in ("open", None), ("closed", "not_planned"):
        completed.box.github.edit("octo/widgets", 4, state=change[0], state_reason=change[1])
    question = "octo/widgets#4 was closed on purpose; reopen it anyway? [y/N]: "
    code, _ = converse(completed, (GO_ON, (question, answer), BECAUSE))
    assert ({"open": 0, "closed": 3}[state], state) == (code, completed.states()["github"])
