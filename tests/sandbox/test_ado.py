from collections.abc import Callable
from itertools import product

import pytest
import requests

from unlatch_sandbox import Sandbox
from unlatch_sandbox.ado.processes import PROCESSES
from unlatch_sandbox.ado.relations import TO_PARENT

Call = Callable[..., requests.Response]
ITEM = "/widgets/_apis/wit/workItems/101"
STATE, TAGS, HISTORY = "/fields/System.State", "/fields/System.Tags", "/fields/System.History"


@pytest.fixture(autouse=True)
def closed_item(box: Sandbox) -> None:
    box.ado.add_work_item(id=101, title="Smart", state="Closed", tags=["completed", "ux"])


def test_a_wrong_token_on_a_patch_is_unauthorized_and_the_right_one_a_bearer(
    patch: Call, box: Sandbox
) -> None:
    answer = patch(ITEM, ("add", STATE, "Active"), auth=("", "wrong"))
    assert answer.status_code == 401
    assert answer.json()["message"].startswith("TF400813")

    headers = {"Authorization": f"Bearer {box.ado.token}"}
    url = f"{box.ado.organization_url}/_apis/wit/workitems/101"
    assert requests.get(url, headers=headers, timeout=10).json()["id"] == 101


@pytest.mark.parametrize(
    ("op", "value", "expected"),
    [
        ("add", "new", "completed; new; ux"),
        ("add", "UX", "completed; ux"),
        ("replace", "new", "new"),
        ("replace", "", None),
        ("remove", None, None),
    ],
)
def test_tags_merge_on_add_and_go_only_on_replace(
    patch: Call, op: str, value: str | None, expected: str | None
) -> None:
    fields = patch(ITEM, (op, TAGS, value)).json()["fields"]
    assert expected == fields.get("System.Tags")


