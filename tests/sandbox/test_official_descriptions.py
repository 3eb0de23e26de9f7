"""Every route's answers against the vendors' own descriptions, where those have a schema.

The descriptions are not part of the project: the test runs where UNLATCH_SPECS names their folder.
Uncovered answers are recorded as a property, and listed at the end of the run.
"""

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import requests
from flask import Flask
from jsonschema import FormatChecker
from openapi_schema_validator import OAS30Validator
from tests.openapi import absolute, path_pattern, registry_of, resolved

from unlatch_sandbox import Sandbox
from unlatch_sandbox import ado as ado_part
from unlatch_sandbox import github as github_part
from unlatch_sandbox import jira as jira_part

Call = Callable[..., requests.Response]
Json = dict[str, Any]

SPECS = os.environ.get("UNLATCH_SPECS")
pytestmark = pytest.mark.skipif(not SPECS, reason="UNLATCH_SPECS names no folder of descriptions")

GITHUB = "github_issues_slice_octokit_openapi_23.0.2.json"
ADO = "ado_workItemTracking_7.1_swagger2.json"
JIRA = "jira_cloud_swagger-v3_2025-12-25.json"


def load(name: str) -> Json:
    # The file on Azure DevOps begins with a byte order mark.
    found: Json = json.loads((Path(SPECS or "") / name).read_text("utf-8-sig"))
    return found


@dataclass
class Description:
    """One vendor's description, and the results of validating answers."""

    document: Json
    formats: tuple[str, ...]
    checked: set[str] = field(default_factory=set)
    unchecked: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._registry = registry_of(self.document)
        self._templates = [
            (re.compile(path_pattern(path), re.IGNORECASE), path) for path in self.document["paths"]
        ]

    def check(self, method: str, path: str, answer: requests.Response) -> None:
        visit = f"{method} {path} {answer.status_code}"
        schema, why_not = self._schema(method, path, str(answer.status_code))
        if schema is None:
            self.unchecked.add(f"{visit}: {why_not}")
            return
        body = answer.json()
        if schema.get("type") == "array" and isinstance(body, dict) and "value" in body:
            # Azure DevOps wraps every list and describes it bare.
            body = body["value"]
        self.checked.add(visit)
        for error in self._validator(schema).iter_errors(body):
            where = "/".join(str(step) for step in error.absolute_path)
            self.wrong.append(f"{visit}: {where}: {error.message[:200]}")

    def _validator(self, schema: Json) -> Any:
        checker = FormatChecker(self.formats)
        return OAS30Validator(schema, registry=self._registry, format_checker=checker)

    def _schema(self, method: str, path: str, status: str) -> tuple[Json | None, str]:
        found = [template for pattern, template in self._templates if pattern.fullmatch(path)]
        # The most literal template is the one that is meant.
        found.sort(key=lambda template: template.count("{"))
        if not found:
            return None, "the path is not described"
        operation = self.document["paths"][found[0]].get(method.lower())
        if operation is None:
            return None, "the method is not described"
        response = resolved(self.document, operation["responses"].get(status))
        if response is None:
            return None, "the status is not described"
        content = response.get("content", {}).get("application/json", response)
        schema = content.get("schema")
        return (absolute(schema), "") if schema else (None, "the answer has no schema")


@dataclass(frozen=True)
class Findings:
    """Whether answers were compared, what was wrong with them, and the routes without a visit."""

    has_checked: bool = True
    wrong: list[str] = field(default_factory=list)
    unvisited: set[str] = field(default_factory=set)


