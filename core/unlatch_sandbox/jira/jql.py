"""The part of JQL that finds the newest issues with a label."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from unlatch_sandbox.answers import NotKnownError
from unlatch_sandbox.clock import stored
from unlatch_sandbox.jira.workflows import EPIC_LINK

if TYPE_CHECKING:
    from unlatch_sandbox.jira.records import IssueRecord
    from unlatch_sandbox.jira.tracks import Tracks

Test = Callable[["IssueRecord"], bool]

_QUERY = re.compile(
    r"\s*(?P<where>.*?)\s*(?:ORDER\s+BY\s+(?P<order>\w+)(?:\s+(?P<direction>ASC|DESC))?)?\s*",
    re.IGNORECASE | re.DOTALL,
)
_CONDITION = re.compile(
    r"\s*(?P<field>\w+(?:\[\d+\])?)\s*(?P<operator>=|!=|>=)\s*"
    r"(?P<value>\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|[\w.:-]+)\s*(?:(?P<and>AND\s)|$)",
    re.IGNORECASE,
)
_OR = re.compile(r"\sOR\s", re.IGNORECASE)
_AGO = re.compile(r"-(\d+)([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def search(text: str, tracks: Tracks, now: datetime) -> list[IssueRecord]:
    match = _QUERY.fullmatch(text)
    if match is None:
        raise NotKnownError("query", text)
    either = [_tests(part, tracks, now) for part in _OR.split(match["where"])]
    issues = [
        issue
        for issue in tracks.issues.under()
        if any(all(test(issue) for test in tests) for tests in either)
    ]
    return _sorted(issues, match["order"], match["direction"])


def _tests(text: str, tracks: Tracks, now: datetime) -> list[Test]:
    tests = []
    while text:
        match = _CONDITION.match(text)
        if match is None:
            raise NotKnownError("query condition", text)
        test = _test(match["field"].casefold(), _value(match["value"]), tracks, now)
        tests.append(test(match["operator"]))
        text = text[match.end() :]
    return tests


def _value(literal: str) -> str:
    if literal[0] not in "\"'":
        return literal
    return re.sub(r"\\(.)", r"\1", literal[1:-1])


def _test(field: str, value: str, tracks: Tracks, now: datetime) -> Callable[[str], Test]:
    reads: dict[str, Callable[[IssueRecord], list[str]]] = {
        "project": lambda issue: [issue.project],
        "key": lambda issue: [issue.key],
        "issuekey": lambda issue: [issue.key],
        "parent": lambda issue: _parents(issue, tracks, epics=tracks.deployment == "Cloud"),
        f"cf[{EPIC_LINK.rpartition('_')[2]}]": lambda issue: _parents(issue, tracks, epics=True),
        "labels": lambda issue: issue.labels,
        "issuetype": lambda issue: [issue.type],
        "status": lambda issue: [issue.status],
        "statuscategory": lambda issue: [tracks.workflow(issue).status(issue.status).category.name],
    }
    times: dict[str, Callable[[IssueRecord], str]] = {
        "created": lambda issue: issue.created,
        "updated": lambda issue: issue.updated,
    }

    def test(operator: str) -> Test:
        if operator == ">=" and field in times:
            since = _since(value, now)
            return lambda issue: times[field](issue) >= since
        if operator == ">=" or field not in reads:
            raise NotKnownError("query condition", f"{field} {operator} {value}")
        wanted = value.casefold()
        return lambda issue: (
            (wanted in [entry.casefold() for entry in reads[field](issue)]) is (operator == "=")
        )

    return test


def _parents(issue: IssueRecord, tracks: Tracks, *, epics: bool) -> list[str]:
    """A Server's `parent` finds only subtasks."""
    parent = tracks.issue(issue.parent) if issue.parent else None
    return [parent.key] if parent and (epics or parent.type != "Epic") else []


def _since(value: str, now: datetime) -> str:
    if ago := _AGO.fullmatch(value):
        return stored(now - timedelta(**{_UNITS[ago[2]]: int(ago[1])}))
    try:
        return stored(datetime.fromisoformat(value).replace(tzinfo=UTC))
    except ValueError as error:
        raise NotKnownError("query time", value) from error


def _sorted(
    issues: list[IssueRecord], order: str | None, direction: str | None
) -> list[IssueRecord]:
    keys: dict[str, Callable[[IssueRecord], tuple[str, int]]] = {
        "created": lambda issue: (issue.created, int(issue.id)),
        "updated": lambda issue: (issue.updated, int(issue.id)),
        "key": lambda issue: (issue.project, int(issue.key.rpartition("-")[2])),
    }
    if order is not None and order.casefold() not in keys:
        raise NotKnownError("query order", order)
    key = keys[(order or "created").casefold()]
    return sorted(issues, key=key, reverse=(direction or "DESC").upper() == "DESC")