# What the answer says of a step: its message begins so, or the sandbox does not know this part.
REFUSED = {
    "a state of another type": (("add", STATE, "Committed"), 400, "TF401320"),
    "a state in lower case": (("add", STATE, "active"), 400, "TF401320"),
    "no state": (("add", STATE, ""), 400, "TF401320"),
    "a field that nobody made": (("add", "/fields/Custom.Nope", "x"), 400, "TF51535"),
    "an unknown area": (("add", "/fields/System.AreaPath", "widgets\\No"), 400, "TF401347"),
    "an unknown sprint": (("add", "/fields/System.IterationPath", "widgets\\No"), 400, "TF401347"),
    "a relation's number": (("remove", "/relations/0", None), 501, "patch path"),
    "a commit": (("add", "/relations/-", {"rel": "ArtifactLink", "url": "x"}), 501, "relation"),
    "the revision": (("add", "/fields/System.Rev", 9), 501, "patch path"),
    "a copy": (("copy", STATE, "x"), 501, "patch operation"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_step_is_refused(patch: Call, what: str) -> None:
    step, status, said = REFUSED[what]
    answer = patch(ITEM, step)
    document = answer.json()
    assert (status, True) == (
        answer.status_code,
        document.get("part", document["message"]).startswith(said),
    )


def test_the_sandbox_obeys_its_tables_for_every_pair_of_states(box: Sandbox, patch: Call) -> None:
    kind = PROCESSES["Scrum"]["Product Backlog Item"]
    box.ado.add_project("scrum", "Scrum")
    item = box.ado.add_work_item("scrum", type=kind.name, title="T")
    path = f"/_apis/wit/workitems/{item}"
    for source, target in product([s.name for s in kind.states], repeat=2):
        box.ado.edit(item, state=source)
        allowed = target == source or target in kind.next_states(source)
        assert (200 if allowed else 400) == patch(path, ("add", STATE, target)).status_code


def test_what_changes_nothing_makes_no_revision_and_rules_cannot_be_bypassed(
    box: Sandbox, patch: Call
) -> None:
    before = box.ado.work_item(101)
    params = {"validateOnly": "true"}
    assert patch(ITEM, ("add", STATE, "Active"), params=params).status_code == 200
    assert patch(ITEM, ("add", STATE, "Nope"), params=params).status_code == 400
    assert before == box.ado.work_item(101)

    rev = box.ado.work_item(101)["rev"]
    assert rev == patch(ITEM, ("add", STATE, "Closed")).json()["rev"]

    answer = patch(ITEM, ("add", STATE, "Committed")).json()
    field = answer["customProperties"]["FieldReferenceName"]
    assert (answer["typeKey"], field) == ("RuleValidationException", "System.State")
    assert patch(ITEM, ("add", STATE, "x"), params={"bypassRules": "true"}).status_code == 501


def test_a_deleted_item_is_found_in_the_recycle_bin(box: Sandbox, ado: Call) -> None:
    assert ado("GET", "/_apis/wit/recyclebin/101").status_code == 404
    box.ado.delete(101)
    assert ado("GET", ITEM).status_code == 404
    assert ado("GET", "/_apis/wit/recyclebin/101").json()["name"] == "Smart"


def test_a_change_must_name_an_api_version_and_its_type(ado: Call) -> None:
    headers = {"Accept": "application/json"}
    assert ado("PATCH", ITEM, json=[], headers=headers).status_code == 400
    assert ado("PATCH", ITEM, json=[]).status_code == 415
    stable = {"Accept": "application/json;api-version=7.1"}
    assert ado("GET", f"{ITEM}/comments", headers=stable).status_code == 400


def test_an_item_is_created_in_the_first_state_of_its_type(box: Sandbox, patch: Call) -> None:
    path = "/widgets/_apis/wit/workitems/$User Story"
    answer = patch(path, ("add", "/fields/System.Title", "New one"), ("add", TAGS, "b; a"))
    assert (
        answer.status_code,
        answer.json()["id"],
        answer.json()["fields"]["System.State"],
        answer.json()["fields"]["System.Tags"],
    ) == (200, 102, "New", "a; b")
    assert patch(path, ("add", TAGS, "no title")).status_code == 400
    assert patch(path.replace("User Story", "Nope")).status_code == 404
    assert len(box.ado.items()) == 2


def test_comments_come_newest_first_in_pages_and_can_go(box: Sandbox, ado: Call) -> None:
    for number in range(3):
        box.ado.add_comment(101, f"comment {number}")
    first = ado("GET", f"{ITEM}/comments", params={"$top": 2}).json()
    assert [c["text"] for c in first["comments"]] == ["comment 2", "comment 1"]
    token = {"continuationToken": first["continuationToken"]}
    rest = ado("GET", f"{ITEM}/comments", params=token).json()
    assert [c["text"] for c in rest["comments"]] == ["comment 0"]
    number = rest["comments"][0]["id"]
    assert ado("DELETE", f"{ITEM}/comments/{number}").status_code == 204
    assert ado("GET", f"{ITEM}/comments/{number}").status_code == 404
    assert ado("GET", f"{ITEM}/comments").json()["totalCount"] == 2


def test_many_items_are_read_at_once(box: Sandbox, ado: Call) -> None:
    box.ado.add_work_item(id=102, title="Second")
    asked = {"ids": [102, 999, 101], "fields": ["System.Title"], "errorPolicy": "omit"}
    found = ado("POST", "/_apis/wit/workitemsbatch", json=asked).json()["value"]
    assert [item and item["id"] for item in found] == [102, None, 101]
    assert found[2]["fields"] == {"System.Title": "Smart"}
    many = {"ids": list(range(1, 202))}
    assert ado("POST", "/_apis/wit/workitemsbatch", json=many).status_code == 400


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("[System.Tags] CONTAINS 'ux'", [103, 101]),
        ("[System.TeamProject] = @project AND [System.State] <> 'Closed'", [103, 102]),
        ("[System.Title] = 'It''s'", [103]),
        ("[System.CreatedDate] >= '2999-01-01'", []),
        ("[System.Id] < 103", [102, 101]),
    ],
)
def test_a_query_finds_the_newest_first(
    box: Sandbox, ado: Call, where: str, expected: list[int]
) -> None:
    box.ado.add_work_item(id=102, title="Second", tags=["uxx"])
    box.ado.add_work_item(id=103, title="It's", tags=["UX"])
    query = f"SELECT [System.Id] FROM WorkItems WHERE {where} ORDER BY [System.Id] DESC"
    answer = ado("POST", "/widgets/_apis/wit/wiql", json={"query": query})
    assert expected == [item["id"] for item in answer.json()["workItems"]]


def _query(where: str) -> dict[str, object]:
    return {"json": {"query": f"SELECT [System.Id] FROM WorkItems WHERE {where}"}}


def _batch(method: str, uri: str) -> dict[str, object]:
    return {
        "json": [{"method": method, "uri": f"{uri}?api-version=7.1", "headers": {}, "body": []}]
    }