@dataclass
class Explorer:
    """Sends requests, holds each answer against the description, and remembers the routes."""

    call: Call
    description: Description
    app: Flask
    prefix: str
    described_as: Callable[[str], str]
    visited: set[str] = field(default_factory=set)

    def __call__(self, method: str, path: str, **own: Any) -> Any:
        answer = self.call(method, path, **own)
        assert answer.status_code != requests.codes.not_implemented, answer.text
        bound = self.app.url_map.bind("127.0.0.1")
        rule, _ = bound.match(self.prefix + path, method=method, return_rule=True)
        self.visited.add(f"{method} {rule.rule}")
        if answer.content and not answer.headers["Content-Type"].startswith("text/html"):
            self.description.check(method, self.described_as(path), answer)
            return answer.json()
        return None

    def routes(self) -> set[str]:
        return {
            f"{method} {rule.rule}"
            for rule in self.app.url_map.iter_rules()
            for method in rule.methods or ()
            if method != "HEAD"
            # GraphQL has no description of this kind, and Azure DevOps' batch has none at all.
            and not rule.rule.endswith("/$batch")
            and ("/_apis" in rule.rule or rule.rule.startswith(("/api/v", "/rest")))
        }

    def conclude(self, record: Callable[[str, object], None]) -> Findings:
        """What the visits found; answers without a description are recorded."""
        missing = "\n".join(sorted(self.description.unchecked))
        record("not-checked", missing)
        description = self.description
        return Findings(bool(description.checked), description.wrong, self.routes() - self.visited)


@pytest.fixture
def on_github(box: Sandbox, github: Call) -> Explorer:
    box.github.add_issue(number=4, title="T", state="closed", labels=["ux"], assignee="octocat")
    app = github_part.create_app()
    document = load(GITHUB)
    # Nullable, but the list of values leaves null out.
    document["components"]["schemas"]["issue"]["properties"]["state_reason"]["enum"].append(None)
    description = Description(document, ("date-time",))
    return Explorer(github, description, app, "/api/v3", lambda path: path)


def test_github(
    box: Sandbox, on_github: Explorer, record_property: Callable[[str, object], None]
) -> None:
    visit, home = on_github, "/repos/octo/widgets"
    issue = f"{home}/issues/4"
    for path in ("/user", "/rate_limit", home, f"{home}/issues", f"{home}/labels", issue):
        visit("GET", path)
    visit("GET", f"{home}/issues", params={"state": "all"})
    box.github.add_hook(events=["issues"])
    visit("GET", f"{home}/hooks")
    milestone = box.github.add_milestone("v1")
    more = {"milestone": milestone, "assignees": ["hubot"], "type": "Bug"}
    visit("POST", f"{home}/issues", json={"title": "T", "labels": ["a"], **more})
    visit("PATCH", issue, json={"state": "open", "state_reason": "reopened", **more})
    visit("POST", f"{issue}/assignees", json={"assignees": ["octocat"]})
    visit("GET", f"{home}/milestones", params={"state": "all"})
    visit("GET", f"{home}/collaborators/ann/permission")
    comment = visit("POST", f"{issue}/comments", json={"body": "x"})
    visit("GET", f"{issue}/comments")
    since = {"since": "2026-01-01T00:00:00Z", "sort": "created", "direction": "asc"}
    visit("GET", f"{home}/issues/comments", params=since)
    visit("GET", f"{issue}/events")
    visit("GET", f"{home}/issues/comments/{comment['id']}")
    for content in ("+1", "+1", "tada"):
        body = {"content": content}
        visit("POST", f"{home}/issues/comments/{comment['id']}/reactions", json=body)
    visit("DELETE", f"{home}/issues/comments/{comment['id']}")
    visit("GET", f"{home}/issues/comments/{comment['id']}")
    visit("POST", f"{issue}/labels", json={"labels": ["b"]})
    visit("GET", f"{issue}/labels")
    visit("DELETE", f"{issue}/labels/b")
    visit("DELETE", f"{issue}/labels/b")
    visit("POST", f"{home}/labels", json={"name": "c", "color": "ededed"})
    visit("GET", f"{home}/labels/c")
    visit("GET", issue, headers={"Authorization": "Bearer wrong"})
    visit("GET", "/user", headers={"Authorization": "Bearer wrong"})
    visit("GET", f"{home}/issues/99")
    visit("PATCH", issue, json={"state": "shut"})
    pull = box.github.add_issue(title="P", pull_request=True)
    visit("GET", f"{home}/issues/{pull}")
    on_code = box.github.add_comment("octo/widgets", pull, "x", review=True)
    visit("GET", f"{home}/pulls/comments/{on_code}")
    visit("POST", f"{home}/pulls/comments/{on_code}/reactions", json={"content": "+1"})
    box.github.teams = {"support": {"ann"}}
    visit("GET", "/orgs/octo/teams/support/memberships/ann")
    box.github.edit("octo/widgets", 4, locked=True)
    visit("POST", f"{issue}/comments", json={"body": "x"})
    box.github.edit("octo/widgets", 4, deleted=True)
    visit("GET", issue)
    box.github.rename_repository("octo/widgets", "octo/gadgets")
    visit("GET", home)
    visit("PATCH", issue, json={})
    assert Findings() == on_github.conclude(record_property)


