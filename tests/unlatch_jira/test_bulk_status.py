"""The status of many issues, and the errors of unreadable ones."""

from typing import Any

import pytest
from tests.unlatch_jira.making import REOPEN, done_issue, plugin_for, ref, sent, status

from unlatch.spi import Snapshot
from unlatch_jira.plugin import JiraPlugin
from unlatch_sandbox import Fault, Sandbox


@pytest.mark.parametrize("answer", [{"code": 404}, {"code": 200, "body": "OK"}], ids=str)
def test_where_lists_are_not_served_each_is_read_by_itself(
    box: Sandbox, answer: dict[str, Any]
) -> None:
    keys = [box.jira.add_issue(summary="Smart") for _ in range(3)]
    box.faults.add(Fault("jira", "status", path="bulkfetch", **answer))
    found = plugin_for(box).read_many([ref(box, key) for key in keys])
    assert sorted(one.id for one in found) == keys


def written(box: Sandbox, plugin: JiraPlugin, keys: list[str]) -> list[str]:
    """The requests that reopen these issues, as read with one request."""
    found = plugin.read_many([ref(box, key) for key in keys], REOPEN)
    box.requests.clear()
    for one in found.values():
        assert isinstance(one, Snapshot)
        plugin.write(one, REOPEN)
    return sent(box)


@pytest.mark.parametrize("lacking", ["screens", "transitions"])
def test_a_page_without_transitions_or_screens_is_completed(box: Sandbox, lacking: str) -> None:
    key = done_issue(box)
    issue = box.jira.issue(key)
    offered = [{"id": "21", "name": "In Progress", "to": issue["fields"]["status"]}]
    body = {"issues": [{**issue, "transitions": offered if lacking == "screens" else []}]}
    box.faults.add(Fault("jira", "status", path="bulkfetch", code=200, body=body))

    requests = written(box, plugin_for(box), [key])

    assert [
        f"GET /issue/{key}/transitions",
        f"POST /issue/{key}/transitions",
        f"PUT /issue/{key}",
    ] == requests
    assert status(box, key) == "In Progress"
