"""A tracker that acts, and then answers as if it had not: everything is there once."""

from itertools import product
from typing import Any

import pytest
from tests.cli.project import ALL, OPEN, Project
from tests.delivery.stage import (
    RESUME,
    completed_on,
    count_markers,
    fault,
    reached,
    sync_until_done,
)

ANSWERS: dict[str, dict[str, Any]] = {
    "503, Retry-After": {"code": 503, "headers": {"Retry-After": "1"}},
    "503, no requests left": {
        "code": 503,
        "headers": {"X-RateLimit-Remaining": "0", "Retry-After": "1"},
    },
    "429, Retry-After": {"code": 429, "headers": {"Retry-After": "1"}},
    "403, secondary limit": {
        "code": 403,
        "headers": {"Retry-After": "1"},
        "body": {"message": "You have exceeded a secondary rate limit."},
    },
    "409": {"code": 409},
}
CELLS = [
    *product(ALL, list(ANSWERS)[:3]),
    ("github", "403, secondary limit"),
    ("github", "409"),
    ("jira", "409"),
]


@pytest.mark.sample(6)
@pytest.mark.parametrize(("tracker", "answer"), CELLS)
def test_a_comment_that_was_taken_and_refused_is_there_once(
    project: Project, tracker: str, answer: str
) -> None:
    completed_on(project, tracker)
    options = {**ANSWERS[answer], "effect": True}
    project.box.faults.add(fault(tracker, "comment", "status", times=2, **options))

    first = project.run(*RESUME)
    done = sync_until_done(project)

    assert (0, OPEN[tracker]) == (done.code, project.states()[tracker]), first.said + done.said
    assert 1 == count_markers(project).total()
    assert reached(project, tracker) is not None
    assert {"reopened"} == project.labels()[tracker] & {"reopened", "completed"}


CREATED = {
    "github": ("issue", "/issues$"),
    "ado": ("work-item", "(?i)/workitems/"),
    "jira": ("issue", "/issue$"),
}
