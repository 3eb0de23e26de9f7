"""A transport that records what passes it, and a vendor's description to hold it against."""

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from jsonschema import FormatChecker
from openapi_schema_validator import OAS30Validator
from tests.openapi import absolute, path_pattern, registry_of, resolved

from unlatch.transport import Explain, Transport

SPECS = os.environ.get("UNLATCH_SPECS")
needs_specs = pytest.mark.skipif(not SPECS, reason="UNLATCH_SPECS names no folder of descriptions")
UNKNOWN = "unknown: "


class Listening(Transport):
    """Tells of every answer; `heard` has all of them."""

    def __init__(
        self, transport: Transport, tell: Callable[[requests.Response], object] | None = None
    ) -> None:
        self._inner = transport
        self.cache = transport.cache
        self.heard: list[requests.Response] = []
        self._tell = tell or self.heard.append

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def mount(self, session: requests.Session, explain: Explain) -> None:
        self._inner.mount(session, explain)
        session.hooks["response"].append(lambda answer, **_: self._tell(answer))


def document_of(file: str) -> dict[str, Any]:
    """A description, without the byte order mark that some begin with."""
    document: dict[str, Any] = json.loads((Path(SPECS or "") / file).read_text("utf-8-sig"))
    return document


class Description:
    """An official description (OpenAPI 3) of requests and answers.

    Args:
        document: the description.
        general: the name of a path, without the numbers of items.
        prefix: what precedes its paths in the requests.
        formats: those of its formats that the answers have to keep.
    """

    def __init__(
        self,
        document: dict[str, Any],
        general: Callable[[str], str],
        *,
        prefix: str = "",
        formats: Sequence[str] = (),
    ) -> None:
        self._document = document
        self._prefix = prefix
        self._general = general
        self._formats = FormatChecker(formats)
        self._registry = registry_of(document)

    def wrong(self, answer: requests.Response) -> Iterator[str]:
        """The differences from the description; `unknown: ...` where nothing is described."""
        request = answer.request
        parts = urlsplit(str(request.url))
        path = parts.path.removeprefix(self._prefix)
        name = f"{request.method} {self._general(path)}"
        operation = self._operation(str(request.method), path)
        if operation is None:
            yield f"{UNKNOWN}{name}"
            return
        for query in set(parse_qs(parts.query)) - self._queries(operation):
            yield f"{name}: the query parameter {query}"
        if request.body:
            schema, body = _schema(operation.get("requestBody")), json.loads(request.body)
            yield from _undescribed(name, schema, body)
            yield from self._errors(name, schema, body)
        response = resolved(self._document, operation["responses"].get(str(answer.status_code)))
        said = f"{name} answered"
        if response is None:
            yield f"{UNKNOWN}{said} {answer.status_code}"
        elif answer.content and _schema(response) is None:
            yield f"{UNKNOWN}{said} {answer.status_code}, its body"
        elif answer.content:
            yield from self._errors(said, _schema(response), answer.json())

    def _operation(self, method: str, path: str) -> dict[str, Any] | None:
        fitting = [one for one in self._document["paths"] if re.fullmatch(path_pattern(one), path)]
        if not fitting:
            return None
        template = min(fitting, key=lambda one: str(one).count("{"))
        operation: dict[str, Any] | None = self._document["paths"][template].get(method.lower())
        return operation

    def _queries(self, operation: dict[str, Any]) -> set[str]:
        parameters = (resolved(self._document, one) for one in operation.get("parameters", ()))
        return {one["name"] for one in parameters if one and one["in"] == "query"}

    def _errors(self, name: str, schema: Any, body: Any) -> Iterator[str]:
        if schema is None:
            yield f"{UNKNOWN}{name}, its body"
            return
        validator = OAS30Validator(
            absolute(schema), registry=self._registry, format_checker=self._formats
        )
        for error in validator.iter_errors(body):
            yield f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message[:150]}"


def _undescribed(name: str, schema: Any, body: Any) -> Iterator[str]:
    """Schemas allow fields that they do not name; a misspelt one would pass."""
    known = set(schema.get("properties", ())) if isinstance(schema, dict) else set()
    if known and isinstance(body, dict):
        yield from (f"{name}: the field {field}" for field in set(body) - known)


def _schema(part: Any) -> Any:
    return (part or {}).get("content", {}).get("application/json", {}).get("schema")


def listed_in(guide: str) -> set[str]:
    """The requests that a guide lists as not checked."""
    text = (Path(__file__).parents[2] / "docs" / guide).read_text(encoding="utf-8")
    section = text.split("## Not checked")[1].split("\n## ")[0]
    return set(re.findall(r"^- `([^`]+)`", section, flags=re.MULTILINE))
