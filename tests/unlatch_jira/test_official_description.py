"""The plugin's requests and answers against Atlassian's description of version 3.

The description is not part of the project: the test runs where UNLATCH_SPECS names its folder.
docs/jira.md lists the uncovered requests; the test compares this list.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest
from openapi_schema_validator import OAS30Validator
from tests.openapi import absolute, path_pattern, registry_of
from tests.unlatch_jira.making import (
    CLOSE,
    CREATE,
    LONG_AGO,
    OP,
    REOPEN,
    UPDATE,
    WITH_CHILDREN,
    deliver,
    draft,
    ref,
    settings_for,
    transport_for,
)

from unlatch.errors import NotFound, Rejected
from unlatch.spi import visible
from unlatch.transport import Transport
from unlatch_jira.plugin import JiraPlugin
from unlatch_sandbox import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    import requests

    from unlatch.transport import Explain
    from unlatch_sandbox import Sandbox

SPECS = os.environ.get("UNLATCH_SPECS")
pytestmark = pytest.mark.skipif(not SPECS, reason="UNLATCH_SPECS names no folder of descriptions")

FILE = "jira_cloud_swagger-v3_2025-12-25.json"
GUIDE = Path(__file__).parents[2] / "docs/jira.md"
_UNDESCRIBED = "Not checked"


class Listening(Transport):
    """A transport that records its requests and answers."""

    def __init__(self, transport: Transport) -> None:
        self._inner = transport
        self.cache = transport.cache
        self.heard: list[requests.Response] = []

    def mount(self, session: requests.Session, explain: Explain) -> None:
        self._inner.mount(session, explain)
        session.hooks["response"].append(lambda answer, **_: self.heard.append(answer))


class Description:
    """The official description of requests and answers."""

    def __init__(self) -> None:
        document = json.loads((Path(SPECS or "") / FILE).read_text(encoding="utf-8"))
        self.document: dict[str, Any] = document
        self._registry = registry_of(document)

    def wrong(self, answer: requests.Response) -> Iterator[str]:
        """The differences from the description; `unknown: ...` where nothing is described."""
        request = answer.request
        parts = urlsplit(str(request.url))
        name = f"{request.method} {_general(parts.path)}"
        operation = self._operation(str(request.method), parts.path)
        if operation is None:
            yield f"unknown: {name}"
            return
        known = {one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"}
        for query in set(parse_qs(parts.query)) - known:
            yield f"{name}: the query parameter {query}"
        schema = _schema(operation.get("requestBody", {}))
        if request.body:
            yield from self._errors(name, schema, json.loads(request.body))
        response = operation["responses"].get(str(answer.status_code))
        if response is None:
            yield f"unknown: {name} answered {answer.status_code}"
        elif answer.content and _schema(response) is None:
            yield f"unknown: {name} answered {answer.status_code}, its body"
        elif answer.content:
            yield from self._errors(f"{name} answered", _schema(response), answer.json())

    def _operation(self, method: str, path: str) -> dict[str, Any] | None:
        fitting = [one for one in self.document["paths"] if re.fullmatch(path_pattern(one), path)]
        for template in sorted(fitting, key=lambda one: str(one).count("{")):
            found: dict[str, Any] | None = self.document["paths"][template].get(method.lower())
            return found
        return None

    def _errors(self, name: str, schema: Any, body: Any) -> Iterator[str]:
        if schema is None:
            yield f"unknown: {name}, its body"
            return
        validator = OAS30Validator(absolute(schema), registry=self._registry)
        for error in validator.iter_errors(body):
            yield f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message[:150]}"


def test_every_request_and_answer_is_as_described(box: Sandbox) -> None:
    transport = Listening(transport_for(box))
    settings = settings_for(
        box,
        projects=["OPS", "FAR"],
        on_reopen={"sprint": "active", "parent": "reopen", "assignee": "me"},
        fields={"Root cause": "Bug"},
    )
    _live(box, JiraPlugin(settings, transport))

    description = Description()
    found = [line for answer in transport.heard for line in description.wrong(answer)]

    assert [line for line in found if not line.startswith("unknown: ")] == []
    assert {_general(line) for line in found} == set(_listed())
    assert len(transport.heard) > 40


def _live(box: Sandbox, plugin: JiraPlugin) -> None:
    """Everything that a plugin is asked to do, and some of it in vain."""
    jira = box.jira
    jira.add_project("OPS", "required-fields")
    epic = jira.add_issue(summary="Epic", type="Epic", status="Done")
    sprint = jira.add_sprint("Sprint 4", "closed")
    jira.add_sprint("Sprint 5")
    key = jira.add_issue(
        summary="Smart", status="Done", labels=["completed"], parent=epic, sprints=[sprint]
    )
    jira.add_issue("OPS-1", summary="Part", status="Done", parent=epic)
    item = ref(box, key)
    plugin.read(item)
    plugin.read_many([item, ref(box, "SCRUM-999")], REOPEN)
    plugin.examine([item])
    deliver(plugin, item, REOPEN)
    deliver(plugin, ref(box, epic), replace(REOPEN, options=WITH_CHILDREN))
    deliver(plugin, item, CLOSE)
    wished = replace(draft(), metadata={"parent": epic})
    made = plugin.create(replace(CREATE, draft=wished)).after
    deliver(plugin, made.ref, replace(UPDATE, draft=draft(title="New", body="New")))
    box.jira.add_comment(key, visible(OP))
    assert plugin.find_created(OP, LONG_AGO) is not None
    for comment in plugin.find_comments(item, OP):
        plugin.retract_comment(item, comment)
    with pytest.raises(NotFound):
        plugin.read(ref(box, "SCRUM-999"))
    jira.add_project("FAR", "two-hops")
    jira.add_issue("FAR-1", summary="Far", status="Erledigt")
    with pytest.raises(Rejected):
        deliver(plugin, ref(box, "FAR-1"), REOPEN)
    box.faults.add(Fault("jira", "status", method="PUT", code=413, body={}))
    with pytest.raises(Rejected):
        deliver(plugin, made.ref, replace(UPDATE, draft=draft(title="Newer")))


def _listed() -> list[str]:
    """The unchecked requests by the guide."""
    section = GUIDE.read_text(encoding="utf-8").split(f"## {_UNDESCRIBED}")[1].split("\n## ")[0]
    return [f"unknown: {line}" for line in re.findall(r"^- `([^`]+)`$", section, re.MULTILINE)]


def _general(text: str) -> str:
    text = re.sub(r"(?<=/)[A-Z]+-\d+", "KEY", text)
    return re.sub(r"(?<=/)\d+(?=/|$|\s)(?<!api/3)", "ID", text)


def _schema(described: dict[str, Any]) -> Any:
    return described.get("content", {}).get("application/json", {}).get("schema")