def _described_in_project(path: str) -> str:
    """The description knows each path with organization and project, and a query with a team."""
    before, mark, rest = path.partition("/_apis/")
    # A path below areas or iterations may be left out, and is not in the description.
    rest += "/root" if rest.startswith("wit/classificationnodes/") else ""
    middle = "/widgets/team" if rest == "wit/wiql" else "/widgets"
    return f"/fabrikam{middle if not before or 'wiql' in rest else before}{mark}{rest}"


@pytest.fixture
def on_ado(box: Sandbox, ado: Call) -> Explorer:
    box.ado.add_work_item(id=101, title="T", state="Closed", tags=["a"], assigned_to="Ann")
    document = load(ADO)
    _mend(document["definitions"])
    app = ado_part.create_app()
    description = Description(document, ("date-time",))
    return Explorer(ado, description, app, "/fabrikam", _described_in_project)


def _mend(definitions: Json) -> None:
    """The values of fields are typed as objects there; in truth they are anything."""
    definitions["WorkItem"]["properties"]["fields"]["additionalProperties"] = {}
    node = definitions["WorkItemClassificationNode"]
    node["properties"]["attributes"]["additionalProperties"] = {}
    for name in ("newValue", "oldValue"):
        definitions["WorkItemFieldUpdate"]["properties"][name] = {}
    # Of any type T, by the class that has it: here of revisions.
    values = definitions["StreamedBatch"]["properties"]["values"]
    values["items"] = {"$ref": "#/definitions/WorkItem"}


