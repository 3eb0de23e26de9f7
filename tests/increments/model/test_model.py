"""Limits, statuses, units of other tools, and expressions that select increments."""

from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlatch.errors import UsageError
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.limits import Limits, is_stale, limit_violations, wip
from unlatch.increments.model.link import Link
from unlatch.increments.model.matching import matching, read_condition
from unlatch.increments.model.policies import Policy
from unlatch.increments.model.reopens import ReopenEntry
from unlatch.increments.model.status import LIFECYCLE, Status, read_status
from unlatch.increments.model.unit import Evidence, overrides

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


# The table of the guide, written out once more by hand.
LEGAL = {
    "planning": {"active", "backlog", "abandoned"},
    "backlog": {"planning", "active", "abandoned"},
    "active": {"paused", "backlog", "ready_for_review", "completed", "abandoned"},
    "paused": {"active", "abandoned"},
    "ready_for_review": {"active", "completed", "abandoned"},
    "completed": {"active"},
    "abandoned": {"active"},
}


@pytest.mark.parametrize("before", Status)
def test_every_move_is_in_the_table_or_it_is_not(before: Status) -> None:
    moves = {after.value for after in Status if before.can_become(after)}
    assert set(LEGAL[before.value]) == {after.value for after in LIFECYCLE.moves[before]}
    # What is completed is reopened, and never just moved.
    assert moves == (set() if before is Status.COMPLETED else set(LEGAL[before.value]))
    assert before.is_finished == (before.value in {"completed", "abandoned"})


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        *[(status.value, status) for status in Status],
        *[(status.value.upper(), status) for status in Status],
        ("in-progress", Status.ACTIVE),
        ("in_progress", Status.ACTIVE),
        ("In Progress", Status.ACTIVE),
        ("planned", Status.PLANNING),
        ("Planned", Status.PLANNING),
        (" completed\n", Status.COMPLETED),
        ("closed", Status.COMPLETED),
        ("done", Status.COMPLETED),
        ("Complete", Status.COMPLETED),
        ("imported", Status.BACKLOG),
        ("open", Status.PLANNING),
        ("superseded", Status.ABANDONED),
        ("ready-for-review", Status.READY_FOR_REVIEW),
        ("Ready for Review", Status.READY_FOR_REVIEW),
        ("", None),
        ("-", None),
        ("done?", None),
        ("completed but not really", None),
    ],
)
def test_reads_the_spellings_of_real_files(raw: str, status: Status | None) -> None:
    assert read_status(raw) is status


P, B, A, H, R, C, X = (
    Status.PLANNING,
    Status.BACKLOG,
    Status.ACTIVE,
    Status.PAUSED,
    Status.READY_FOR_REVIEW,
    Status.COMPLETED,
    Status.ABANDONED,
)
SHOWN = st.builds(Evidence, st.sampled_from([P, A, C]), st.sampled_from(["1/2", "2/2", "3/3"]))


@pytest.mark.parametrize(
    ("recorded", "before", "now", "expected"),
    [
        # All tasks were done when it was reopened: that is known.
        (A, (C, "5/5"), (C, "5/5"), False),
        # More was done since.
        (A, (C, "5/5"), (C, "6/6"), True),
        # It was completed with open tasks; another one is done, and some are open still.
        (C, (A, "3/5"), (A, "4/5"), False),
        (C, (A, "3/5"), (C, "5/5"), False),
        # Work was added to completed work, or it left the archive.
        (C, (C, "5/5"), (A, "5/6"), True),
        (C, (C, "archive"), (A, "4/5"), True),
        (P, (P, "0/5"), (A, "1/5"), True),
        (B, (P, "0/5"), (A, "1/5"), True),
        # The files say nothing of a pause or a review.
        (H, (P, "0/5"), (A, "1/5"), False),
        (R, (A, "4/5"), (A, "4/5"), False),
        (R, (A, "4/5"), (C, "5/5"), True),
        (A, (A, "1/5"), (P, "0/5"), False),
        # A person gave it up.
        (X, (A, "3/5"), (C, "5/5"), False),
        # Files without a base are news.
        (A, None, (C, "5/5"), True),
    ],
)
def test_news_of_the_files_decide_about_begun_and_finished(
    recorded: Status, before: tuple[Status, str] | None, now: tuple[Status, str], expected: bool
) -> None:
    seen = Evidence(*before) if before else None

    assert overrides(recorded, seen, Evidence(*now)) is expected


@given(st.sampled_from(Status), SHOWN, SHOWN)
def test_what_replaces_differs(recorded: Status, before: Evidence, now: Evidence) -> None:
    if overrides(recorded, before, now):
        assert now.status.is_finished is not recorded.is_finished or now.status is A
        assert now.status is not recorded
