"""The three-way decision: every case that there is, against a table of rules and against laws."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product
from typing import TYPE_CHECKING

import pytest

from unlatch.increments.model.increment import Base
from unlatch.increments.model.policies import Direction, OnClose, OnConflict, SyncPolicy
from unlatch.increments.model.status import Status
from unlatch.spi.category import Category
from unlatch.sync.compare import ReconcileContext, Verdict, decide

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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


# Five shares no divisor with the number of values of a dimension, so that all of them come.
@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.sweep)])
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
