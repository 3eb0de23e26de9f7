"""The plugin's requests and answers against Microsoft's description of the API.

The description is not part of the project: the test runs where UNLATCH_SPECS names its folder.
Uncovered requests are recorded as a property.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
import requests
from openapi_schema_validator import OAS30Validator
from tests.openapi import absolute, path_pattern, registry_of
from tests.transport.listening import Listening, document_of, needs_specs
from tests.unlatch_ado.making import (
    OP,
    OTHER_OP,
    creating,
    draft,
    editing,
    ref,
    reopening,
    settings,
    words,
    write_change,
)

from unlatch.spi import Change, Goal
from unlatch.transport import for_tests
from unlatch_ado.plugin import AdoPlugin
from unlatch_sandbox import Sandbox

Json = dict[str, Any]
pytestmark = needs_specs

# The description is about work items: not how routes are asked for, nor other services.
ELSEWHERE = re.compile(r"/_apis(/ConnectionData|/Permissions/.+)?", re.IGNORECASE)

# Two operations share the address of the comments; the description has the other one.
COMMENTS = "GET workItems/{workItemId}/comments"
PAGES_OF_COMMENTS = {"$top", "order", "continuationToken"}


@dataclass
class Official:
    """The description, and the results of validating requests and answers."""

    document: Json
    organization: str
    checked: set[str] = field(default_factory=set)
    unchecked: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        # The values of fields, of patches and of nodes are typed as objects; they are anything.
        definitions = self.document["definitions"]
        definitions["WorkItem"]["properties"]["fields"]["additionalProperties"] = {}
        definitions["JsonPatchOperation"]["properties"]["value"] = {}
        # Said to be an object and an array at once; it is the latter (RFC 6902).
        definitions["JsonPatchDocument"]["type"] = "array"
        node = definitions["WorkItemClassificationNode"]["properties"]
        node["attributes"]["additionalProperties"] = {}
        self._registry = registry_of(self.document)

    def check(self, answer: requests.Response) -> None:
        method, url = answer.request.method or "", urlsplit(answer.request.url or "")
        path = unquote(url.path).removeprefix(self.organization)
        if ELSEWHERE.fullmatch(path):
            self.unchecked.add(f"{method} {path}")
            return
        operation, visit = self._operation(method, path)
        self._check_query(visit, operation, url.query)
        self._check_body(visit, operation, answer.request.body)
        self._check_answer(visit, operation, answer)
        self.checked.add(visit)

    def _operation(self, method: str, path: str) -> tuple[Json, str]:
        before, _, rest = path.partition("/_apis/")
        # Described with a project, a team and a path where these may be left out.
        team = "/team" if rest == "wit/wiql" else ""
        rest += "/path" if re.fullmatch(r"(?i)wit/classificationNodes/\w+", rest) else ""
        whole = f"/organization{before or '/project'}{team}/_apis/{rest}"
        found = [
            t for t in self.document["paths"] if re.fullmatch(path_pattern(t), whole, re.IGNORECASE)
        ]
        assert found, f"{method} {path} is not described"
        template = min(found, key=lambda one: one.count("{"))
        operation: Json = self.document["paths"][template][method.lower()]
        return operation, f"{method} {template.partition('/_apis/wit/')[2]}"

    def _check_query(self, visit: str, operation: Json, query: str) -> None:
        known = {one.get("name") for one in operation["parameters"] if one.get("in") == "query"}
        for name, _ in parse_qsl(query):
            if visit == COMMENTS and name in PAGES_OF_COMMENTS:
                self.unchecked.add(f"{visit}, query parameter {name}")
            elif name not in known:
                self.wrong.append(f"{visit}: the query parameter {name} is not described")

    def _check_body(self, visit: str, operation: Json, body: Any) -> None:
        for one in operation["parameters"]:
            if one.get("in") == "body":
                self._validate(f"{visit}, body", one["schema"], json.loads(body))

    def _check_answer(self, visit: str, operation: Json, answer: requests.Response) -> None:
        schema = operation["responses"].get(str(answer.status_code), {}).get("schema")
        if schema is None:
            self.unchecked.add(f"{visit}, answer {answer.status_code}")
            return
        body = answer.json()
        # Azure DevOps wraps every list and describes it bare.
        bare = body["value"] if schema.get("type") == "array" else body
        self._validate(f"{visit}, answer", schema, bare)

    def _validate(self, where: str, schema: Json, value: Any) -> None:
        for error in OAS30Validator(absolute(schema), registry=self._registry).iter_errors(value):
            place = "/".join(str(step) for step in error.absolute_path)
            self.wrong.append(f"{where}: {place}: {error.message[:200]}")


@pytest.fixture
def official(box: Sandbox) -> Official:
    document = document_of("ado_workItemTracking_7.1_swagger2.json")
    return Official(document, urlsplit(box.ado.organization_url).path)


def plugin_of(box: Sandbox, official: Official, cache: Path) -> AdoPlugin:
    chosen = settings(
        box,
        area_path="Team A",
        back_link="https://example.com/{increment}",
        on_reopen={"iteration": "current", "parent": "reopen", "assignee": "me"},
        fields={"create": {"Microsoft.VSTS.Common.Priority": 1}},
    )
    transport = for_tests("ado", chosen.base_url, token=box.ado.token, cache=cache)
    return AdoPlugin(chosen, Listening(transport, official.check))


def furnish(box: Sandbox) -> tuple[int, int]:
    box.ado.add_area("widgets\\Team A")
    box.ado.add_iteration("widgets\\Old", "2020-01-01T00:00:00Z", "2020-01-14T00:00:00Z")
    box.ado.add_iteration("widgets\\Now", "2020-01-15T00:00:00Z", "2999-01-14T00:00:00Z")
    box.ado.deactivate("Ann Gone")
    parent = box.ado.add_work_item(type="Feature", title="Feature", state="Closed")
    child = box.ado.add_work_item(
        title="x",
        state="Closed",
        parent=parent,
        iteration="widgets\\Old",
        assigned_to="Ann Gone",
        tags=["completed"],
    )
    return parent, child


def test_every_request_and_answer_is_as_described(
    box: Sandbox,
    official: Official,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    parent, child = furnish(box)
    plugin, item = plugin_of(box, official, tmp_path), ref(box, child)
    since = datetime.now(UTC) - timedelta(days=1)
    plugin.read_many([item, ref(box, parent)])
    plugin.examine([item])
    plugin.approve(plugin.read(item, reopening()), reopening())
    assert len(write_change(plugin, item).notes) == 3
    assert plugin.find_comments(item, OP)
    write_change(plugin, item, Change(OTHER_OP, Goal.COMPLETED, comment=words("Done")))
    wished = draft(metadata={"parent": parent, "related": [child]})
    plugin.approve(None, creating(wished))
    made = plugin.create(creating(wished, "specs")).after
    assert plugin.find_created(OP, since) is not None
    write_change(plugin, made.ref, editing(draft("Other")))

    record_property("not-checked", "\n".join(sorted(official.unchecked)))
    assert official.wrong == []
    assert official.checked == {
        "GET classificationnodes/{structureGroup}/{path}",
        COMMENTS,
        "GET workitems/{id}",
        "GET workitemtypes",
        "GET workitemtypes/{type}",
        "PATCH workitems/{id}",
        "POST wiql",
        "POST workitems/${type}",
        "POST workitemsbatch",
    }
    assert {re.sub(r"/\w{8}-.*", "", visit) for visit in official.unchecked} == {
        "OPTIONS /_apis",
        "GET /_apis/ConnectionData",
        "GET /_apis/Permissions",
        f"{COMMENTS}, query parameter $top",
        f"{COMMENTS}, query parameter order",
    }
