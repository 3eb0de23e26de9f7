"""The status of many issues, and the errors of unreadable ones."""

from typing import Any

import pytest
from tests.unlatch_jira.making import REOPEN, done_issue, plugin_for, ref, sent, status

from unlatch.errors import NotFound, TrackerError, Unauthorised
from unlatch.spi import Snapshot
from unlatch.transport import measure
from unlatch_jira.plugin import JiraPlugin
from unlatch_sandbox import Fault, Sandbox


def test_hundreds_of_issues_are_read_a_hundred_a_request(box: Sandbox) -> None:
    with box.jira.tracks.store.transaction():
        keys = [box.jira.add_issue(summary=f"Number {n}") for n in range(103)]
    refs = [ref(box, key) for key in keys]

    found = plugin_for(box).read_many(refs)

    assert [one.item.title for one in found.values() if isinstance(one, Snapshot)] == [
        f"Number {n}" for n in range(103)
    ]
    assert list(found) == refs
    assert sent(box) == ["POST /issue/bulkfetch"] * 2


def test_data_center_reads_each_by_itself_and_trusts_no_index(server: Sandbox) -> None:
    keys = [server.jira.add_issue(summary="Smart") for _ in range(6)]

    with measure() as meter:
        found = plugin_for(server).read_many([ref(server, key) for key in keys])

    assert sorted(one.id for one in found) == sorted(keys)
    assert sorted(sent(server)) == sorted(f"GET /issue/{key}" for key in keys)
    assert meter.requests == len(keys)


def test_a_moved_issue_is_found_at_its_new_place(either: Sandbox) -> None:
    either.jira.add_project("OPS")
    old = either.jira.add_issue(summary="Smart")
    new = either.jira.move(old, "OPS")

    found = plugin_for(either).read_many([ref(either, old), ref(either, new)])

    places = [one.item.ref.id if isinstance(one, Snapshot) else "" for one in found.values()]
    assert sorted(places) == [new, new]


@pytest.mark.parametrize("answer", [{"code": 404}, {"code": 200, "body": "OK"}], ids=str)
def test_where_lists_are_not_served_each_is_read_by_itself(
    box: Sandbox, answer: dict[str, Any]
) -> None:
    keys = [box.jira.add_issue(summary="Smart") for _ in range(3)]
    box.faults.add(Fault("jira", "status", path="bulkfetch", **answer))
    found = plugin_for(box).read_many([ref(box, key) for key in keys])
    assert sorted(one.id for one in found) == keys


def test_a_credential_that_is_refused_is_told_once_for_all(box: Sandbox) -> None:
    key = box.jira.add_issue(summary="Smart")
    with pytest.raises(Unauthorised):
        plugin_for(box, token="wrong").read_many([ref(box, key)])


def test_nothing_to_read_asks_nothing_and_a_missing_issue_is_missing_alone(either: Sandbox) -> None:
    assert plugin_for(either).read_many([]) == {}
    assert sent(either) == []

    there = either.jira.add_issue(summary="Smart")
    refs = [ref(either, key) for key in (there, "SCRUM-999")]

    found = plugin_for(either).read_many(refs)

    assert isinstance(found[refs[0]], Snapshot)
    lost = found[refs[1]]
    assert isinstance(lost, NotFound)
    assert lost.id == "item-not-found"


def test_an_error_of_one_item_is_its_own(server: Sandbox) -> None:
    keys = [server.jira.add_issue(summary="Smart") for _ in range(2)]
    server.faults.add(Fault("jira", "status", path=f"/issue/{keys[0]}", code=403))
    refs = [ref(server, key) for key in keys]

    found = plugin_for(server).read_many(refs)

    assert [isinstance(found[one], TrackerError) for one in refs] == [True, False]


def test_what_was_read_with_others_can_be_written(either: Sandbox) -> None:
    keys = [done_issue(either) for _ in range(2)]
    plugin = plugin_for(either)

    found = plugin.read_many([ref(either, key) for key in keys], REOPEN)
    outcomes = [plugin.write(one, REOPEN) for one in found.values() if isinstance(one, Snapshot)]

    assert [one.after.state for one in outcomes] == ["In Progress"] * 2
    assert [status(either, key) for key in keys] == ["In Progress"] * 2


def written(box: Sandbox, plugin: JiraPlugin, keys: list[str]) -> list[str]:
    """The requests that reopen these issues, as read with one request."""
    found = plugin.read_many([ref(box, key) for key in keys], REOPEN)
    box.requests.clear()
    for one in found.values():
        assert isinstance(one, Snapshot)
        plugin.write(one, REOPEN)
    return sent(box)


def test_a_page_has_the_transitions_with_their_screens(box: Sandbox) -> None:
    box.jira.add_project("ROOT", workflow="required-fields")
    keys = [box.jira.add_issue(project="ROOT", summary="S", status="Done") for _ in range(2)]
    plugin = plugin_for(box, project="ROOT", fields={"Root cause": "Bug"})

    requests = written(box, plugin, keys)

    assert [f"GET /issue/{key}" for key in keys] == [
        one for one in requests if one.startswith("GET")
    ], "only the empty required field is read"
    assert [status(box, key) for key in keys] == ["To Do"] * 2


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