@pytest.mark.parametrize(
    ("method", "path", "extra", "part"),
    [
        ("GET", "/_apis/projects", {}, "route"),
        (
            "PATCH",
            "/_apis/wit/$batch",
            _batch("DELETE", "/_apis/wit/workitems/1"),
            "batched request",
        ),
        ("GET", ITEM, {"params": {"asOf": "x"}}, "query parameter"),
        ("POST", "/_apis/wit/wiql", _query("[System.Id] IN (1, 2)"), "query condition"),
        ("POST", "/_apis/wit/wiql", _query("[System.Title] < 'y'"), "query condition"),
        ("POST", "/_apis/wit/wiql", _query("[Custom.X] = 'y'"), "query field"),
        ("POST", "/_apis/wit/wiql", {"json": {"query": "DROP TABLE"}}, "query"),
    ],
)
def test_what_the_sandbox_does_not_know_is_said(
    ado: Call, method: str, path: str, extra: dict[str, object], part: str
) -> None:
    answer = ado(method, path, **extra)
    assert (501, part) == (answer.status_code, answer.json()["part"])


def test_links_show_on_both_sides_and_a_parent_is_one(box: Sandbox, ado: Call, patch: Call) -> None:
    child = box.ado.add_work_item(title="Child")
    address = f"{box.ado.organization_url}/_apis/wit/workItems"
    up = ("add", "/relations/-", {"rel": TO_PARENT, "url": f"{address}/101"})
    before = box.ado.work_item(101)["rev"]
    shown = patch(f"/_apis/wit/workitems/{child}", up, params={"$expand": "relations"}).json()
    assert (shown["relations"][0]["rel"], shown["fields"]["System.Parent"]) == (TO_PARENT, 101)
    parent = ado("GET", "/_apis/wit/workitems/101", params={"$expand": "relations"}).json()
    assert (parent["relations"][0]["url"], parent["rev"]) == (f"{address}/{child}", before + 1)
    assert "relations" not in ado("GET", "/_apis/wit/workitems/101").json()
    second = patch(f"/_apis/wit/workitems/{child}", up)
    assert (second.status_code, second.json()["message"][:8]) == (400, "TF201036")
    nowhere = ("add", "/relations/-", {"rel": TO_PARENT, "url": f"{address}/999"})
    assert patch(ITEM, nowhere).status_code == 404
    foreign = ("add", "/relations/-", {"rel": TO_PARENT, "url": "https://x.example/1"})
    assert patch(ITEM, foreign).status_code == 400


@pytest.mark.parametrize(("allows", "codes"), [("read", (200, 403)), ("nothing", (404, 404))])
def test_an_area_may_allow_less(
    box: Sandbox, ado: Call, patch: Call, allows: str, codes: tuple[int, int]
) -> None:
    box.ado.add_area("widgets\\Vault", allows=allows)
    box.ado.edit(101, area="widgets\\Vault")
    change = patch(ITEM, ("add", STATE, "Active"))
    assert codes == (ado("GET", ITEM).status_code, change.status_code)
    asked = {"ids": [101], "errorPolicy": "omit"}
    [found] = ado("POST", "/_apis/wit/workitemsbatch", json=asked).json()["value"]
    assert (found is None) == (allows == "nothing")


def test_an_older_server_refuses_newer_versions(box: Sandbox, ado: Call) -> None:
    box.ado.newest_version = "5.1"
    headers = {"Accept": "application/json;api-version=7.1"}
    answer = ado("GET", ITEM, headers=headers)
    assert (400, "VssVersionOutOfRangeException") == (
        answer.status_code,
        answer.json()["typeKey"],
    )
    older = {"Accept": "application/json;api-version=5.1"}
    assert ado("GET", ITEM, headers=older).status_code == 200
    routes = ado("OPTIONS", "/_apis", headers=older).json()["value"]
    assert {route["maxVersion"] for route in routes} == {5.1}


def test_after_many_revisions_the_api_takes_no_more(box: Sandbox, patch: Call) -> None:
    box.ado.most_revisions = 2
    answer = patch(ITEM, ("add", STATE, "Active"))
    assert answer.status_code == 500
    assert "up to 2 revisions" in answer.json()["message"]


def test_a_token_may_ask_who_it_is_and_whether_it_may_make_tags(box: Sandbox, ado: Call) -> None:
    user = ado("GET", "/_apis/connectionData").json()["authenticatedUser"]
    assert user["providerDisplayName"] == "Octo Cat"
    tagging = "/_apis/Permissions/bb50f182-8e5e-40b8-bc21-e8752a1e7ae2/2"
    assert ado("GET", tagging, params={"tokens": "/widgets"}).json()["value"] == [True]
    box.ado.add_project("widgets", create_tags=False)
    assert ado("GET", tagging, params={"tokens": "/widgets"}).json()["value"] == [False]
    assert ado("GET", tagging.replace("/2", "/4"), params={"tokens": "/widgets"}).status_code == 501
