"""Expressions that select increments."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from unlatch.errors import UsageError
from unlatch.increments.model.increment import Increment, Link, ReopenEntry
from unlatch.increments.model.matching import matching, read_condition
from unlatch.increments.model.status import Status

REOPEN = ReopenEntry("01", datetime(2026, 1, 1, tzinfo=UTC), "Gaps", Status.COMPLETED, "Dana")
DONE, ACTIVE = Status.COMPLETED, Status.ACTIVE
ONE = Increment("0001-search", Path("1"), "Smart search", DONE, type="Bug", reopens=(REOPEN,))
TWO = Increment("0002-list", Path("2"), "A list", ACTIVE, links=(Link("jira", "A-1"),))
OLD = Increment("0003-old", Path("3"), "Old search", DONE, archived=True)


@pytest.mark.parametrize(
    ("expressions", "expected"),
    [
        (["status=completed"], [ONE]),
        (["status!=closed"], [TWO]),
        (["status=active, done"], [ONE, TWO]),
        (["status!=active,completed"], []),
        (["tracker=jira,github"], [TWO]),
        (["reopened=yes"], [ONE]),
        (["reopened=no"], [TWO]),
        (["type=bug"], [ONE]),
        (["type=none"], [TWO]),
        (["title~SEARCH"], [ONE]),
        (["title~search", "archived=yes"], [OLD]),
        (["tracker=jira"], [TWO]),
        (["tracker!=jira"], [ONE]),
        (["id~000", "status=active"], [TWO]),
        ([" Id = 0001-search "], [ONE]),
    ],
)
def test_increments_are_selected(expressions: list[str], expected: list[Increment]) -> None:
    conditions = [read_condition(text) for text in expressions]
    assert expected == list(matching([ONE, TWO, OLD], conditions))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("id<13", "use FIELD=VALUE"),
        ("size=3", "use FIELD=VALUE"),
        ("status=", "use FIELD=VALUE"),
        ("status~act", "status allows only = and !="),
        ("status=shipped", "the status must be one of planning"),
        ("status=active,shipped", "the status must be one of planning"),
        ("status=,", "use FIELD=VALUE"),
        ("reopened=twice", "reopened must be yes or no"),
        ("archived=maybe", "archived must be yes or no"),
    ],
)
def test_a_wrong_expression_is_explained(text: str, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_condition(text)
    assert ("filter-invalid", True) == (caught.value.id, why in caught.value.message)
    assert f"invalid filter {text!r}" in caught.value.message
