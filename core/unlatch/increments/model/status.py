"""The status table of increments."""

import re
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from unlatch.worklog.lifecycle import Lifecycle


class Status(StrEnum):
    """The status of an increment."""

    PLANNING = "planning"
    BACKLOG = "backlog"
    ACTIVE = "active"
    PAUSED = "paused"
    READY_FOR_REVIEW = "ready_for_review"
    COMPLETED = "completed"
    ABANDONED = "abandoned"

    @property
    def is_finished(self) -> bool:
        """Whether the items of such an increment should be closed; leaving it needs a reason."""
        return self in LIFECYCLE.closed

    def can_become(self, to: "Status") -> bool:
        """Whether a plain move is allowed; only a recorded reopen leaves `completed`."""
        return LIFECYCLE.can_move(self, to)


_MOVES = {
    "planning": "active backlog abandoned",
    "backlog": "planning active abandoned",
    "active": "paused backlog ready_for_review completed abandoned",
    "paused": "active abandoned",
    "ready_for_review": "active completed abandoned",
    "completed": "active",
    "abandoned": "active",
}
LIFECYCLE = Lifecycle(
    moves=MappingProxyType(
        {Status(word): frozenset(map(Status, moves.split())) for word, moves in _MOVES.items()}
    ),
    closed=frozenset({Status.COMPLETED, Status.ABANDONED}),
    reopened=frozenset({Status.COMPLETED}),
)
_SPELLINGS: Mapping[str, Status] = MappingProxyType(
    {
        **{status.value: status for status in Status},
        "in_progress": Status.ACTIVE,
        "planned": Status.PLANNING,
        "closed": Status.COMPLETED,
        "done": Status.COMPLETED,
        "complete": Status.COMPLETED,
        # SpecWeave writes it for imported items: recorded, not planned yet.
        "imported": Status.BACKLOG,
        # The work may not have begun.
        "open": Status.PLANNING,
        # Other work took its place, so it was not done.
        "superseded": Status.ABANDONED,
    }
)


def read_status(raw: str) -> Status | None:
    """The status named by `raw`, in any spelling seen in real files; None for other words."""
    status = _SPELLINGS.get(raw)
    return status or _SPELLINGS.get("_".join(re.split(r"[\s_-]+", raw.strip().lower())))
