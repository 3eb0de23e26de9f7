"""Counting work in progress, and stale increments."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlatch.increments.model.increment import BrokenIncrement, Increment
from unlatch.increments.model.limits import Limits, days_idle, is_stale, limit_violations, wip
from unlatch.increments.model.policies import Policy
from unlatch.increments.model.status import Status

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
FOLDER = Path("increments")


def increment(
    name: str = "0001-one",
    status: Status = Status.ACTIVE,
    kind: str | None = "feature",
    *,
    archived: bool = False,
    idle: timedelta | None = None,
) -> Increment:
    last = NOW - idle if idle is not None else None
    return Increment(
        name, FOLDER / name, "One", status, kind, last_activity=last, archived=archived
    )


@pytest.mark.parametrize(("status", "archived"), [*product(Status, [False, True])])
def test_what_is_active_and_not_archived_counts(status: Status, archived: bool) -> None:
    counted = wip([increment(status=status, archived=archived)], Limits()).total.active

    assert int(status is Status.ACTIVE and not archived) == counted


def test_what_cannot_be_read_does_not_count() -> None:
    broken = BrokenIncrement("0002-two", FOLDER, "metadata-invalid", "no JSON")

    assert 1 == wip([increment(), broken], Limits()).total.active


def test_types_are_counted_whatever_their_case() -> None:
    found = [increment("1", kind="Bug"), increment("2", kind="bug"), increment("3", kind=None)]

    types = wip(found, Limits(per_type={"BUG": 1, "docs": 2})).types

    assert {"bug": (2, 1), "docs": (0, 2), "none": (1, None)} == {
        kind: (use.active, use.most) for kind, use in types.items()
    }


def test_an_increment_never_counts_against_itself() -> None:
    one = increment()

    assert () == limit_violations(one, [one], Limits(max_active=1, policy=Policy.REFUSE))


KINDS = ["feature", "bug", "docs"]
COUNTS = st.none() | st.integers(1, 4)


LIMITS = st.builds(
    Limits,
    max_active=COUNTS,
    hard_cap=COUNTS,
    per_type=st.dictionaries(st.sampled_from(KINDS), st.integers(1, 4)),
    can_interrupt=st.frozensets(st.sampled_from(KINDS)),
    policy=st.sampled_from(Policy),
)


@given(st.lists(st.sampled_from(KINDS), max_size=6), st.sampled_from(KINDS), LIMITS)
def test_it_is_refused_or_warned_where_a_limit_would_be_exceeded(
    active: list[str], kind: str, limits: Limits
) -> None:
    found = [increment(f"{n:04d}-work", kind=one) for n, one in enumerate(active)]

    told = limit_violations(increment("0099-new", Status.PLANNING, kind), found, limits)

    if limits.hard_cap is not None and len(active) + 1 > limits.hard_cap:
        expected = [Policy.REFUSE]
    elif kind in limits.can_interrupt:
        expected = []
    else:
        over = [limits.max_active is not None and len(active) + 1 > limits.max_active]
        over.append(kind in limits.per_type and active.count(kind) + 1 > limits.per_type[kind])
        expected = [limits.policy] * sum(over)
    assert expected == [one.policy for one in told]
    assert {"wip-limit"} >= {one.error.id for one in told}


@pytest.mark.parametrize(
    ("status", "idle", "expected"),
    [
        (Status.ACTIVE, timedelta(days=30), True),
        (Status.ACTIVE, timedelta(days=29, hours=23), False),
        (Status.PAUSED, timedelta(days=7), True),
        (Status.COMPLETED, timedelta(days=900), False),
        (Status.PAUSED, timedelta(days=-3), False),
        (Status.PAUSED, None, False),
    ],
)
def test_stale_is_what_nobody_touched_for_too_long(
    status: Status, idle: timedelta | None, expected: bool
) -> None:
    limits = Limits(stale_after={Status.ACTIVE: 30, Status.PAUSED: 7})

    assert expected is is_stale(increment(status=status, idle=idle), limits, NOW)
    assert not is_stale(increment(status=status, idle=idle, archived=True), limits, NOW)


def test_no_days_mean_never() -> None:
    old = increment(idle=timedelta(days=9000))

    assert not is_stale(old, Limits(stale_after={Status.ACTIVE: 0}), NOW)
    assert days_idle(old, NOW) == 9000
