"""Find offered transitions by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import Rejected
from unlatch.spi import Goal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from unlatch_jira.api.workflow_models import Transition

NO_MOVE = (
    "ask for the permission Transition Issues in its project, or name a way through its workflow "
    "in trackers.jira.transitions"
)


class NoWayError(Rejected):
    """No offered transition leads there; a path of several may."""


def offered_among(moves: Iterable[Transition]) -> tuple[Transition, ...]:
    """The offered transitions.

    Raises:
        Rejected: `no-transition`, there is none.
    """
    offered = tuple(move for move in moves if move.available)
    if not offered:
        raise Rejected("no-transition", "Jira offers no transition of this issue", hint=NO_MOVE)
    return offered


def leads_away(move: Transition, goal: Goal) -> bool:
    """Whether a transition is known to lead to a status without the goal."""
    return move.to.category is not None and move.to.means.is_open is not (goal is Goal.OPEN)


def named(offered: Sequence[Transition], wanted: str, goal: Goal | None = None) -> Transition:
    """The transition for a configured word: by id, else by name, else by its status.

    Administrators may give several transitions one name: one that leads away from `goal` is not
    meant.

    Raises:
        NoWayError: `transition-not-offered`; none is called so, or all lead away.
        Rejected: `transition-ambiguous`; several of this name lead to the goal.
    """
    word = wanted.casefold()
    by_rank = (
        [move for move in offered if move.id == wanted],
        [move for move in offered if move.name == wanted],
        [move for move in offered if move.name.casefold() == word],
    )
    for moves in by_rank:
        towards = [move for move in moves if goal is None or not leads_away(move, goal)]
        if len(towards) > 1:
            raise _ambiguous(wanted, towards)
        if towards:
            return towards[0]
    for move in offered:
        is_there = word in (move.to.name.casefold(), move.to.id)
        if is_there and not (goal and leads_away(move, goal)):
            return move
    is_offered = any(by_rank)
    problem = "leads away from the goal" if is_offered else "is not on offer"
    raise NoWayError(
        "transition-not-offered",
        f"the configured transition {wanted!r} {problem}; there are: {names(offered)}",
        hint="set trackers.jira.transitions to a transition's name or id, or a status's name",
    )


def _ambiguous(wanted: str, several: Sequence[Transition]) -> Rejected:
    ids = " and ".join(f"{move.id} (to {move.to.name})" for move in several)
    return Rejected(
        "transition-ambiguous",
        f"{len(several)} transitions are called {wanted!r}: {ids}",
        hint=f'in [trackers.jira], write the id of one, such as "{several[0].id}", '
        f'in place of "{wanted}"',
    )


def names(moves: Iterable[Transition]) -> str:
    """The names of transitions, for messages."""
    return ", ".join(f"{move.name} (to {move.to.name})" for move in moves)
