"""Operations on items survive lost answers, failures after the effect, and missing credentials."""

import shlex

import pytest
from tests.cli.items.test_reopen import KEYS, records
from tests.cli.project import ALL, OPEN, REASON, Project
from tests.delivery.stage import WRITES, fault

AFTER = {"lost answer": ("drop-after", {}), "503 after the effect": ("error-after", {"code": 503})}
PARTS = [(tracker, part) for tracker in ALL for part in WRITES[tracker]]


def is_done_once(project: Project, tracker: str) -> bool:
    """Whether the item is open with one comment and our label, and nothing is pending."""
    [record] = records(project)
    labels = project.labels()[tracker]
    return (
        {tracker: OPEN[tracker]} == project.states()
        and 1 == len(project.comments()[tracker])
        and {"reopened"} == labels & {"reopened", "completed"}
        and "pending" not in record
    )


@pytest.mark.sample(at=(3,))
@pytest.mark.parametrize("tracker", ["ado", "jira"])
@pytest.mark.parametrize("again", ["reopen", "sync"])
def test_outside_of_a_project_this_user_can_finish(
    outside: Project, tracker: str, again: str
) -> None:
    outside.items(tracker)
    outside.box.faults.add(fault(tracker, "state", "drop-after"))
    word = outside.urls[tracker]
    first = outside.run("reopen", word, "--reason", REASON)
    elsewhere = outside.root / "deep"
    elsewhere.mkdir()
    outside.root = elsewhere
    second = outside.run(*(("sync",) if again == "sync" else ("reopen", word, "--reason", REASON)))
    assert (3, 0) == (first.code, second.code), first.said + second.said
    assert "only you on this machine can deliver them" in first.err
    assert is_done_once(outside, tracker)


def test_an_item_closed_on_purpose_is_blocked_with_the_next_step(project: Project) -> None:
    project.box.github.add_issue(number=4, title="T", state="closed", state_reason="not_planned")
    key = KEYS["github"]
    first = project.run("reopen", key, "--reason", REASON)
    skipped = project.run("sync")
    step = f"unlatch reopen {project.urls['github']} --even-if-not-planned --reason '{REASON}'"
    second = project.run(*shlex.split(step)[1:])
    assert (3, 3, 0) == (first.code, skipped.code, second.code), first.said + second.said
    assert step in first.err
    assert step in skipped.err
    assert "open" == project.states()["github"]
