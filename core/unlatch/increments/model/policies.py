"""The policies of a project: for violations of its rules, and for sync."""

from enum import StrEnum

from unlatch.errors import UnlatchError
from unlatch.values import dataclass


class Policy(StrEnum):
    """The reaction to a violation."""

    WARN = "warn"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class RuleViolation:
    """A violated rule; `error` is raised if the policy refuses."""

    error: UnlatchError
    policy: Policy


class Direction(StrEnum):
    """The side that may follow the other: items (push) or increments (pull)."""

    PUSH = "push"
    PULL = "pull"
    BOTH = "both"
    OFF = "off"

    @property
    def pushes(self) -> bool:
        return self in (Direction.PUSH, Direction.BOTH)

    @property
    def pulls(self) -> bool:
        return self in (Direction.PULL, Direction.BOTH)


class OnConflict(StrEnum):
    """The side that wins a conflict."""

    ASK = "ask"
    LOCAL = "local"
    REMOTE = "remote"
    FAIL = "fail"


class OnClose(StrEnum):
    """The reaction to an item that is closed while its increment is open."""

    ASK = "ask"
    FOLLOW = "follow"
    REPORT = "report"


@dataclass(frozen=True, slots=True)
class SyncPolicy:
    """The sync settings of one tracker."""

    direction: Direction = Direction.BOTH
    conflict: OnConflict = OnConflict.ASK
    on_close: OnClose = OnClose.ASK
