"""Choose the transition to a goal. Pure."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from unlatch.patterns import pattern
from unlatch.spi import Category, Goal
from unlatch_jira.api.transitions import NO_MOVE, NoWayError, named, names, offered_among
from unlatch_jira.workflow.screens import required_fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from unlatch_jira.api.workflow_models import Transition
    from unlatch_jira.settings_types import Transitions

# Administrators name transitions; Jira's standard workflows use this English word. Statuses are
# never matched by name (findings/jirate-close-by-name.sh).
REOPEN = pattern(r"\bre-?open", re.IGNORECASE)


def choose(moves: Iterable[Transition], goal: Goal, transitions: Transitions) -> Transition:
    """The transition to take towards `goal`.

    Raises:
        Rejected: `no-transition`, Jira offers none; `transition-ambiguous`, several have the name.
        NoWayError: `no-transition`, or `transition-not-offered` if the configured one is missing or
            leads away.
    """
    offered = offered_among(moves)
    wanted = transitions.towards(goal)
    if wanted is not None:
        return named(offered, wanted, goal)
    likely = [move for move in offered if _leads_to(move, goal)]
    if likely:
        return min(likely, key=partial(_rank, goal=goal, transitions=transitions))
    raise NoWayError(
        "no-transition",
        f"no transition of this issue leads to {_aim(goal)}; on offer: {names(offered)}",
        hint=NO_MOVE,
    )


def _leads_to(move: Transition, goal: Goal) -> bool:
    if move.to.category is None:
        return goal is Goal.OPEN and REOPEN.search(move.name) is not None
    return move.to.means.is_open == (goal is Goal.OPEN)


def _rank(move: Transition, goal: Goal, transitions: Transitions) -> tuple[bool, int, int]:
    """The rank of a transition; the lowest is the best."""
    drop = transitions.drop if goal is Goal.COMPLETED else None
    is_for_dropping = drop is not None and drop.casefold() in (
        move.id,
        move.name.casefold(),
        move.to.name.casefold(),
    )
    return is_for_dropping, likelihood(move.name, move.to.means, goal), _asked(move)


def likelihood(name: str, means: Category, goal: Goal) -> int:
    """The rank by likelihood of transitions to `goal`; 0 is the most likely."""
    if goal is not Goal.OPEN or REOPEN.search(name):
        return 0
    return 1 if means is Category.DOING else 2


def _asked(move: Transition) -> int:
    return len(required_fields(move, ("resolution",)))


def nearest(offered: Sequence[Transition], seen: Iterable[str]) -> Transition | None:
    """A transition to try if none leads to the goal: one to a new status."""
    passed = {name.casefold() for name in seen}
    fresh = [move for move in offered if move.to.name.casefold() not in passed]
    return min(fresh, key=_asked) if fresh else None


def _aim(goal: Goal) -> str:
    return "a status of work to do" if goal is Goal.OPEN else "a status of finished work"
