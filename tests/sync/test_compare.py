"""The three-way decision, for one link and for those of one increment."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product
from pathlib import Path

import pytest

from unlatch.increments.model.increment import Increment
from unlatch.increments.model.link import Base, Link
from unlatch.increments.model.policies import Direction, OnClose, OnConflict, SyncPolicy
from unlatch.increments.model.status import Status
from unlatch.lifecycle.fetch_items import ItemSnapshot
from unlatch.spi.item import ItemRef, RemoteItem
from unlatch.spi.operation import Category
from unlatch.sync.compare import Compared, Decision, ReconcileContext, Verdict, decide
from unlatch.sync.plan import make_plan

OPEN, DONE, DROPPED = "open", "done", "dropped"
LOCAL = {Status.COMPLETED: DONE, Status.ABANDONED: DROPPED}
REMOTE = {Category.DONE: DONE, Category.DROPPED: DROPPED}
POLICIES = [SyncPolicy(*one) for one in product(Direction, OnConflict, OnClose)]
GIVEN = [
    ReconcileContext(shared=shared, needed=needed, reopened_elsewhere=op, closed_by=by)
    for shared, needed, op, by in product(
        (False, True), (False, True), (None, "01J0"), (None, "pull request octo/widgets#12")
    )
    if shared or not needed  # who needs an item links to it
]
# Statuses with one meaning are distinguished on the present side only.
BEFORE = (Status.PLANNING, Status.ACTIVE, Status.COMPLETED, Status.ABANDONED)
BASES = [
    None,
    *(Base(one.value, two.value, "word") for one, two in product(BEFORE, Category)),
]


@dataclass
class Case:
    local: Status
    base: Base | None
    remote: Category
    policy: SyncPolicy
    given: ReconcileContext

    @property
    def here(self) -> str:
        return LOCAL.get(self.local, OPEN)

    @property
    def there(self) -> str:
        return REMOTE.get(self.remote, OPEN)

    @property
    def moved(self) -> tuple[bool, bool]:
        assert self.base is not None
        was_here = LOCAL.get(Status(self.base.local), OPEN)
        was_there = REMOTE.get(Category(self.base.remote), OPEN)
        return self.here != was_here, self.there != was_there

    @cached_property
    def verdict(self) -> Verdict:
        found = decide(self.local, self.base, self.remote, policy=self.policy, context=self.given)
        return found.verdict


def every_case(step: int) -> Iterator[Case]:
    for status in Status:
        cases = product(BASES, Category, POLICIES, GIVEN)
        # The other statuses mean the same as one of these.
        for case in islice(cases, 0, None, step if status in BEFORE else step * step):
            yield Case(status, *case)


def pushing(case: Case) -> Verdict:
    return Verdict.PUSH if case.policy.direction in ("push", "both") else Verdict.DRIFT


def pulling(case: Case) -> Verdict:
    if case.there == OPEN and case.given.reopened_elsewhere:
        return Verdict.EXPECTED
    if case.there != OPEN and case.given.closed_by and case.policy.on_close != "follow":
        return Verdict.EXPECTED
    if case.given.shared or case.policy.direction not in ("pull", "both"):
        return Verdict.DRIFT
    if case.there == OPEN:
        return Verdict.PULL
    return {"follow": Verdict.PULL, "ask": Verdict.ASK, "report": Verdict.DRIFT}[
        case.policy.on_close.value
    ]


def unknown(case: Case) -> Verdict:
    if (case.here == OPEN) == (case.there == OPEN):
        return Verdict.RECORD
    return Verdict.DRIFT


def resting(case: Case) -> Verdict:
    apart = (case.here == OPEN) != (case.there == OPEN)
    return Verdict.EXPECTED if apart else Verdict.NOTHING


def conflicting(case: Case) -> Verdict:
    choice = case.policy.conflict.value
    if choice in ("ask", "fail"):
        return {"ask": Verdict.ASK, "fail": Verdict.CONFLICT}[choice]
    return pushing(case) if choice == "local" else pulling(case)


def is_alike(case: Case) -> bool:
    return (case.here == OPEN) == (case.there == OPEN)


def is_needed(case: Case) -> bool:
    return case.given.needed and case.here != OPEN and case.there == OPEN


# The first rule that fits says what is to be done; DESIGN's table, with the policies in it.
RULES: list[tuple[str, Callable[[Case], bool], Callable[[Case], Verdict]]] = [
    ("left out", lambda c: c.policy.direction == "off", lambda _: Verdict.NOTHING),
    ("needed by another one", is_needed, lambda _: Verdict.EXPECTED),
    ("never compared", lambda c: c.base is None, unknown),
    ("neither moved", lambda c: c.moved == (False, False), resting),
    ("come to the same", is_alike, lambda _: Verdict.RECORD),
    ("only the increment moved", lambda c: c.moved == (True, False), pushing),
    ("only the item moved", lambda c: c.moved == (False, True), pulling),
    ("both, differently", lambda c: c.moved == (True, True), conflicting),
]


LAWS: dict[str, Callable[[Case], bool]] = {
    "without a base nobody's status is written": lambda c: (
        c.base is not None or c.verdict not in (Verdict.PUSH, Verdict.PULL)
    ),
    "an item of several increments is never pulled": lambda c: (
        not c.given.shared or c.verdict is not Verdict.PULL
    ),
    "an item that is needed is never closed": lambda c: (
        not (c.given.needed and c.here != OPEN) or c.verdict is not Verdict.PUSH
    ),
    "a reopen of ours from elsewhere is not answered": lambda c: (
        not (c.given.reopened_elsewhere and c.there == OPEN) or c.verdict is not Verdict.PULL
    ),
    "nothing is pushed or pulled against the direction": lambda c: (
        (c.verdict is not Verdict.PUSH or c.policy.direction.pushes)
        and (c.verdict is not Verdict.PULL or c.policy.direction.pulls)
    ),
    "who follows has something to follow": lambda c: (
        c.verdict not in (Verdict.PUSH, Verdict.PULL) or (c.here == OPEN) != (c.there == OPEN)
    ),
    "only who moved is followed, but for conflicts": lambda c: (
        c.base is None
        or c.moved == (True, True)
        or (
            (c.verdict is not Verdict.PUSH or c.moved[0])
            and (c.verdict is not Verdict.PULL or c.moved[1])
        )
    ),
}


STATUS_AFTER = {OPEN: Status.ACTIVE, DONE: Status.COMPLETED, DROPPED: Status.ABANDONED}
CATEGORY_AFTER = {OPEN: Category.DOING, DONE: Category.DONE, DROPPED: Category.DROPPED}


def verdict_afterwards(case: Case) -> Verdict:
    """The verdict once this one was carried out and the new base noted."""
    local, remote = case.local, case.remote
    if case.verdict is Verdict.PUSH:
        remote = CATEGORY_AFTER[case.here]
    elif case.verdict is Verdict.PULL:
        local = STATUS_AFTER[case.there]
    base = Base(local.value, remote.value, "word")
    return Case(local, base, remote, case.policy, case.given).verdict


# Twenty-three shares no divisor with the number of values of a dimension, so that all of them come.
@pytest.mark.parametrize("step", [23, pytest.param(1, marks=pytest.mark.sweep)])
def test_every_case_is_decided_as_the_rules_say_and_by_the_laws(step: int) -> None:
    met = dict.fromkeys((name for name, _, _ in RULES), 0)
    wrong: list[tuple[str, Case]] = []
    for case in every_case(step):
        name, _, verdict = next(rule for rule in RULES if rule[1](case))
        met[name] += 1
        if verdict(case) is not case.verdict:
            wrong.append((name, case))
        wrong += [(law, case) for law, holds in LAWS.items() if not holds(case)]
        done = case.verdict in (Verdict.PUSH, Verdict.PULL, Verdict.RECORD)
        if done and verdict_afterwards(case) is not Verdict.NOTHING:
            wrong.append(("what was done leaves nothing to do", case))
    cases = len(BEFORE) * len(BASES) * len(Category) * len(POLICIES) * len(GIVEN)
    assert wrong[:3] == []
    assert sum(met.values()) > cases / step
    assert min(met.values()) > 0


ACTIVE, COMPLETED = (
    Increment("0007-one", Path("0007-one"), "One", status, status.value)
    for status in (Status.ACTIVE, Status.COMPLETED)
)
PUSH, PULL, EXPECTED = Verdict.PUSH, Verdict.PULL, Verdict.EXPECTED
LOCAL_WINS, REMOTE_WINS = (
    SyncPolicy(conflict=OnConflict.LOCAL),
    SyncPolicy(conflict=OnConflict.REMOTE),
)


def compared(
    number: int,
    verdict: Verdict,
    category: Category = Category.TODO,
    *,
    increment: Increment = COMPLETED,
    policy: SyncPolicy = LOCAL_WINS,
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


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (LOCAL_WINS, [PUSH, PUSH]),
        (REMOTE_WINS, [PULL, Verdict.NOTHING]),
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
    group = [
        compared(1, PULL, policy=LOCAL_WINS),
        compared(2, PUSH, Category.DONE, policy=REMOTE_WINS),
    ]

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
