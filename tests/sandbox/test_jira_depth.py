"""The sandbox's Jira beyond single issues: workflows, epics, sprints, the gateway."""

from collections.abc import Callable
from typing import Any

import pytest
import requests

from unlatch_sandbox import Sandbox

Call = Callable[..., requests.Response]


def issue(box: Sandbox, workflow: str, status: str) -> str:
    box.jira.add_project("SCRUM", workflow)
    return box.jira.add_issue(summary="Smart", status=status)


def move(jira: Call, key: str, number: str, **more: Any) -> requests.Response:
    return jira("POST", f"/3/issue/{key}/transitions", json={"transition": {"id": number}, **more})


def fields(box: Sandbox, key: str) -> dict[str, Any]:
    found: dict[str, Any] = box.jira.issue(key)["fields"]
    return found


def test_the_way_back_takes_two_hops(box: Sandbox, jira: Call) -> None:
    key = issue(box, "two-hops", "Erledigt")
    offered = jira("GET", f"/3/issue/{key}/transitions").json()["transitions"]
    categories = [one["to"]["statusCategory"]["key"] for one in offered]
    codes = [move(jira, key, number).status_code for number in ("41", "61", "41")]
    assert (categories, codes) == (["done"], [400, 204, 204])
    assert fields(box, key)["status"]["name"] == "In Arbeit"


def test_a_resolution_and_somebody_who_left_may_stay(box: Sandbox, jira: Call) -> None:
    key = issue(box, "keeps-resolution", "Done")
    move(jira, key, "41")
    found = fields(box, key)
    assert (found["status"]["name"], found["resolution"]["name"]) == ("To Do", "Done")

    key = box.jira.add_issue(summary="Smart", assignee="A Person")
    box.jira.switch_off("A Person")
    assert fields(box, key)["assignee"]["active"] is False


def test_a_closed_status_may_forbid_edits_and_still_takes_comments(
    box: Sandbox, jira: Call
) -> None:
    key = issue(box, "closed-for-edits", "Locked")
    labels = {"update": {"labels": [{"add": "x"}]}}
    refused = jira("PUT", f"/2/issue/{key}", json=labels)
    posted = jira("POST", f"/2/issue/{key}/comment", json={"body": "Hello"})
    move(jira, key, "41")
    assert "not on the appropriate screen" in refused.json()["errors"]["labels"]
    assert posted.status_code == 201
    assert jira("PUT", f"/2/issue/{key}", json=labels).status_code == 204


@pytest.mark.parametrize("count", [0, 101])
def test_too_many_or_no_issues_are_refused(jira: Call, count: int) -> None:
    body = {"issueIdsOrKeys": [f"SCRUM-{n}" for n in range(count)]}
    assert jira("POST", "/3/issue/bulkfetch", json=body).status_code == 400


def test_a_server_has_neither_many_at_once_nor_maps_and_tells_whom_it_took_a_request_for(
    server: Call, box: Sandbox
) -> None:
    assert server("POST", "/2/issue/bulkfetch", json={}).status_code == 501
    assert server("POST", "/2/workflows/preview", json={}).status_code == 501

    named = server("GET", "/2/serverInfo").headers["X-AUSERNAME"]
    nobody = requests.get(f"{box.jira.site}/rest/api/2/serverInfo", timeout=10)
    assert (named, nobody.headers["X-AUSERNAME"]) == ("octo.cat", "anonymous")


def test_permissions_and_statuses_and_the_map_of_a_project(box: Sandbox, jira: Call) -> None:
    box.jira.add_project("SCRUM", "two-hops", can_transition=False)
    names = "BROWSE_PROJECTS,TRANSITION_ISSUES"
    asked = {"projectKey": "SCRUM", "permissions": names}
    found = jira("GET", "/3/mypermissions", params=asked).json()["permissions"]
    assert [one["havePermission"] for one in found.values()] == [True, False]
    kinds = jira("GET", "/3/project/SCRUM/statuses").json()
    assert kinds[1]["statuses"][0]["name"] == "Offen"
    project = jira("GET", "/3/project/SCRUM").json()["id"]
    body = {"projectId": project, "issueTypeIds": ["10001"]}
    shown = jira("POST", "/3/workflows/preview", json=body).json()
    assert [one["name"] for one in shown["workflows"][0]["transitions"]] == [
        "Beginnen",
        "Abschließen",
        "Freigabe erbitten",
    ]
    box.jira.add_project("SCRUM", "two-hops", can_view_workflow=False)
    assert jira("POST", "/3/workflows/preview", json=body).status_code == 404


def test_the_gateway_takes_scoped_tokens_alone_and_the_site_all_others(box: Sandbox) -> None:
    admin = box.jira
    told = requests.get(f"{admin.site}/_edge/tenant_info", timeout=10)
    gate = f"{admin.site}/ex/jira/{told.json()['cloudId']}"

    def code(base: str, token: str) -> int:
        address = f"{base}/rest/api/3/myself"
        return requests.get(address, auth=(admin.email, token), timeout=10).status_code

    assert [code(gate, admin.scoped_token), code(gate, admin.token)] == [200, 401]
    assert [code(admin.site, admin.scoped_token), code(admin.site, admin.token)] == [401, 200]
    assert code(f"{admin.site}/ex/jira/another-id", admin.scoped_token) == 404
