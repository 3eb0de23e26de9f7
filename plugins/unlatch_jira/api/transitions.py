"""Find offered transitions by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import Rejected

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


def named(offered: Sequence[Transition], wanted: str) -> Transition:
    """The transition for a configured word: by id, else by name, else by its status.

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


def names(moves: Iterable[Transition]) -> str:
    """The names of transitions, for messages."""
    return ", ".join(f"{move.name} (to {move.to.name})" for move in moves)
