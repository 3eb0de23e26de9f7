"""The state of a conversation, as its events describe it.

Events and the cached state can come from a clone, so their ids are checked like typed ones.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import field
from typing import TYPE_CHECKING, Any

from unlatch.values import dataclass
from unlatch.worklog.json_text import json_or_none
from unlatch.worklog.record import NUMBER, TEXT, ULID, BadRecord, object_in
from unlatch_efforts.effort_model import EFFORT_ID, Effort
from unlatch_efforts.events import (
    Activated,
    Collapsed,
    Expanded,
    Referenced,
    TurnBegan,
    TurnLogged,
    TurnSaid,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from unlatch.worklog.event_log import Event


@dataclass(slots=True)
class State:
    """The state of a conversation.

    Args:
        turn: the number of the turn; 0 before the first.
        active: the effort that messages go to; None for the ambient log.
        expanded: the expanded efforts, each with the turn of its expansion.
        referenced: the turn in which each effort was referred to for the last time.
        home: the effort whose log takes the turn: the one that became active last, also after the
            turn has concluded it; None for the ambient log.
        said: the lines of a turn that is not logged yet: the user's message, replies and answers.
    """

    turn: int = 0
    active: str | None = None
    expanded: dict[str, int] = field(default_factory=dict)
    referenced: dict[str, int] = field(default_factory=dict)
    home: str | None = None
    said: list[Mapping[str, Any]] = field(default_factory=list)

    @classmethod
    def read(cls, raw: Any) -> State:
        """Read the cached state from JSON; raises BadRecord."""
        entry = object_in(raw, "")
        return cls(
            turn=NUMBER.read(entry.get("turn")),
            active=_id(entry.get("active")),
            expanded=_turns(entry.get("expanded")),
            referenced=_turns(entry.get("referenced")),
            home=_id(entry.get("home")),
        )

    def apply(self, event: Event) -> None:
        with suppress(BadRecord):
            self._apply(event)

    def _apply(self, event: Event) -> None:
        match event:
            case TurnBegan():
                self.turn += 1
                self.home, self.said = self.active, [_message(json_or_none(event.message))]
            case TurnSaid():
                self.said += (_line(json_or_none(text)) for text in event.said)
            case TurnLogged():
                self.said = []
            case Activated():
                self.active = _id(event.effort)
                if not event.follows:
                    self.home = self.active
            case Expanded():
                self.expanded |= _turns({event.effort: self.turn})
            case Collapsed():
                self.expanded.pop(event.effort, None)
            case Referenced():
                self.referenced |= _turns(dict.fromkeys(event.efforts, self.turn))

    def idle(self, effort: str) -> int:
        """The number of turns since an effort was referred to, or expanded."""
        return self.turn - max(self.referenced.get(effort, 0), self.expanded.get(effort, 0))


def expanded_in(state: State, efforts: Iterable[Effort]) -> list[str]:
    """The ids of the concluded efforts that are expanded; another conversation may reopen them."""
    return sorted(
        effort.id for effort in efforts if effort.id in state.expanded and not effort.is_open
    )


def _id(raw: Any) -> str | None:
    if raw is not None and not EFFORT_ID.fullmatch(TEXT.read(raw)):
        raise BadRecord(" is not the id of an effort")
    return raw  # type: ignore[no-any-return]  # it is a text or None


def _turns(raw: Any) -> dict[str, int]:
    return {str(_id(effort)): NUMBER.read(turn) for effort, turn in object_in(raw, "").items()}


def _message(raw: Any) -> dict[str, str]:
    entry = _line(raw)
    return {**entry, "role": "user", "content": TEXT.read(entry.get("content"))}


def _line(raw: Any) -> dict[str, Any]:
    entry = object_in(raw, "")
    return {**entry, "id": ULID.read(entry.get("id"))}
