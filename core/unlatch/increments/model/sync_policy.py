"""How far an increment and its items may follow each other."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Direction(StrEnum):
    """Which side may be changed to follow the other."""

    PUSH = "push"
    PULL = "pull"
    BOTH = "both"
    OFF = "off"

    @property
    def pushes(self) -> bool:
        """Whether items may follow their increment."""
        return self in (Direction.PUSH, Direction.BOTH)

    @property
    def pulls(self) -> bool:
        """Whether increments may follow their items."""
        return self in (Direction.PULL, Direction.BOTH)


class OnConflict(StrEnum):
    """Which side counts where both have changed, and differently."""

    ASK = "ask"
    LOCAL = "local"
    REMOTE = "remote"
    FAIL = "fail"


class OnClose(StrEnum):
    """What an item that somebody closed does to an increment that is still open."""

    ASK = "ask"
    FOLLOW = "follow"
    REPORT = "report"


@dataclass(frozen=True, slots=True)
class Policy:
    """How one tracker's items and the increments are kept in step."""

    direction: Direction = Direction.BOTH
    conflict: OnConflict = OnConflict.ASK
    on_close: OnClose = OnClose.ASK
