"""The part that all events of a run have, the registry of their types, and types of values."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeVar

from unlatch.worklog.record import TIME, BadRecord, Record, Type, record
from unlatch.worklog.times import read_stamp, stamp

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime


@record
class RunEvent:
    """The part that all events have; `sequence` counts from 1 without a gap."""

    timestamp: datetime = field()
    sequence: int = field()
    session_id: str = field()
    agent_id: str | None = field(default=None)
    task_id: str | None = field(default=None)


E = TypeVar("E", bound=RunEvent)
TYPES: dict[str, Record] = {}
WORD_OF: dict[type[RunEvent], str] = {}


def event(word: str) -> Callable[[type[E]], type[E]]:
    def register(model: type[E]) -> type[E]:
        TYPES[word] = Record.of(model)
        WORD_OF[model] = word
        return model

    return register


OPTIONAL_TIME = Type("Time", TIME.read, lambda time: stamp(time) if time else None, read_stamp)


def _amount(raw: Any) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        raise BadRecord(" is not a number")
    return raw


AMOUNT = Type("Amount", _amount, lambda value: value, blank=0)
