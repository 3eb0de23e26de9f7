"""An item is changed alone while its increment has an operation pending on it."""

import pytest
from tests.cli.items.test_reopen import KEYS
from tests.cli.project import ALL, OPEN, REASON, Project

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