def test_azure_devops(
    box: Sandbox, on_ado: Explorer, record_property: Callable[[str, object], None]
) -> None:
    visit = on_ado
    patch = {"headers": {"Content-Type": "application/json-patch+json"}}
    steps = [
        {"op": "add", "path": "/fields/System.State", "value": "Active"},
        {"op": "add", "path": "/fields/System.Title", "value": "T"},
        {"op": "add", "path": "/fields/System.History", "value": "why"},
    ]
    visit("OPTIONS", "/_apis")
    visit("GET", "/_apis/resourceareas")
    for scope in ("", "/widgets"):
        items = f"{scope}/_apis/wit/workitems"
        visit("GET", f"{items}/101", params={"$expand": "all"})
        visit("PATCH", f"{items}/101", json=steps, **patch)
        visit("GET", f"{items}/101/updates")
        visit("GET", items, params={"ids": "101"})
        visit("POST", f"{scope}/_apis/wit/workitemsbatch", json={"ids": [101]})
        query = {"query": "SELECT [System.Id] FROM WorkItems ORDER BY [System.Id] DESC"}
        visit("POST", f"{scope}/_apis/wit/wiql", json=query)
    visit("POST", "/widgets/team/_apis/wit/wiql", json=query)
    visit("POST", "/widgets/_apis/wit/workitems/$Bug", json=steps[1:], **patch)
    target = f"{box.ado.organization_url}/_apis/wit/workItems/102"
    relation = {"rel": "System.LinkTypes.Hierarchy-Reverse", "url": target, "attributes": {}}
    linked = [*steps[1:], {"op": "add", "path": "/relations/-", "value": relation}]
    items = "/widgets/_apis/wit/workitems"
    visit("POST", f"{items}/$Bug", json=linked, params={"$expand": "relations"}, **patch)
    visit("PATCH", f"{items}/102", json=steps[1:], params={"validateOnly": "true"}, **patch)
    visit("GET", f"{items}/102", params={"$expand": "relations"})
    box.ado.add_iteration("widgets\\S1", "2026-01-01T00:00:00Z", "2026-01-14T00:00:00Z")
    nodes = "/widgets/_apis/wit/classificationnodes"
    visit("GET", f"{nodes}/iterations", params={"$depth": 2})
    visit("GET", f"{nodes}/areas")
    visit("GET", "/_apis/connectiondata")
    tagging = "bb50f182-8e5e-40b8-bc21-e8752a1e7ae2"
    visit("GET", f"/_apis/permissions/{tagging}/2", params={"tokens": "/widgets"})
    comments = "/widgets/_apis/wit/workitems/101/comments"
    number = visit("POST", comments, json={"text": "x"})["id"]
    visit("GET", comments)
    visit("GET", f"{comments}/{number}")
    visit("PUT", f"{comments}/{number}/reactions/like")
    for scope in ("", "/widgets"):
        visit("GET", f"{scope}/_apis/wit/workitems/101/revisions/1")
    since = {"startDateTime": "2026-01-01T00:00:00Z", "$expand": "fields"}
    visit("GET", "/widgets/_apis/wit/reporting/workitemrevisions", params=since)
    box.ado.add_team("Core Team", "Ann")
    visit("GET", "/_apis/projects/widgets/teams/Core Team/members")
    visit("DELETE", f"{comments}/{number}")
    types = "/widgets/_apis/wit/workitemtypes"
    for path in (types, f"{types}/Bug", f"{types}/Bug/states"):
        visit("GET", path)
    box.ado.delete(101)
    for scope in ("", "/widgets"):
        visit("GET", f"{scope}/_apis/wit/recyclebin/101")
    visit("GET", "/_apis/wit/workitems/101")
    assert Findings() == on_ado.conclude(record_property)


@pytest.fixture
def on_jira(box: Sandbox) -> Explorer:
    jira = box.jira
    jira.add_project("OPS", workflow="classic")
    jira.add_issue("OPS-1", summary="T", status="Closed", labels=["a"], assignee="Ann")
    sprint = jira.add_sprint("Sprint 7")
    jira.add_issue("OPS-2", summary="E", type="Epic", status="Open")
    jira.add_issue("OPS-3", summary="C", status="Open", parent="OPS-2", sprints=[sprint])
    jira.add_group("support", "Octo Cat")
    jira.add_role("Developers", "Ann", "group:support", project="OPS")
    jira.allow_moves("Octo Cat", project="OPS")

    def call(method: str, path: str, **own: Any) -> requests.Response:
        auth = (jira.email, jira.token)
        url = f"{jira.site}{path}"
        return requests.request(method, url, auth=auth, timeout=10, allow_redirects=False, **own)

    # Jira's time zones have no colon, so its date-times are none by the standard.
    description = Description(load(JIRA), ())
    return Explorer(call, description, jira_part.create_app(), "", lambda path: path)


