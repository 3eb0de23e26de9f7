"""The output says of each part of an operation whether it was done."""

import pytest
from tests.cli.project import OPEN, Project
from tests.delivery.stage import LOCKED, RESUME, completed_on, fault

AFTER_THE_STATE = {
    "github comment refused": fault("github", "comment", "status", code=403, body=LOCKED),
    "github comment, 502": fault("github", "comment", "html"),
    "github comment, answer lost": fault("github", "comment", "drop-after"),
    "github label not removed": fault("github", "label removed", "status", code=500),
    "github label not added": fault("github", "label added", "drop"),
    "jira edit, 500": fault("jira", "comment", "status", code=500),
    "jira edit, answer lost": fault("jira", "comment", "drop-after"),
}


def line_of(out: str, tracker: str) -> str:
    """The output about the one item."""
    name = {"github": "octo/widgets#4", "jira": "SCRUM-28"}[tracker]
    return next(line for line in out.splitlines() if name in line)


@pytest.mark.sample(2)
@pytest.mark.parametrize("case", AFTER_THE_STATE)
def test_what_was_done_before_a_part_failed_is_named(project: Project, case: str) -> None:
    blow = AFTER_THE_STATE[case]
    completed_on(project, blow.tracker)
    project.box.faults.add(blow)

    done = project.run(*RESUME)

    assert (3, OPEN[blow.tracker]) == (done.code, project.states()[blow.tracker]), done.said
    line = line_of(done.out, blow.tracker)
    assert "reopened" in line
    assert "not reopened" not in done.said
    if "github label" in case:
        assert ("commented" in line, "label" in done.out) == (True, True), done.said


@pytest.mark.sample
@pytest.mark.parametrize("code", [403, 422])
def test_a_label_refused_for_good_is_said_and_the_rest_is_delivered(
    project: Project, code: int
) -> None:
    completed_on(project, "github")
    body = {"message": "Validation Failed", "status": str(code)}
    refused = fault("github", "label added", "status", code=code, body=body, times=99)
    project.box.faults.add(refused)

    done = project.run(*RESUME)

    assert done.code == 0, done.said
    assert "pending" not in project.metadata()
    assert OPEN == {**OPEN, **project.states()}
    assert all(word in done.out for word in ("reopened", "commented", "not added"))
    assert {"bug"} == project.labels()["github"]
