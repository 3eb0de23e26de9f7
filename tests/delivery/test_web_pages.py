"""A page of a proxy or firewall is no word of the tracker: the operation stays pending."""

from typing import Any

import pytest
from tests.cli.project import OPEN, REASON, Project
from tests.delivery.stage import ALL, RESUME, completed_on, fault, sync_until_done

from unlatch_sandbox import Fault

PAGE = "\n<!DOCTYPE html><html><head><title>Blocked by policy</title></head></html>"
# Also as answers to the requests in POST that only read.
READS: dict[str, dict[str, Any]] = {
    "github": {"path": "/issues/4$|/graphql$"},
    "ado": {"path": "(?i)/workitems(batch|/101)"},
    "jira": {"path": "/issue/(SCRUM-28|bulkfetch)"},
}


def page_of(tracker: str, code: int, *, write: str | None) -> Fault:
    """A page in place of the answer to the write of a part, or to all reads of the item."""
    options: dict[str, Any] = {"code": code, "body": PAGE, "times": 20}
    options["headers"] = {"Content-Type": "text/html; charset=utf-8"}
    if write is not None:
        return fault(tracker, write, "status", **options)
    return Fault(tracker, "status", **READS[tracker], **options)


@pytest.mark.sample(2)
@pytest.mark.parametrize("tracker", ALL)
@pytest.mark.parametrize("write", [None, "state", "comment"])
@pytest.mark.parametrize("code", [403, 404, 200])
def test_a_web_page_is_tried_again_and_its_comment_stays(
    project: Project, tracker: str, write: str | None, code: int
) -> None:
    completed_on(project, tracker)
    project.box.faults.add(page_of(tracker, code, write=write))

    first = project.run(*RESUME)
    (operation,) = project.metadata()["pending"]
    project.box.faults.clear()
    completed = project.run("complete", "7", "--offline", "--yes")
    done = sync_until_done(project)

    assert (3, 0, 0) == (first.code, completed.code, done.code), first.said + done.said
    assert "a web page came instead of data" in first.said
    assert "parkedAt" not in operation, first.said
    assert [True] == [REASON in text for text in project.comments()[tracker] if REASON in text]


@pytest.mark.parametrize("tracker", ALL)
def test_a_refusal_of_the_tracker_itself_stays_blocked(project: Project, tracker: str) -> None:
    completed_on(project, tracker)
    project.box.faults.add(fault(tracker, "state", "status", code=403, body={"message": "No."}))

    assert 3 == project.run(*RESUME).code
    assert 3 == project.run("sync", "--yes").code

    (operation,) = project.metadata()["pending"]
    assert "parkedAt" in operation
    assert OPEN[tracker] != project.states()[tracker]
