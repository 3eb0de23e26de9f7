"""The status table that every kind of work has."""

from __future__ import annotations

import pytest

from unlatch.worklog.lifecycle import Lifecycle

TABLE = Lifecycle(
    moves={
        "open": frozenset({"done", "dropped"}),
        "done": frozenset({"open"}),
        "dropped": frozenset({"open"}),
    },
    closed=frozenset({"done", "dropped"}),
    reopened=frozenset({"done"}),
)


@pytest.mark.parametrize(
    ("current", "to", "allowed"),
    [
        ("open", "done", True),
        ("open", "open", False),
        ("dropped", "open", True),
        ("dropped", "done", False),
        ("done", "open", False),
    ],
)
def test_a_move_is_plain_where_the_table_has_it_and_no_reopen_is_needed(
    current: str, to: str, allowed: bool
) -> None:
    assert TABLE.can_move(current, to) == allowed
