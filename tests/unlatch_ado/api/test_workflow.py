from __future__ import annotations

import pytest

from unlatch.errors import Rejected
from unlatch.spi import Category, Goal
from unlatch_ado.api.workflow import Workflow, as_json, from_json

STATES = {
    "New": "Proposed",
    "Approved": "Proposed",
    "Committed": "InProgress",
    "Testing": "Resolved",
    "Done": "Completed",
    "Removed": "Removed",
}
EVERY = Workflow("Item", STATES, {s: tuple(t for t in STATES if t != s) for s in STATES})


def leading(current: str, *to: str) -> Workflow:
    return Workflow("Item", STATES, {current: to})


@pytest.mark.parametrize(
    ("state", "category"),
    [
        ("New", Category.TODO),
        ("Committed", Category.DOING),
        ("Testing", Category.DOING),
        ("Done", Category.DONE),
        ("Removed", Category.DROPPED),
        ("Gone", None),
    ],
)
def test_states_mean_what_their_category_says(state: str, category: Category | None) -> None:
    assert EVERY.category(state) == category


@pytest.mark.parametrize(
    ("current", "goal", "target"),
    [
        ("Done", Goal.OPEN, "Committed"),
        ("Removed", Goal.OPEN, "Committed"),
        ("New", Goal.COMPLETED, "Done"),
        ("New", Goal.NOT_PLANNED, "Removed"),
    ],
)
def test_prefers_the_state_that_the_goal_means(current: str, goal: Goal, target: str) -> None:
    assert EVERY.target(current, goal, configured=None) == target


@pytest.mark.parametrize(
    ("reachable", "goal", "target"),
    [
        (("Removed", "Approved", "New"), Goal.OPEN, "New"),
        (("Done", "New"), Goal.NOT_PLANNED, "Done"),
    ],
)
def test_takes_the_next_best_state_that_can_be_reached(
    reachable: tuple[str, ...], goal: Goal, target: str
) -> None:
    assert leading("Testing", *reachable).target("Testing", goal, configured=None) == target


def test_never_reopens_into_a_resolved_state() -> None:
    with pytest.raises(Rejected, match=r"Testing \(Resolved\)") as caught:
        leading("Done", "Testing", "Removed").target("Done", Goal.OPEN, configured=None)
    assert caught.value.id == "no-legal-state"


def test_a_configured_state_wins_whatever_its_case() -> None:
    assert EVERY.target("Done", Goal.OPEN, configured="testing") == "Testing"


@pytest.mark.parametrize("configured", ["Nowhere", "Removed", "Done"])
def test_a_configured_state_must_be_reachable_and_fit_the_goal(configured: str) -> None:
    with pytest.raises(Rejected, match=configured):
        EVERY.target("Done", Goal.OPEN, configured=configured)


def test_a_state_that_leads_nowhere_is_said_to() -> None:
    with pytest.raises(Rejected, match="it can go to: none"):
        leading("Done").target("Done", Goal.OPEN, configured=None)


def test_survives_being_cached() -> None:
    assert from_json(as_json(EVERY)) == EVERY


@pytest.mark.parametrize("data", [None, [], {}, {"type": "x", "states": [], "moves": {}}])
def test_anything_else_in_the_cache_is_no_workflow(data: object) -> None:
    assert from_json(data) is None
