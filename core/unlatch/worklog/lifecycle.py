"""The statuses that work goes through, and the moves between them."""

from collections.abc import Mapping
from typing import Generic, TypeVar

from unlatch.values import dataclass

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Lifecycle(Generic[S]):
    """The status table of one kind of work."""

    moves: Mapping[S, frozenset[S]]  # the statuses that each status can move to
    closed: frozenset[S]  # the statuses of finished work; leaving one needs a reason
    reopened: frozenset[S] = frozenset()  # closed statuses that only a recorded reopen leaves

    def can_move(self, current: S, to: S) -> bool:
        return to in self.moves[current] and current not in self.reopened
