"""Which transition leads where it shall. Pure."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from unlatch.errors import Rejected
from unlatch.spi import Category, Goal
from unlatch_jira.screens import unfilled

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from unlatch_jira.answers import Move
    from unlatch_jira.choices import Transitions

# A transition's name is whatever an administrator called it; this one word is what Jira's own
# workflows have called it since the beginning, in English. Statuses are never matched by name.
REOPEN = re.compile(r"\bre-?open", re.IGNORECASE)

_NO_MOVE = (
    "ask for the permission Transition Issues in its project, or name a way through its workflow "
    "in trackers.jira.transitions"
)


class NoWayError(Rejected):
    """None of the transitions on offer leads there; a way of several may."""


def choose(moves: Iterable[Move], goal: Goal, transitions: Transitions) -> Move:
    """The transition to take towards `goal`.

    Raises:
        Rejected: `no-transition`, Jira offers none at all.
        NoWayError: `no-transition`, or `transition-not-offered` where the configured one is
            missing.
    """
    offered = offered_among(moves)
    wanted = transitions.towards(goal)
    if wanted is not None:
        return named(offered, wanted)
    likely = [move for move in offered if move.to.means.is_open == (goal is Goal.OPEN)]
    if likely:
        return min(likely, key=partial(_rank, goal=goal, transitions=transitions))
    raise NoWayError(
        "no-transition",
        f"no transition of this issue leads to {_aim(goal)}; on offer: {names(offered)}",
        hint=_NO_MOVE,
    )


def offered_among(moves: Iterable[Move]) -> tuple[Move, ...]:
    """The transitions that may be taken.

    Raises:
        Rejected: `no-transition`, there is none.
    """
    offered = tuple(move for move in moves if move.available)
    if not offered:
        raise Rejected("no-transition", "Jira offers no transition of this issue", hint=_NO_MOVE)
    return offered


def named(offered: Sequence[Move], wanted: str) -> Move:
    """The transition that a configured word means: by id, else by name, else by its status.

    Raises:
        NoWayError: `transition-not-offered`.
    """
    word = wanted.casefold()
    by_rank = (
        [move for move in offered if move.id == wanted],
        [move for move in offered if move.name.casefold() == word],
        [move for move in offered if word in (move.to.name.casefold(), move.to.id)],
    )
    for found in by_rank:
        if found:
            return found[0]
    raise NoWayError(
        "transition-not-offered",
        f"the configured transition {wanted!r} is not on offer; there are: {names(offered)}",
        hint="set trackers.jira.transitions to a transition's name or id, or a status's name",
    )


def _rank(move: Move, goal: Goal, transitions: Transitions) -> tuple[bool, int, int]:
    """The lowest is the best of those that lead there."""
    drop = transitions.drop if goal is Goal.COMPLETED else None
    is_for_dropping = drop is not None and drop.casefold() in (
        move.id,
        move.name.casefold(),
        move.to.name.casefold(),
    )
    return is_for_dropping, likelihood(move.name, move.to.means, goal), _asked(move)


def likelihood(name: str, means: Category, goal: Goal) -> int:
    """0 for a transition that is most likely meant, of those that lead to `goal`."""
    if goal is not Goal.OPEN or REOPEN.search(name):
        return 0
    return 1 if means is Category.DOING else 2


def _asked(move: Move) -> int:
    return len(unfilled(move, ("resolution",)))


def nearest(offered: Sequence[Move], seen: Iterable[str]) -> Move | None:
    """A transition to try where none leads to the goal: one to a status that was not passed."""
    passed = {name.casefold() for name in seen}
    fresh = [move for move in offered if move.to.name.casefold() not in passed]
    return min(fresh, key=_asked) if fresh else None


def _aim(goal: Goal) -> str:
    return "a status of work to do" if goal is Goal.OPEN else "a status of finished work"


def names(moves: Iterable[Move]) -> str:
    """Transitions as people are told of them."""
    return ", ".join(f"{move.name} (to {move.to.name})" for move in moves)
