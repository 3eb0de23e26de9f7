"""The same command on the items of an increment, on machines that know nothing of each other."""

import json
import time
from pathlib import Path

import pytest
from tests.cli.project import CLOSED, OPEN, Project
from tests.delivery.stage import (
    ALL,
    OTHERS,
    clone,
    count_markers,
    fault,
    move,
)

from unlatch_sandbox import Fault

NOUNS = {"github": "issue", "ado": "work-item", "jira": "issue"}
REASON = ("-m", "More work turned up")
NO_TIME = "the time of the last change of state is not known"


def with_closed_item(project: Project, tracker: str) -> None:
    """An active increment whose item a person closed."""
    links = project.items(tracker, finished=False)
    project.increment(status="active", links=links)
    assert 0 == project.run("sync").code
    move(project, tracker, CLOSED[tracker], OTHERS[tracker])


def with_open_item(project: Project, tracker: str) -> None:
    """A completed increment whose item a person opened."""
    with_closed_item(project, tracker)
    move(project, tracker, OPEN[tracker], OTHERS[tracker])


def with_paused_work(project: Project, tracker: str) -> None:
    with_closed_item(project, tracker)
    assert 0 == project.run("pause", "7").code


COMMANDS = {
    "reopen-issue": (with_closed_item, ("{tracker}", "reopen-{noun}", "7", *REASON)),
    "close-issue": (with_open_item, ("{tracker}", "close-{noun}", "7", *REASON)),
    "reopen-items": (with_closed_item, ("resume", "7", "--reopen-items", "--yes", *REASON)),
    "paused": (with_paused_work, ("resume", "7", "--reopen-items", "--yes", *REASON)),
    "reopen": (with_closed_item, ("reopen", "{url}", "--item-only", *REASON)),
    "close": (with_open_item, ("close", "{url}", "--item-only", *REASON)),
}


def words_of(project: Project, command: str, tracker: str) -> list[str]:
    values = {"tracker": tracker, "noun": NOUNS[tracker], "url": project.urls[tracker]}
    return [one.format(**values) for one in COMMANDS[command][1]]


@pytest.mark.sample(2)
@pytest.mark.parametrize("tracker", ALL)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_is_repeated_in_a_fresh_clone_posts_nothing(
    project: Project, command: str, tracker: str, tmp_path: Path
) -> None:
    COMMANDS[command][0](project, tracker)
    there = clone(project, tmp_path / "there")
    words = words_of(project, command, tracker)
    first = project.run(*words)
    assert (0, 1) == (first.code, len(project.comments()[tracker])), first.said

    second = there.run(*words)

    assert 1 == len(there.comments()[tracker]), second.said
    # An active increment without a closed item has nothing to reopen.
    assert (1 if command == "reopen-items" else 0) == second.code, second.said
    assert NO_TIME not in first.said + second.said


@pytest.mark.sample
@pytest.mark.parametrize("tracker", ["github", "jira"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_two_clones_run_at_once_leaves_one_comment(
    project: Project, command: str, tracker: str, tmp_path: Path
) -> None:
    COMMANDS[command][0](project, tracker)
    there = clone(project, tmp_path / "there")
    words = words_of(project, command, tracker)
    meet = fault(tracker, "state", "human", action=lambda: there.process(*words))
    project.box.faults.add(meet)

    first, last = project.run(*words), project.run("sync")

    assert 0 == first.code, first.said
    assert [1] == [*count_markers(project).values()], first.said + last.said


@pytest.mark.sweep
@pytest.mark.parametrize("tracker", ALL)
def test_the_same_words_after_a_further_close_are_posted_again(
    project: Project, tracker: str
) -> None:
    with_closed_item(project, tracker)
    words = words_of(project, "reopen-items", tracker)
    assert 0 == project.run(*words).code
    if tracker == "github":
        time.sleep(1.1)  # its times have whole seconds
    move(project, tracker, CLOSED[tracker], OTHERS[tracker])

    done = project.run(tracker, f"reopen-{NOUNS[tracker]}", "7", *REASON)

    assert (0, 2) == (done.code, len(project.comments()[tracker])), done.said


def test_a_key_makes_commands_with_other_words_the_same(project: Project, tmp_path: Path) -> None:
    with_closed_item(project, "jira")
    there = clone(project, tmp_path / "there")
    words = ("jira", "reopen-issue", "7", "--key", "nightly", "-m")
    assert 0 == project.run(*words, "Run 41").code

    done = there.run(*words, "Run 42")

    assert (0, 1) == (done.code, len(there.comments()["jira"])), done.said


@pytest.mark.sample
@pytest.mark.parametrize("command", ["reopen-issue", "reopen-items", "reopen"])
def test_a_reopen_without_a_time_of_the_close_says_so(project: Project, command: str) -> None:
    with_closed_item(project, "ado")
    hide_times(project)
    no_updates = Fault("ado", "status", path="/updates", code=403, body="{}", times=9)
    project.box.faults.add(no_updates)

    done = project.run(*words_of(project, command, "ado"))

    assert (0, 1) == (done.code, done.said.count(NO_TIME)), done.said


def hide_times(project: Project) -> None:
    """Let a process lack the field with the time of the last change of state."""
    boards = project.box.ado.boards
    with boards.store.transaction():
        item = boards.item(101)
        assert item is not None
        del item.fields["Microsoft.VSTS.Common.StateChangeDate"]
        boards.items.put("101", item)


def test_an_increment_without_a_time_of_its_completion_says_so(project: Project) -> None:
    project.increment(links=project.items("github"))
    metadata = project.folder() / "metadata.json"
    content = project.metadata()
    del content["completedAt"]
    metadata.write_text(json.dumps(content))

    done = project.run("resume", "7", "--yes", *REASON)

    assert (0, 1) == (done.code, done.said.count(NO_TIME)), done.said
