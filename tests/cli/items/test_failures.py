"""Operations on items survive lost answers, failures after the effect, and missing credentials."""

import shlex

import pytest
from tests.cli.items.test_reopen import KEYS, TITLES, records
from tests.cli.project import ALL, OPEN, REASON, Project
from tests.delivery.stage import WRITES, fault

from unlatch_sandbox import Fault

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


@pytest.mark.parametrize("again", ["reopen", "sync"])
@pytest.mark.parametrize("blow", AFTER)
@pytest.mark.parametrize(("tracker", "part"), PARTS)
def test_an_unknown_outcome_is_probed_and_finished(
    project: Project, tracker: str, part: str, blow: str, again: str
) -> None:
    project.items(tracker)
    kind, options = AFTER[blow]
    project.box.faults.add(fault(tracker, part, kind, **options))
    first = project.run("reopen", KEYS[tracker], "--reason", REASON)
    word = ("reopen", KEYS[tracker], "--reason", REASON)
    second = project.run(*(("sync",) if again == "sync" else word))
    assert (3, 0) == (first.code, second.code), first.said + second.said
    assert "Next: unlatch sync" in first.err
    assert is_done_once(project, tracker)


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


def test_sync_in_a_project_finishes_what_began_outside(outside: Project) -> None:
    outside.run("sync").ends(2, err="error[no-project]")
    outside.items("jira")
    outside.box.faults.add(fault("jira", "comment", "drop-after"))
    first = outside.run("reopen", outside.urls["jira"], "--reason", REASON)
    outside.configure(outside.box.config())
    done = outside.run("sync", "--json")
    assert (3, 0) == (first.code, done.code), done.said
    [entry] = done.document["items"]
    assert ("SCRUM-28", 0) == (entry["name"], entry["left"])
    assert is_done_once(outside, "jira")


def test_one_failure_does_not_stop_the_others(project: Project) -> None:
    project.items()
    project.box.faults.add(Fault("jira", "status", code=503, times=99))

    done = project.run("reopen", *KEYS.values(), "--reason", REASON)

    assert 3 == done.code
    assert {**OPEN, "jira": "Done"} == project.states()
    assert TITLES["jira"] in done.out


def test_a_missing_token_leaves_the_operation_for_later(project: Project) -> None:
    project.items("github")
    project.extra["GITHUB_TOKEN"] = None

    first = project.run("reopen", KEYS["github"], "--reason", REASON)
    project.extra.clear()
    second = project.run("sync")

    assert (3, 0) == (first.code, second.code), second.said
    assert is_done_once(project, "github")


def test_offline_records_for_later_and_a_dry_run_or_a_refusal_nothing(project: Project) -> None:
    project.items()
    before, words = project.tree(), ("reopen", *KEYS.values(), "--reason", REASON)
    text = project.run(*words, "--dry-run")
    document = project.run(*words, "--dry-run", "--json")
    project.run(*words, "--max-items", "2").ends(2, err="error[too-many-items]")
    assert (0, 0) == (text.code, document.code), text.said
    assert "octo/widgets#4 (dry run)" in text.out
    assert 3 == len(document.document["items"])
    assert (before, [], []) == (project.tree(), project.wrote(), records(project))
    project.box.requests.clear()
    recorded = project.run(*words, "--offline")
    sent = project.sent()
    synced = project.run("sync")
    assert (0, [], 0) == (recorded.code, sent, synced.code), synced.said
    assert OPEN == project.states()


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


def test_a_close_replaces_a_pending_reopen(project: Project) -> None:
    project.items("github")
    project.run("reopen", KEYS["github"], "--reason", REASON, "--offline")
    project.run("close", KEYS["github"], "--reason", "No, leave it").ends(0)
    assert "closed" == project.states()["github"]
    (asked,) = project.comments()["github"]
    assert f"{REASON}; closed before this item could be reopened" in asked
