"""The links of one increment get decisions that go together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from unlatch.increments.model.increment import Increment, Link
from unlatch.increments.model.policies import Direction, OnConflict, SyncPolicy
from unlatch.increments.model.status import Status
from unlatch.lifecycle.fetch_items import ItemSnapshot
from unlatch.spi.category import Category
from unlatch.spi.item import ItemRef, RemoteItem
from unlatch.sync.compare import Compared, Decision, ReconcileContext, Verdict
from unlatch.sync.plan import make_plan

if TYPE_CHECKING:
    from collections.abc import Sequence

ACTIVE, COMPLETED = (
    Increment("0007-one", Path("0007-one"), "One", status, status.value)
    for status in (Status.ACTIVE, Status.COMPLETED)
)
PUSH, PULL, EXPECTED = Verdict.PUSH, Verdict.PULL, Verdict.EXPECTED
LOCAL, REMOTE = SyncPolicy(conflict=OnConflict.LOCAL), SyncPolicy(conflict=OnConflict.REMOTE)


def compared(
    number: int,
    verdict: Verdict,
    category: Category = Category.TODO,
    *,
    increment: Increment = COMPLETED,
    policy: SyncPolicy = LOCAL,
    context: ReconcileContext | None = None,
    by: str | None = None,
) -> Compared:
    url = f"https://github.com/octo/widgets/issues/{number}"
    link = Link("github", str(number), url)
    ref = ItemRef("github", "octo/widgets", str(number), url)
    item = RemoteItem(ref, "x", category.value, category, changed_by=by)
    seen = ItemSnapshot(link, f"octo/widgets#{number}", item)
    return Compared(
        increment, link, seen, Decision(verdict), (), policy, context or ReconcileContext()
    )


def verdicts(group: Sequence[Compared]) -> list[Verdict | None]:
    return [one.verdict for one in make_plan(group).links]


def test_items_that_changed_alike_are_followed() -> None:
    assert [PULL, PULL] == verdicts([compared(1, PULL), compared(2, PULL)])


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (LOCAL, [PUSH, PUSH]),
        (REMOTE, [PULL, Verdict.NOTHING]),
        (SyncPolicy(conflict=OnConflict.ASK), [Verdict.CONFLICT, PUSH]),
        (SyncPolicy(conflict=OnConflict.FAIL), [Verdict.CONFLICT, PUSH]),
    ],
)
def test_an_increment_follows_no_item_while_another_follows_it(
    policy: SyncPolicy, expected: list[Verdict]
) -> None:
    group = [
        compared(1, PULL, policy=policy),
        compared(2, PUSH, Category.DONE, policy=policy),
    ]

    assert expected == verdicts(group)


def test_trackers_whose_policies_differ_have_no_winner() -> None:
    group = [compared(1, PULL, policy=LOCAL), compared(2, PUSH, Category.DONE, policy=REMOTE)]

    assert [Verdict.CONFLICT, PUSH] == verdicts(group)


def test_items_that_changed_differently_are_a_conflict_for_a_policy_that_fails() -> None:
    fail = SyncPolicy(conflict=OnConflict.FAIL)
    group = [
        compared(1, PULL, Category.DONE, increment=ACTIVE, policy=fail),
        compared(2, PULL, Category.DROPPED, increment=ACTIVE, policy=fail),
    ]

    assert [Verdict.CONFLICT] * 2 == verdicts(group)


def test_a_reopen_on_another_branch_explains_the_other_items_too() -> None:
    elsewhere = ReconcileContext(reopened_elsewhere="01JB0000000000000000000001")
    group = [compared(1, EXPECTED, context=elsewhere), compared(2, PULL)]

    plan = make_plan(group)

    assert [EXPECTED, EXPECTED] == [one.verdict for one in plan.links]
    assert plan.links[1].decision is not None
    assert "01JB0000000000000000000001" in plan.links[1].decision.why
    assert () == plan.moves


@pytest.mark.parametrize(
    ("categories", "to"),
    [
        ((Category.DONE, Category.DROPPED), Status.COMPLETED),
        ((Category.DROPPED, Category.DROPPED), Status.ABANDONED),
    ],
)
def test_items_closed_in_different_ways_complete_the_increment(
    categories: tuple[Category, ...], to: Status
) -> None:
    remote = SyncPolicy(conflict=OnConflict.REMOTE)
    (move,) = make_plan(
        compared(number, PULL, category, increment=ACTIVE, policy=remote)
        for number, category in enumerate(categories)
    ).moves

    assert to is move.to


def test_a_move_names_the_items_the_person_and_the_items_that_follow() -> None:
    needed = ReconcileContext(needed=True)
    push_only_elsewhere = SyncPolicy(direction=Direction.PULL)
    plan = make_plan(
        [
            compared(1, PULL, Category.DONE, increment=ACTIVE, by="Dana"),
            compared(2, Verdict.NOTHING, increment=ACTIVE),
            compared(3, Verdict.NOTHING, increment=ACTIVE, context=needed),
            compared(4, Verdict.NOTHING, increment=ACTIVE, policy=push_only_elsewhere),
            compared(5, Verdict.NOTHING, Category.DONE, increment=ACTIVE),
        ]
    )

    (move,) = plan.moves
    assert ("Dana", "octo/widgets#1 was closed by Dana") == (move.by, move.reason)
    assert ["2"] == [link.item for link in move.others]
    assert 1 == plan.items


def test_an_unknown_person_is_named_so() -> None:
    (move,) = make_plan([compared(1, PULL)]).moves

    assert ("unknown user", "octo/widgets#1 was reopened") == (move.by, move.reason)
