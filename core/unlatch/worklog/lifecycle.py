"""The statuses that work goes through, and the moves between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Lifecycle(Generic[S]):
    """The table of one kind of work.

    Args:
        moves: the statuses that each status can move to.
        closed: the statuses of finished work; to leave one needs a reason.
        reopened: closed statuses that only a recorded reopen leaves, never a plain move.
    """

    moves: Mapping[S, frozenset[S]]
    closed: frozenset[S]
    reopened: frozenset[S] = frozenset()

    def can_move(self, current: S, to: S) -> bool:
        """Whether a plain move is allowed."""
        return to in self.moves[current] and current not in self.reopened

    def needs_reason(self, current: S) -> bool:
        """Whether leaving a status needs a reason."""
        return current in self.closed
