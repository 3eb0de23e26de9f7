"""Pending operations after a later change of status: every reason is posted once, in order."""

import pytest
from tests.cli.project import ALL, CLOSED, OPEN, REASON, Project

FIRST = ("resume", "7", "--reason", REASON, "--yes", "--offline")
SECOND = ("resume", "7", "--reason", "One more corner case", "--yes")


def said(project: Project) -> dict[str, list[bool]]:
    """By tracker: for each comment, whether it tells the first reason."""
    return {
        tracker: [REASON in comment for comment in comments]
        for tracker, comments in project.comments().items()
    }


def test_completing_before_delivery_keeps_the_comment_and_changes_no_state(
    completed: Project,
) -> None:
    completed.run(*FIRST)
    completed.box.requests.clear()

    done = completed.run("complete", "7")

    assert done.code == 0, done.said
    assert {tracker: [True] for tracker in ALL} == said(completed)
    assert completed.states() == CLOSED
    assert [True] * 3 == ["completed" in labels for labels in completed.labels().values()]
    # No item was open in between: on each tracker the comment is all that was sent.
    assert sorted(completed.wrote()) == ["ado PATCH", "github POST", "jira PUT"]
    assert "pending" not in completed.metadata()
    synced = completed.metadata()["reopenHistory"][0]["syncedTo"]
    assert sorted(ALL) == sorted(synced)


@pytest.mark.sample
@pytest.mark.parametrize("late", [True, False])
def test_two_reopens_before_any_delivery_tell_both_reasons_in_order(
    completed: Project, late: bool
) -> None:
    completed.run(*FIRST)
    completed.run("complete", "7", "--offline")
    if late:
        completed.run(*SECOND, "--offline")

    done = completed.run("sync", "7", "--yes") if late else completed.run(*SECOND)

    assert done.code == 0, done.said
    assert {tracker: [True, False] for tracker in ALL} == said(completed)
    assert completed.states() == OPEN
    assert [True] * 3 == ["reopened" in labels for labels in completed.labels().values()]
    assert [False] * 3 == ["completed" in labels for labels in completed.labels().values()]
    metadata = completed.metadata()
    assert "pending" not in metadata
    assert [3, 3] == [len(entry["syncedTo"]) for entry in metadata["reopenHistory"]]
