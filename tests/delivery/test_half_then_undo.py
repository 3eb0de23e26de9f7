"""A reopen that was delivered in part, then undone: the item is closed again, with its labels."""

import pytest
from tests.cli.project import CLOSED, OPEN, Project
from tests.delivery.stage import (
    AT_ONCE,
    LOCKED,
    RESUME,
    SYNC,
    UNDO,
    assert_each_comment_once,
    completed_on,
    delivered_events,
    fault,
)

from unlatch_sandbox import Fault

HALVES = {
    "github comment, locked": fault("github", "comment", "status", code=403, body=LOCKED),
    "github comment, secondary limit": fault(
        "github", "comment", "rate-limit", form="secondary", seconds=1
    ),
    "github comment, 502": fault("github", "comment", "html"),
    "github comment, 502 after": fault("github", "comment", "error-after"),
    "github comment, dropped": fault("github", "comment", "drop"),
    "github comment, answer lost": fault("github", "comment", "drop-after"),
    "github state, answer lost": fault("github", "state", "drop-after"),
    "jira edit, 500": fault("jira", "comment", "status", code=500),
    "github label not removed": fault("github", "label removed", "status", code=500),
    "jira state, answer lost": fault("jira", "state", "drop-after"),
    "jira edit, 400": fault(
        "jira", "comment", "status", code=400, body={"errorMessages": ["no"], "errors": {}}
    ),
    "ado, answer lost": fault("ado", "state", "drop-after"),
}


def half_reopened(project: Project, blow: Fault) -> set[str]:
    """Reopen 0007 while something goes wrong; the labels that its item had before."""
    completed_on(project, blow.tracker)
    labels = project.labels()[blow.tracker]
    project.box.faults.add(blow)

    done = project.run(*AT_ONCE, *RESUME)

    assert done.code == 3, done.said
    assert OPEN[blow.tracker] == project.states()[blow.tracker]
    project.box.faults.clear()
    return labels


@pytest.mark.sample(2)
@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("is_synced", [False, True])
def test_undo_takes_back_half_a_reopen_and_one_that_sync_finished(
    project: Project, half: str, *, is_synced: bool
) -> None:
    tracker = HALVES[half].tracker
    labels = half_reopened(project, HALVES[half])
    if is_synced:
        synced = project.run(*SYNC)
        assert synced.code == 0, synced.said
        (event,) = delivered_events(project, "reopen")
        assert ("reopened", CLOSED[tracker]) == (event["result"], event["before"]["state"])

    done = project.run(*UNDO)

    assert done.code in (0, 5), done.said
    assert (CLOSED[tracker], labels) == (project.states()[tracker], project.labels()[tracker])
    assert "closed" in done.out, done.said
    assert "stays open" not in done.said
    assert project.metadata()["status"] == "completed"
    assert "pending" not in project.metadata()
    assert_each_comment_once(project)
