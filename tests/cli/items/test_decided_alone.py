"""An item is changed alone while its increment has an operation pending on it."""

import shutil
import time

import pytest
from tests.cli.items.test_reopen import KEYS
from tests.cli.project import ALL, OPEN, REASON, Project
from tests.delivery.stage import fault

_LATER = "Works as designed"
_ALONE = ("--item-only", "--yes", "--reason", _LATER)


@pytest.mark.parametrize("tracker", ALL)
def test_a_close_alone_ends_the_reopen_that_was_not_sent(project: Project, tracker: str) -> None:
    project.increment(links=project.items(tracker))
    project.run("resume", "7", "--reason", REASON, "--yes", "--offline")

    closed = project.run("close", KEYS[tracker], *_ALONE)
    synced = project.run("sync", "--yes")
    again = project.run("sync", "--yes")

    assert (0, "active") == (closed.code, project.metadata()["status"]), closed.said
    assert OPEN[tracker] != project.states()[tracker], synced.said
    [asked] = project.comments()[tracker]  # a close of what is closed says nothing
    assert REASON in asked
    assert "Asked to reopen on" in asked
    assert "closed before this item could be reopened" in asked
    assert "pending" not in project.metadata()
    # What an increment and an item that was closed alone disagree about is left to a person.
    assert (5, 5) == (synced.code, again.code), synced.said + again.said
    assert "the item was closed, and the increment is still open" in again.said


@pytest.mark.real_waits  # GitHub's times have whole seconds
# Azure DevOps takes state and comment in one request.
@pytest.mark.parametrize("tracker", ["github", "jira"])
def test_a_close_alone_in_a_fresh_clone_outlives_the_reopen(project: Project, tracker: str) -> None:
    """The other machine opened the item, and its comment never got there."""
    project.increment(links=project.items(tracker))
    project.run("resume", "7", "--reason", REASON, "--yes", "--offline")
    clone = project.root.with_name("clone")
    shutil.copytree(project.root, clone)
    project.box.faults.add(fault(tracker, "comment", "drop", times=99))
    first = project.run("sync", "--yes")
    opened = project.states()[tracker]
    project.box.faults.clear()
    project.root = clone
    project.forget_local()
    time.sleep(1.1)

    closed = project.run("close", KEYS[tracker], *_ALONE)
    synced = project.run("sync", "--yes")

    assert (3, OPEN[tracker], 0) == (first.code, opened, closed.code), first.said + closed.said
    assert OPEN[tracker] != project.states()[tracker], synced.said
    texts = project.comments()[tracker]
    assert [1, 1] == [sum(r in text for text in texts) for r in (REASON, _LATER)], texts


@pytest.mark.parametrize("tracker", ALL)
def test_a_reopen_alone_ends_the_close_that_was_not_sent(project: Project, tracker: str) -> None:
    project.increment(status="active", links=project.items(tracker, finished=False))
    project.run("complete", "7", "--reason", REASON, "--yes", "--offline")
    project.run("reopen", KEYS[tracker], *_ALONE, "--comment-anyway").ends(0)
    synced = project.run("sync", "--yes")
    assert OPEN[tracker] == project.states()[tracker], synced.said
    texts = project.comments()[tracker]
    assert [1, 1] == [sum(r in text for text in texts) for r in (REASON, _LATER)], texts
    assert "pending" not in project.metadata()


@pytest.mark.parametrize("tracker", ALL)
def test_a_reopen_alone_is_not_taken_for_that_of_another_branch(
    project: Project, tracker: str
) -> None:
    project.increment(links=project.items(tracker))
    assert 0 == project.run("sync", "--yes").code
    words = ("--item-only", "--yes", "--reason", REASON)
    assert 0 == project.run("reopen", KEYS[tracker], *words).code
    synced = project.run("sync", "--yes")
    assert (0, "active") == (synced.code, project.metadata()["status"]), synced.said
    assert "another branch" not in synced.said
    again = project.run("sync", "--check")
    assert (0, 1) == (again.code, len(project.comments()[tracker])), again.said
