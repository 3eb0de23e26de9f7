from __future__ import annotations

from itertools import product

import pytest

from unlatch.worklog.lifecycle import Lifecycle

MOVES = {"open": {"held", "done"}, "held": {"open"}, "done": {"open"}, "dropped": {"open"}}
LIFECYCLE = Lifecycle(
    {status: frozenset(moves) for status, moves in MOVES.items()},
    closed=frozenset({"done", "dropped"}),
    reopened=frozenset({"done"}),
)


@pytest.mark.parametrize(("current", "to"), list(product(MOVES, MOVES)))
def test_a_plain_move_is_in_the_table_and_leaves_nothing_that_is_only_reopened(
    current: str, to: str
) -> None:
    assert LIFECYCLE.can_move(current, to) == (to in MOVES[current] and current != "done")


@pytest.mark.parametrize("status", MOVES)
def test_leaving_a_closed_status_needs_a_reason(status: str) -> None:
    assert LIFECYCLE.needs_reason(status) == (status in {"done", "dropped"})
