"""The limits of a SpecWeave project, in our words."""

from __future__ import annotations

from typing import Any

import pytest

from unlatch.config.specweave import limits_of


def test_its_limits_are_read_by_our_names() -> None:
    theirs = {
        "maxActiveIncrements": 3,
        "hardCap": 5,
        "allowEmergencyInterrupt": True,
        "typeBehaviors": {"canInterrupt": ["hotfix"], "autoAbandonDays": {"experiment": 14}},
        "staleness": {"paused": 7, "active": 30},
    }

    assert limits_of({"limits": theirs}) == {
        "max_active": 3,
        "hard_cap": 5,
        "can_interrupt": ["hotfix"],
        "stale_after": {"active": 30, "paused": 7},
    }


def test_nothing_may_interrupt_where_that_is_switched_off() -> None:
    theirs = {"allowEmergencyInterrupt": False, "typeBehaviors": {"canInterrupt": ["hotfix"]}}

    assert limits_of({"limits": theirs}) == {"can_interrupt": []}


@pytest.mark.parametrize(
    "config",
    [
        None,
        [],
        {"limits": 3},
        {"limits": {"maxActiveIncrements": "3", "hardCap": True, "staleness": [7]}},
        {"limits": {"maxActiveIncrements": -1, "hardCap": 0, "staleness": {"active": None}}},
        {"limits": {"typeBehaviors": {"canInterrupt": "hotfix"}}},
    ],
)
def test_what_has_another_shape_is_passed_over(config: Any) -> None:
    assert limits_of(config) == {}
