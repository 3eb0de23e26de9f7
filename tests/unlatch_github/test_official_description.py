"""The plugin's requests and answers against GitHub's description of its REST API.

The description is not part of the project: the test runs where UNLATCH_SPECS names its folder.
docs/github.md lists the uncovered requests; the test compares this list.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from jsonschema import FormatChecker
from openapi_schema_validator import OAS30Validator
from tests.openapi import absolute, path_pattern, registry_of, resolved
from tests.unlatch_github.making import (
    CLOSE,
    CREATE,
    OP,
    REOPEN,
    REPOSITORY,
    act,
    closed_issue,
    create,
    draft,
    ref,
    settings_for,
    update,
)

from unlatch.spi import Goal
from unlatch.spi.text import Check, Checks, Heading
from unlatch.transport import for_tests
from unlatch_github.plugin import GithubPlugin

if TYPE_CHECKING:
    from collections.abc import Iterator

    import requests

    from unlatch.transport import Explain, Transport
    from unlatch_sandbox import Sandbox

SPECS = os.environ.get("UNLATCH_SPECS")
pytestmark = pytest.mark.skipif(not SPECS, reason="UNLATCH_SPECS names no folder of descriptions")

FILE = "github_issues_slice_octokit_openapi_23.0.2.json"
GUIDE = Path(__file__).parents[2] / "docs/github.md"
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


class Listening:
    """A transport that records its requests and answers."""

    def __init__(self, transport: Transport) -> None:
        self._inner = transport
        self.heard: list[requests.Response] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def session(self, explain: Explain) -> requests.Session:
        session = self._inner.session(explain)
        session.hooks["response"].append(lambda answer, **_: self.heard.append(answer))
        return session


class Description:
    """The official description of requests and answers."""

    def __init__(self) -> None:
        document = json.loads((Path(SPECS or "") / FILE).read_text(encoding="utf-8"))
        _mend(document)
        self._document: dict[str, Any] = document
        self._registry = registry_of(document)

    def wrong(self, answer: requests.Response) -> Iterator[str]:
        """The differences from the description; `unknown: ...` where nothing is described."""
        request = answer.request
        parts = urlsplit(str(request.url))
        path = parts.path.removeprefix("/api/v3")
        name, operation = self._operation(str(request.method), path)
        if operation is None:
            yield f"unknown: {name}"
            return
        for query in set(parse_qs(parts.query)) - self._queries(operation):
            yield f"{name}: the query parameter {query}"
        if request.body:
            body = json.loads(request.body)
            yield from self._undescribed(name, _schema(operation.get("requestBody")), body)
            yield from self._errors(name, _schema(operation.get("requestBody")), body)
        response = resolved(self._document, operation["responses"].get(str(answer.status_code)))
        if response is None:
            yield f"unknown: {name} answered {answer.status_code}"
        elif answer.content:
            yield from self._errors(f"{name} answered", _schema(response), answer.json())

    def _operation(self, method: str, path: str) -> tuple[str, dict[str, Any] | None]:
        fitting = [one for one in self._document["paths"] if re.fullmatch(path_pattern(one), path)]
        for template in sorted(fitting, key=lambda one: str(one).count("{")):
            return f"{method} {template}", self._document["paths"][template].get(method.lower())
        return f"{method} {_general(path)}", None

    def _queries(self, operation: dict[str, Any]) -> set[str]:
        found = (resolved(self._document, one) for one in operation.get("parameters", ()))
        return {one["name"] for one in found if one and one["in"] == "query"}

    def _undescribed(self, name: str, schema: Any, body: Any) -> Iterator[str]:
        """GitHub's schemas allow fields that they do not name; a misspelt one would pass."""
        known = set(schema.get("properties", ())) if isinstance(schema, dict) else set()
        if known and isinstance(body, dict):
            yield from (f"{name}: the field {field}" for field in set(body) - known)

    def _errors(self, name: str, schema: Any, body: Any) -> Iterator[str]:
        if schema is None:
            yield f"unknown: {name}, its body"
            return
        checker = FormatChecker(("date-time",))
        validator = OAS30Validator(
            absolute(schema), registry=self._registry, format_checker=checker
        )
        for error in validator.iter_errors(body):
            yield f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message[:150]}"


def _mend(document: dict[str, Any]) -> None:
    """Two fields are nullable by their descriptions, but their enumerations lack null."""
    document["components"]["schemas"]["issue"]["properties"]["state_reason"]["enum"].append(None)
    patch = document["paths"]["/repos/{owner}/{repo}/issues/{issue_number}"]["patch"]
    fields = patch["requestBody"]["content"]["application/json"]["schema"]["properties"]
    fields["milestone"]["oneOf"].append({"enum": [None]})


def test_every_request_and_answer_is_as_described(box: Sandbox) -> None:
    raw = dict(settings_for(box))
    raw["on_reopen"] = {"milestone": "clear", "assignee": "me", "project": "report"}
    settings = type(settings_for(box)).model_validate(raw)
    transport = Listening(for_tests("github", settings.base_url, token=box.github.token))
    plugin = GithubPlugin(settings, cast("Transport", transport))

    _do_everything(box, plugin)

    description = Description()
    told = {line for answer in transport.heard for line in description.wrong(answer)}
    unknown = {line.removeprefix("unknown: ") for line in told if line.startswith("unknown: ")}
    assert {line for line in told if not line.startswith("unknown: ")} == set()
    assert unknown == _listed_in_the_guide()


def _do_everything(box: Sandbox, plugin: GithubPlugin) -> None:
    github = box.github
    github.add_repository(REPOSITORY, private=True)
    github.add_milestone("v1", state="closed")
    wished = replace(
        draft(body="Words"),
        body=(Heading("Tasks"), Checks((Check("T-001", done=True),))),
        metadata={"milestone": "v1", "assignees": ["ann"], "type": "Bug"},
    )
    made = create(plugin, wished, CREATE).after
    more = {"milestone": 1, "assignees": ["bob"], "type": "Task"}
    update(plugin, made.ref, replace(wished, title="New", metadata=more), CREATE)
    act(plugin, made.ref, CLOSE)
    act(plugin, made.ref, REOPEN)
    act(plugin, made.ref, replace(CLOSE, goal=Goal.NOT_PLANNED, op=f"{OP[:-1]}9"))
    number = closed_issue(box)
    github.edit(REPOSITORY, number, milestone=1, assignees=[])
    act(plugin, ref(box, number), REOPEN)
    for _ in range(2):
        plugin.read(ref(box, number))
    plugin.read_many([made.ref, ref(box, number)])
    (comment,) = plugin.find_comments(ref(box, number), OP)
    plugin.retract_comment(ref(box, number), comment)
    assert plugin.find_created(OP, LONG_AGO) is not None
    plugin.examine([made.ref])


def _listed_in_the_guide() -> set[str]:
    section = GUIDE.read_text(encoding="utf-8").split("## Not checked")[1]
    return set(re.findall(r"^- `([^`]+)`", section.split("\n## ")[0], flags=re.MULTILINE))


def _schema(part: Any) -> Any:
    content = (part or {}).get("content", {})
    return content.get("application/json", {}).get("schema")


def _general(path: str) -> str:
    return re.sub(r"^/repos/[^/]+/[^/]+", "/repos/{owner}/{repo}", unquote(path))
