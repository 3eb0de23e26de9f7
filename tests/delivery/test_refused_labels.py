"""Labels that a right refuses: named until they are there, and asked for again when told to."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.project import CLOSED, NAME, OPEN, REASON, Project
from tests.delivery.stage import (
    ALL,
    LOCKED,
    RESUME,
    SYNC,
    clone,
    completed_on,
    count_markers,
    delivered_events,
    fault,
    next_command,
)

CHECK = ("sync", "--check")
RETRY = ("sync", "--retry-refused")
COMPLETE = ("complete", "7", "--reason", "All done", "--yes")
OFF_SCREEN = {
    "errorMessages": [],
    "errors": {"labels": "Field 'labels' cannot be set. It is not on the appropriate screen."},
}
# The labels of a reopen that each tracker refuses without the right.
REFUSED = {
    "github": {"add": ["reopened"], "remove": ["completed"]},
    "ado": {"add": ["reopened"], "remove": []},  # no new tags
    "jira": {"add": ["reopened"], "remove": ["completed"]},
}


def take_right(project: Project, tracker: str) -> None:
    if tracker == "github":
        project.box.github.add_repository("octo/widgets", push=False)
    elif tracker == "ado":
        project.box.ado.add_project("widgets", create_tags=False)
    else:
        # Once: the edit without labels goes through.
        project.box.faults.add(fault("jira", "label added", "status", code=400, body=OFF_SCREEN))


def give_right(project: Project, tracker: str) -> None:
    if tracker == "github":
        project.box.github.add_repository("octo/widgets")
    elif tracker == "ado":
        project.box.ado.add_project("widgets")
    else:
        project.box.faults.clear()


def refused_in(project: Project, *words: str) -> list[dict[str, Any]]:
    """The refused labels that a document of sync names; its exit code has to be 0."""
    done = project.run(*words, "--json")
    assert 0 == done.code, done.said
    entries: list[dict[str, Any]] = done.document["refusedLabels"]
    return entries


def ours(project: Project, tracker: str) -> set[str]:
    return project.labels()[tracker] & {"reopened", "completed"}


def resume_refused(project: Project, *trackers: str) -> None:
    """Resume a completed increment without the right to change labels."""
    completed_on(project, *trackers)
    for tracker in trackers:
        take_right(project, tracker)
    assert 0 == project.run(*RESUME).code


@pytest.fixture(params=ALL)
def refused(project: Project, request: pytest.FixtureRequest) -> tuple[Project, str]:
    """A reopen that was delivered without its labels, and its tracker."""
    tracker: str = request.param
    resume_refused(project, tracker)
    assert OPEN[tracker] == project.states()[tracker]
    assert {"reopened"} != ours(project, tracker)
    project.box.requests.clear()
    return project, tracker


@pytest.mark.sample
def test_they_are_named_and_not_asked_for_by_a_sync_of_everything(
    refused: tuple[Project, str],
) -> None:
    project, tracker = refused

    checked, synced = project.run(*CHECK), project.run("sync")

    signed = " ".join(
        [f"+{one}" for one in REFUSED[tracker]["add"]]
        + [f"-{one}" for one in REFUSED[tracker]["remove"]]
    )
    for done in (checked, synced):
        assert 0 == done.code, done.said
        assert f"the tracker refused these labels: {signed}" in done.out
        assert RETRY == next_command(done)
    assert [] == project.wrote()
    for words in (CHECK, ("sync",)):
        (entry,) = refused_in(project, *words)
        assert (NAME, tracker) == (entry["increment"], entry["tracker"])
        assert REFUSED[tracker] == {name: entry[name] for name in ("add", "remove")}


@pytest.mark.sample
@pytest.mark.parametrize("words", [SYNC, RETRY], ids=["named", "option"])
def test_after_the_right_is_given_they_are_asked_for_alone(
    refused: tuple[Project, str], words: tuple[str, ...]
) -> None:
    project, tracker = refused
    give_right(project, tracker)
    comments = project.comments()

    done = project.run(*words)

    assert (0, {"reopened"}) == (done.code, ours(project, tracker)), done.said
    assert "labels" in done.out
    assert (comments, OPEN[tracker]) == (project.comments(), project.states()[tracker])
    assert [] == refused_in(project, *CHECK)
    project.box.requests.clear()
    assert 0 == project.run(*RETRY).code
    assert [] == project.wrote()
    first, second = delivered_events(project, "reopen")
    assert (first["op"], True) == (second["retries"], first["op"] != second["op"])


def test_a_refusal_is_planned_and_asked_for_once_in_each_command_until_a_person_sets_the_labels(
    project: Project,
) -> None:
    resume_refused(project, "github")
    before = project.tree()
    project.box.requests.clear()

    plan = project.run(*RETRY, "--dry-run")

    assert (0, []) == (plan.code, project.wrote()), plan.said
    assert ("add label reopened" in plan.out, "remove label completed" in plan.out) == (True, True)
    assert "1 item would be written to" in plan.out
    assert before == project.tree()
    for _ in range(2):
        project.box.requests.clear()

        done = project.run(*SYNC)

        assert (0, {"completed"}) == (done.code, ours(project, "github")), done.said
        assert "labels refused again" in done.out
        assert "label reopened not added" in done.out
        asked = [one for one in project.wrote() if "POST" in one]
        assert 1 == len(asked)
        assert "pending" not in project.metadata()
        (entry,) = refused_in(project, *CHECK)
        assert REFUSED["github"] == {name: entry[name] for name in ("add", "remove")}

    project.box.github.edit("octo/widgets", 4, labels=["bug", "reopened"])
    assert [] == refused_in(project, *CHECK)
    project.box.requests.clear()
    assert 0 == project.run(*RETRY).code
    assert [] == project.wrote()


def test_labels_that_may_not_be_written_are_not_named(project: Project) -> None:
    resume_refused(project, "github")
    project.configure_more(tables='[sync]\nwrite = ["status", "comment"]\n')

    assert [] == refused_in(project, *CHECK)


NOTHING_TO_DO: dict[str, Callable[[str], tuple[str, ...]]] = {
    "resume": lambda _: RESUME,
    "reopen-issue": lambda _: ("github", "reopen-issue", "7", "--reason", REASON),
}


@pytest.mark.parametrize("command", NOTHING_TO_DO)
def test_a_command_with_nothing_to_do_names_the_next_step(project: Project, command: str) -> None:
    resume_refused(project, "github")
    give_right(project, "github")

    done = project.run(*NOTHING_TO_DO[command](project.urls["github"]))

    assert (0, {"completed"}) == (done.code, ours(project, "github")), done.said
    assert "octo/widgets#4: the tracker refused these labels: +reopened -completed" in done.out
    assert 0 == project.run(*next_command(done)).code
    assert {"reopened"} == ours(project, "github")


def test_they_are_given_up_when_the_increment_is_completed_meanwhile(project: Project) -> None:
    resume_refused(project, "github")
    give_right(project, "github")
    project.box.faults.add(fault("github", "label added", "status", code=503))
    assert 3 == project.run(*RETRY).code
    assert "pending" in project.metadata()
    assert 0 == project.run(*COMPLETE).code

    done = project.run(*SYNC)

    assert (0, {"completed"}) == (done.code, ours(project, "github")), done.said
    assert "pending" not in project.metadata()
    assert CLOSED["github"] == project.states()["github"]


@pytest.mark.sweep
@pytest.mark.parametrize("tracker", ["github", "ado"])
def test_two_clones_that_ask_at_once_make_one_operation(
    project: Project, tracker: str, tmp_path: Path
) -> None:
    resume_refused(project, tracker)
    there = clone(project, tmp_path / "there")
    give_right(project, tracker)
    meet = fault(tracker, "label added", "human", action=lambda: there.process(*RETRY))
    project.box.faults.add(meet)

    done = project.run(*RETRY)
    last = there.run(*SYNC)

    assert (0, 0) == (done.code, last.code), done.said + last.said
    assert {"reopened"} == ours(project, tracker)
    assert 1 == count_markers(project).total()
    ops = {event["op"] for one in (project, there) for event in delivered_events(one, "reopen")}
    assert 2 == len(ops)


@pytest.mark.sample
@pytest.mark.parametrize("words", [SYNC, RETRY], ids=["named", "option"])
@pytest.mark.parametrize("tracker", ALL)
def test_a_comment_that_a_right_refuses_is_asked_for_again(
    project: Project, tracker: str, words: tuple[str, ...]
) -> None:
    completed_on(project, tracker)
    refusal = {"code": 403, "body": LOCKED, "times": 99}
    project.box.faults.add(fault(tracker, "comment", "status", **refusal))
    assert 3 == project.run(*RESUME).code
    assert 5 == project.run(*CHECK).code
    skipped = project.run("sync")
    assert (3, 0) == (skipped.code, count_markers(project).total()), skipped.said
    project.box.faults.clear()

    done = project.run(*words)

    assert (0, OPEN[tracker]) == (done.code, project.states()[tracker]), done.said
    assert 1 == count_markers(project).total()
    assert {"reopened"} == ours(project, tracker)


@pytest.mark.parametrize("tracker", ["github", "ado"])
def test_labels_of_an_item_alone_are_named_and_asked_for_again(
    project: Project, tracker: str
) -> None:
    project.items(tracker)
    take_right(project, tracker)
    reopen = ("reopen", project.urls[tracker], "-m", REASON)
    assert 0 == project.run(*reopen).code
    (entry,) = refused_in(project, *CHECK)
    assert (None, tracker) == (entry["increment"], entry["tracker"])
    for words in (CHECK, ("sync",), reopen):
        done = project.run(*words)
        assert 0 == done.code, done.said
        assert "the tracker refused these labels: +reopened" in done.out
        assert shlex.join(["unlatch", *RETRY]) in done.err
    give_right(project, tracker)

    done = project.run(*RETRY)

    assert (0, {"reopened"}) == (done.code, ours(project, tracker)), done.said
    assert 1 == count_markers(project).total()
    assert [] == refused_in(project, *CHECK)
    project.box.requests.clear()
    assert 0 == project.run(*RETRY).code
    assert [] == project.wrote()