def test_jira(
    box: Sandbox, on_jira: Explorer, record_property: Callable[[str, object], None]
) -> None:
    visit, issue = on_jira, "/rest/api/3/issue/OPS-1"
    paragraph = {"type": "paragraph", "content": [{"type": "text", "text": "x"}]}
    document = {"type": "doc", "version": 1, "content": [paragraph]}
    for path in (
        "/rest/api/3/serverInfo",
        "/rest/api/3/myself",
        "/rest/api/3/field",
        "/rest/api/3/project/OPS",
    ):
        visit("GET", path)
    visit("PUT", f"{issue}/properties/p", json=1)
    params = {"expand": "transitions.fields", "properties": "*all"}
    visit("GET", issue, params=params)
    visit("GET", f"{issue}/transitions", params={"expand": "transitions.fields"})
    visit("POST", f"{issue}/transitions", json={"transition": {"id": "3"}})
    labels = {"update": {"labels": [{"add": "b"}]}}
    visit("PUT", issue, json=labels, params={"returnIssue": "true"})
    visit("PUT", issue, json=labels)
    fields = {"project": {"key": "OPS"}, "issuetype": {"name": "Bug"}, "summary": "T"}
    visit("POST", "/rest/api/3/issue", json={"fields": {**fields, "description": document}})
    visit("POST", "/rest/api/3/issue", json={"fields": {"summary": "T"}})
    types = visit("GET", "/rest/api/3/issue/createmeta/OPS/issuetypes")["issueTypes"]
    visit("GET", f"/rest/api/3/issue/createmeta/OPS/issuetypes/{types[0]['id']}")
    comment = visit("POST", f"{issue}/comment", json={"body": document})["id"]
    visit("PUT", f"/rest/api/3/comment/{comment}/properties/p", json={"a": 1})
    for path in ("", "/p"):
        visit("GET", f"/rest/api/3/comment/{comment}/properties{path}")
        visit("GET", f"{issue}/properties{path}")
    visit("DELETE", f"/rest/api/3/comment/{comment}/properties/p")
    visit("DELETE", f"{issue}/properties/p")
    visit("GET", f"{issue}/comment", params={"expand": "properties"})
    visit("GET", f"{issue}/comment/{comment}")
    visit("DELETE", f"{issue}/comment/{comment}")
    search = {"jql": "project = OPS", "maxResults": 1, "fields": "*all"}
    visit("GET", "/rest/api/3/search/jql", params=search)
    visit("GET", "/rest/api/3/search", params=search)
    visit("GET", "/rest/api/3/issue/OPS-99")
    visit("GET", "/rest/api/3/issue/OPS-3")
    bulk = {"issueIdsOrKeys": ["OPS-1", "OPS-99", "OPS-3"], "fields": ["summary", "status"]}
    visit("POST", "/rest/api/3/issue/bulkfetch", json=bulk)
    visit("POST", "/rest/api/3/issue/bulkfetch", json={**bulk, "expand": ["transitions"]})
    names = {"projectKey": "OPS", "permissions": "BROWSE_PROJECTS,TRANSITION_ISSUES"}
    visit("GET", "/rest/api/3/mypermissions", params=names)
    visit("GET", "/rest/api/3/project/OPS/statuses")
    project = visit("GET", "/rest/api/3/project/OPS")["id"]
    wanted = {"projectId": project, "issueTypeIds": ["10001"]}
    visit("POST", "/rest/api/3/workflows/preview", json=wanted)
    visit("GET", "/rest/agile/1.0/board/1/sprint", params={"state": "active"})
    restricted = {"body": document, "visibility": {"type": "role", "value": "Developers"}}
    person = visit("POST", f"{issue}/comment", json=restricted)["author"]["accountId"]
    visit("GET", "/rest/api/3/user", params={"accountId": person, "expand": "groups"})
    permitted = {"accountId": person, "permissions": "TRANSITION_ISSUES", "issueKey": "OPS-1"}
    visit("GET", "/rest/api/3/user/permission/search", params=permitted)
    role = visit("GET", "/rest/api/3/project/OPS/role")["Developers"]
    visit("GET", role.removeprefix(box.jira.site))
    for path in ("/rest/api/2/issue/OPS-1", "/rest/api/2/issue/OPS-1/comment"):
        visit("GET", path)
    assert Findings() == on_jira.conclude(record_property)
