"""The usage of a plan's limits, as a script of the user prints it.

    utilisation: 92%
    remaining: 8%
    resets_at: 2026-03-02T14:00:00Z

A JSON object with these keys means the same; `utilization` is accepted.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from unlatch.errors import UnlatchError
from unlatch.values import dataclass
from unlatch.worklog.json_text import json_or_none
from unlatch.worklog.times import read_stamp

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

_PERCENT = re.compile(r"(?P<number>\d{1,3}(\.\d{1,6})?)\s*%?", re.ASCII)
_SPELLINGS = {"utilization": "utilisation"}
_KEYS = ("utilisation", "remaining", "resets_at")
_ALL = 100.0
_LONGEST_SHOWN = 80


class UsageUnreadable(UnlatchError):
    """The usage is not in the documented format."""


@dataclass(frozen=True, slots=True)
class UsageLimits:
    """The share of the limits that is used and left, in percent; `resets_at` may be unknown."""

    utilisation: float
    remaining: float
    resets_at: datetime | None = None


def read_usage(text: str, *, where: str) -> UsageLimits:
    """The limits that a script printed, or that a file has; `where` names it in errors.

    Raises:
        UsageUnreadable: `usage-unreadable`, with the line.
    """
    fields: dict[str, Any] = {}
    for number, key, raw in _entries(text.lstrip("\ufeff"), where):
        value = read_stamp(raw) if key == "resets_at" else _percent(raw)
        if value is None:
            expected = "an ISO 8601 time" if key == "resets_at" else "a percentage from 0 to 100"
            raise _unreadable(
                f"{key} is not {expected}: {str(raw)[:_LONGEST_SHOWN]!r}", where, number
            )
        fields[key] = value
    if "utilisation" not in fields and "remaining" not in fields:
        raise _unreadable("neither utilisation nor remaining is there", where, None)
    remaining = fields.get("remaining", _ALL - fields.get("utilisation", 0.0))
    return UsageLimits(
        fields.get("utilisation", _ALL - remaining), remaining, fields.get("resets_at")
    )


def _entries(text: str, where: str) -> Iterator[tuple[int | None, str, Any]]:
    """The known keys with their values and lines; other lines are passed over."""
    if text.lstrip().startswith("{"):
        value = json_or_none(text)
        if not isinstance(value, dict):
            raise _unreadable("it begins like JSON and is none", where, None)
        pairs: Iterator[tuple[int | None, str, Any]] = ((None, *pair) for pair in value.items())
    else:
        lines = enumerate(text.splitlines(), 1)
        split = ((number, line.partition(":")) for number, line in lines)
        pairs = ((number, key, raw.strip()) for number, (key, _, raw) in split)
    for number, name, raw in pairs:
        key = name.strip().lower()
        key = _SPELLINGS.get(key, key)
        if key in _KEYS and raw is not None:
            yield number, key, raw


def _percent(raw: Any) -> float | None:
    if isinstance(raw, bool):
        return None
    match = _PERCENT.fullmatch(str(raw).strip())
    number = float(match["number"]) if match else None
    return number if number is not None and number <= _ALL else None


def _unreadable(problem: str, where: str, line: int | None) -> UsageUnreadable:
    return UsageUnreadable(
        "usage-unreadable",
        f"cannot read the usage: {problem}",
        where=where if line is None else f"{where}, line {line}",
        hint="print the three lines utilisation: N%, remaining: N%, resets_at: TIME",
    )
