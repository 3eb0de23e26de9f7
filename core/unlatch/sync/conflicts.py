"""Resolve conflicts between the links of one increment."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.increments.model.policies import OnConflict, SyncPolicy
from unlatch.sync.compare import (
    Decision,
    Side,
    Verdict,
    local_side,
    push,
    remote_side,
    reopened_elsewhere,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from unlatch.sync.compare import Compared

_WINNERS = frozenset({OnConflict.LOCAL, OnConflict.REMOTE})


def resolve_conflicts(group: Sequence[Compared]) -> Sequence[Compared]:
    """Make the decisions about one increment's links compatible.

    An increment has one status, so it cannot follow one item and be followed by another.
    """
    pulls = [one for one in group if one.verdict is Verdict.PULL]
    pushes = [one for one in group if one.verdict is Verdict.PUSH]
    if not pulls:
        return group
    if op := _reopened_elsewhere(group):
        # These may be the items that it followed, which get no comment.
        return _decide(group, Verdict.PULL, reopened_elsewhere(op))
    if len(remote_sides(pulls)) == 1 and not pushes:
        return group
    winner = conflict_winner(one.policy for one in (*pulls, *pushes))
    if winner is OnConflict.LOCAL:
        here = local_side(group[0].increment.status)
        return [
            one
            if one.verdict is not Verdict.PULL
            else replace(one, decision=push(here, one.policy, one.context))
            for one in group
        ]
    if winner is OnConflict.REMOTE:
        # These items are already on the side that the increment moves to.
        return _decide(group, Verdict.PUSH, Decision(Verdict.NOTHING))
    why = "both sides have changed" if pushes else "its items have changed"
    return _decide(group, Verdict.PULL, Decision(Verdict.CONFLICT, f"{why}, in different ways"))


def conflict_winner(policies: Iterable[SyncPolicy]) -> OnConflict:
    """Return the side that wins where an increment's links conflict; fail if none is named."""
    named = {policy.conflict for policy in policies}
    return named.pop() if len(named) == 1 and named <= _WINNERS else OnConflict.FAIL


def remote_sides(links: Iterable[Compared]) -> set[Side]:
    """Return the sides that these items are on."""
    return {remote_side(one.seen.item.category) for one in links if one.seen.item}


def _reopened_elsewhere(group: Iterable[Compared]) -> str | None:
    found = (one.context.reopened_elsewhere for one in group if one.verdict is Verdict.EXPECTED)
    return next(filter(None, found), None)


def _decide(group: Sequence[Compared], verdict: Verdict, decision: Decision) -> Sequence[Compared]:
    return [replace(one, decision=decision) if one.verdict is verdict else one for one in group]
