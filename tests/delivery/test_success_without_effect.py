"""A tracker that answers success and does nothing: not delivered until it is true."""

import pytest
from tests.cli.project import NAME, OPEN, Project
from tests.delivery.stage import (
    RESUME,
    SYNC,
    UNDO,
    completed_on,
    count_markers,
    delivered_events,
    fault,
    reached,
)

from unlatch_sandbox import Fault

KEPT = {"shows": "kept", "times": 99}
GONE = {"code": 404, "body": {"message": "Label does not exist", "status": "404"}, "times": 99}
# What the output says of the part that did not happen.
WORDS = {
    "github state": "not reopened",
    "github label not added": "not added",
    "github label not removed": "not removed",
    "github label 404": "not removed",
    "ado": "not reopened",
    "jira state": "not reopened",
}
LIES: dict[str, tuple[Fault, ...]] = {
    "github state": (fault("github", "state", "no-effect", **KEPT),),
    "github label not added": (fault("github", "label added", "no-effect", **KEPT),),
    "github label not removed": (fault("github", "label removed", "no-effect", **KEPT),),
    "github label 404": (fault("github", "label removed", "status", **GONE),),
    "ado": (fault("ado", "state", "no-effect", **KEPT),),
    "jira state": (fault("jira", "state", "no-effect", times=99),),
    "jira state, and the edit's answer lost": (
        fault("jira", "state", "no-effect", times=99),
        fault("jira", "comment", "drop-after"),
    ),
    "jira state, and the comment may not be deleted": (
        fault("jira", "state", "no-effect", times=99),
        Fault("jira", "forbidden", method="DELETE", times=99),
    ),
    "jira edit": (fault("jira", "comment", "no-effect", **KEPT),),
}


def lied_to(project: Project, lie: str) -> str:
    """Have a completed item on the lie's tracker and its faults in place; the tracker."""
    tracker = LIES[lie][0].tracker
    completed_on(project, tracker)
    for one in LIES[lie]:
        project.box.faults.add(one)
    return tracker


@pytest.mark.sample(2)
@pytest.mark.parametrize("lie", LIES)
def test_what_did_not_happen_is_pending_until_sync_finishes_it_with_one_comment(
    project: Project, lie: str
) -> None:
    tracker = lied_to(project, lie)

    runs = [project.run(*RESUME), project.run(*SYNC)]

    assert [3, 3] == [done.code for done in runs], "".join(done.said for done in runs)
    assert WORDS.get(lie, "") in runs[0].out, runs[0].said
    assert [tracker] == [operation["tracker"] for operation in project.metadata()["pending"]]
    assert None is reached(project, tracker)
    assert [] == delivered_events(project, "reopen")
    assert all(f"Next: unlatch sync {NAME}" in done.err for done in runs)
    project.box.faults.clear()

    done = project.run(*SYNC)

    assert (0, OPEN[tracker]) == (done.code, project.states()[tracker]), done.said
    assert 1 == count_markers(project).total()
    assert {"reopened"} == project.labels()[tracker] & {"reopened", "completed"}
    (event,) = delivered_events(project, "reopen")
    assert "reopened" == event["result"]


@pytest.mark.sample
@pytest.mark.parametrize("lie", ["github label 404", "jira state, and the edit's answer lost"])
def test_undo_after_it_leaves_the_item_as_it_was(project: Project, lie: str) -> None:
    tracker = lied_to(project, lie)
    labels, states = project.labels(), project.states()
    project.run(*RESUME)
    project.box.faults.clear()

    done = project.run(*UNDO)

    assert done.code in (0, 5), done.said
    assert (states[tracker], labels[tracker]) == (
        project.states()[tracker],
        project.labels()[tracker],
    )
