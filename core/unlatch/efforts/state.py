"""The state of a conversation, as its events describe it.

Events and the cached state can come from a clone, so their ids are checked like typed ones.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import field
from typing import TYPE_CHECKING, Any

from unlatch.efforts.events import (
    Activated,
    Collapsed,
    Expanded,
    Referenced,
    TurnBegan,
    TurnLogged,
)
from unlatch.efforts.model import EFFORT_ID
from unlatch.values import dataclass
from unlatch.worklog.event_log import parse_line
from unlatch.worklog.record import NUMBER, TEXT, ULID, BadRecord, object_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unlatch.worklog.event_log import Event


@dataclass(slots=True)
class State:
    """The state of a conversation.

    Args:
        turn: the number of the turn; 0 before the first.
        active: the effort that messages go to; None for the ambient log.
        expanded: the expanded efforts, each with the turn of its expansion.
        referenced: the turn in which each effort was referred to for the last time.
        message: the message of a turn, not logged yet.
    """

    turn: int = 0
    active: str | None = None
    expanded: dict[str, int] = field(default_factory=dict)
    referenced: dict[str, int] = field(default_factory=dict)
    message: Mapping[str, Any] | None = None

    @classmethod
    def read(cls, raw: Any) -> State:
        """Read the cached state from JSON; raises BadRecord."""
        entry = object_in(raw, "")
        return cls(
            turn=NUMBER.read(entry.get("turn")),
            active=_id(entry.get("active")),
            expanded=_turns(entry.get("expanded")),
            referenced=_turns(entry.get("referenced")),
            message=_message(entry.get("message")),
        )

    def apply(self, event: Event) -> None:
        with suppress(BadRecord):
            self._apply(event)

    def _apply(self, event: Event) -> None:
        match event:
            case TurnBegan():
                self.turn += 1
                self.message = _message(parse_line(event.message))
            case TurnLogged():
                self.message = None
            case Activated():
                self.active = _id(event.effort)
            case Expanded():
                self.expanded |= _turns({event.effort: self.turn})
            case Collapsed():
                self.expanded.pop(event.effort, None)
            case Referenced():
                self.referenced |= _turns(dict.fromkeys(event.efforts, self.turn))

    def idle(self, effort: str) -> int:
        """The number of turns since an effort was referred to, or expanded."""
        return self.turn - max(self.referenced.get(effort, 0), self.expanded.get(effort, 0))


def _id(raw: Any) -> str | None:
    if raw is not None and not EFFORT_ID.fullmatch(TEXT.read(raw)):
        raise BadRecord(" is not the id of an effort")
    return raw  # type: ignore[no-any-return]  # it is a text or None


def _turns(raw: Any) -> dict[str, int]:
    return {str(_id(effort)): NUMBER.read(turn) for effort, turn in object_in(raw, "").items()}


def _message(raw: Any) -> dict[str, str] | None:
    if raw is None:
        return None
    entry = object_in(raw, "")
    found = {"id": ULID.read(entry.get("id")), "content": TEXT.read(entry.get("content"))}
    return {"role": "user", **found}
