"""The part of the query language that finds the newest work items with a tag."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, request

from unlatch_sandbox.ado import guards
from unlatch_sandbox.ado.boards import TAGS, split_tags
from unlatch_sandbox.answers import NotKnownError, check_keys, check_query, reply

if TYPE_CHECKING:
    from unlatch_sandbox.ado.records import ProjectRecord, WorkItemRecord

routes = Blueprint("wiql", __name__)

_QUERY = re.compile(
    r"\s*SELECT\s+(?P<columns>\[[^\]]+\](?:\s*,\s*\[[^\]]+\])*)\s+FROM\s+WorkItems"
    r"(?:\s+WHERE\s+(?P<where>.+?))?"
    r"(?:\s+ORDER\s+BY\s+\[(?P<order>[^\]]+)\](?:\s+(?P<direction>ASC|DESC))?)?\s*",
    re.IGNORECASE | re.DOTALL,
)
_CONDITION = re.compile(
    r"\s*\[(?P<field>[^\]]+)\]\s*(?P<operator>=|<>|<|>=|CONTAINS)\s*"
    r"(?P<value>@project|\d+|'(?:[^']|'')*')\s*(?:(?P<and>AND\s)|$)",
    re.IGNORECASE,
)
_ORDERS = ("System.Id", "System.CreatedDate", "System.ChangedDate")
_FIELDS = (
    *_ORDERS,
    TAGS,
    "System.TeamProject",
    "System.WorkItemType",
    "System.State",
    "System.Title",
)
Test = Callable[["WorkItemRecord"], bool]


@routes.post("/_apis/wit/wiql")
@routes.post("/<project>/_apis/wit/wiql")
@routes.post("/<project>/<team>/_apis/wit/wiql")
def query(project: str | None = None, **_: str) -> Response:
    check_query(*guards.ANY_QUERY, "$top", "timePrecision")
    asked = request.get_json()
    check_keys("body field", asked, ("query",))
    text = asked["query"]
    match = _QUERY.fullmatch(text)
    if match is None:
        raise NotKnownError("query", text)
    home = guards.project(project) if project else None
    tests = _tests(match["where"] or "", home)
    records = [i for i in guards.boards().items.under() if all(test(i) for test in tests)]
    _sort(records, match["order"], match["direction"])
    page = records[: int(request.args.get("$top", "20000"))]
    return reply(_result(page, match["columns"]))


def _tests(text: str, home: ProjectRecord | None) -> list[Test]:
    tests: list[Test] = [lambda item: not item.deleted]
    while text:
        match = _CONDITION.match(text)
        if match is None:
            raise NotKnownError("query condition", text)
        tests.append(_test(match["field"], match["operator"].upper(), match["value"], home))
        text = text[match.end() :]
    return tests


def _test(field: str, operator: str, literal: str, home: ProjectRecord | None) -> Test:
    if field not in _FIELDS:
        raise NotKnownError("query field", field)
    value = _value(literal, home)
    if operator == "<":
        if field != "System.Id":
            raise NotKnownError("query condition", f"{field} <")
        return lambda item: item.id < int(value)
    if field == TAGS and operator == "CONTAINS":
        return lambda item: value.casefold() in _tags(item)
    tests: dict[str, Test] = {
        "=": lambda item: _read(item, field).casefold() == value.casefold(),
        "<>": lambda item: _read(item, field).casefold() != value.casefold(),
        ">=": lambda item: _read(item, field) >= value,
        "CONTAINS": lambda item: value.casefold() in _read(item, field).casefold(),
    }
    return tests[operator]


def _value(literal: str, home: ProjectRecord | None) -> str:
    if literal.casefold() != "@project":
        return literal.strip("'").replace("''", "'") if literal.startswith("'") else literal
    if home is None:
        raise NotKnownError("query value without a project", literal)
    return home.name


def _tags(item: WorkItemRecord) -> list[str]:
    return [tag.casefold() for tag in split_tags(item.fields.get(TAGS, ""))]


def _read(item: WorkItemRecord, field: str) -> str:
    return str(item.id if field == "System.Id" else item.fields.get(field, ""))


def _sort(records: list[WorkItemRecord], order: str | None, direction: str | None) -> None:
    if order is None:
        return
    if order not in _ORDERS:
        raise NotKnownError("query order", order)
    keys: dict[str, Callable[[WorkItemRecord], Any]] = {"System.Id": lambda item: item.id}
    key = keys.get(order, lambda item: (item.fields[order], item.id))
    records.sort(key=key, reverse=(direction or "ASC").upper() == "DESC")


def _result(records: list[WorkItemRecord], columns: str) -> dict[str, Any]:
    url = guards.organization_url()
    names = [name.strip().strip("[]") for name in columns.split(",")]
    return {
        "queryType": "flat",
        "queryResultType": "workItem",
        "asOf": guards.boards().now(),
        "columns": [
            {"referenceName": n, "name": n, "url": f"{url}/_apis/wit/fields/{n}"} for n in names
        ],
        "workItems": [
            {"id": item.id, "url": f"{url}/_apis/wit/workItems/{item.id}"} for item in records
        ],
    }
