"""Which transition leads where it shall. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from unlatch.errors import Rejected
from unlatch.spi import Category, Goal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

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
    for likely in _preferences(goal, transitions):
        found = [move for move in offered if likely(move)]
        if found:
            return _easiest(found)
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


def _preferences(goal: Goal, transitions: Transitions) -> Iterator[Callable[[Move], bool]]:
    """What to look for, the best first."""
    if goal is Goal.OPEN:
        yield lambda move: bool(REOPEN.search(move.name)) and _opens(move)
        yield lambda move: move.to.means is Category.DOING
        yield _opens
        return
    if goal is Goal.COMPLETED and (drop := transitions.drop):
        yield lambda move: _closes(move) and not _is_called(move, drop)
    yield _closes


def _opens(move: Move) -> bool:
    return move.to.means.is_open


def _closes(move: Move) -> bool:
    return not move.to.means.is_open


def _is_called(move: Move, word: str) -> bool:
    called = (move.id, move.name.casefold(), move.to.name.casefold())
    return word.casefold() in called


def _easiest(moves: Sequence[Move]) -> Move:
    return min(moves, key=_asked)


def _asked(move: Move) -> int:
    return sum(
        field.required and not field.has_default and name != "resolution"
        for name, field in move.screen.items()
    )


def nearest(offered: Sequence[Move], seen: Iterable[str]) -> Move | None:
    """A transition to try where none leads to the goal: one to a status that was not passed."""
    passed = {name.casefold() for name in seen}
    fresh = [move for move in offered if move.to.name.casefold() not in passed]
    return _easiest(fresh) if fresh else None


def _aim(goal: Goal) -> str:
    return "a status of work to do" if goal is Goal.OPEN else "a status of finished work"


def names(moves: Iterable[Move]) -> str:
    """Transitions as people are told of them."""
    return ", ".join(f"{move.name} (to {move.to.name})" for move in moves)
