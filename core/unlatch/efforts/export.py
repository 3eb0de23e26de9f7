"""An effort as a file that can be passed on, with probable secrets masked."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unlatch.transport.redact import MASK, Redactor

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from unlatch.efforts.model import Effort

HOME = "~"


@dataclass(frozen=True, slots=True)
class Export:
    """The lines of a log and the number of places that were masked, by line number from 1.

    Args:
        broken: the numbers of the lines that cannot be read, which are not in it.
    """

    lines: tuple[dict[str, Any], ...]
    masked: dict[int, int]
    broken: tuple[int, ...]


def export(log: Iterable[tuple[int, dict[str, Any] | None]], home: Path | None = None) -> Export:
    """Mask probable secrets in the numbered lines of a log, and the user's home folder."""
    redactor, masked = Redactor(), Counter[int]()
    lines, broken = [], []
    for number, line in log:
        if line is None:
            broken.append(number)
        else:
            lines.append(_mask(line, redactor, str(home) if home else "", masked, number))
    return Export(tuple(lines), dict(masked), tuple(broken))


def _mask(value: Any, redactor: Redactor, home: str, masked: Counter[int], number: int) -> Any:
    if isinstance(value, dict):
        return {key: _mask(one, redactor, home, masked, number) for key, one in value.items()}
    if isinstance(value, list):
        return [_mask(one, redactor, home, masked, number) for one in value]
    if not isinstance(value, str):
        return value
    text = redactor.text(value)
    masked[number] += text.count(MASK) - value.count(MASK)
    if home and home in text:
        masked[number] += text.count(home)
        text = text.replace(home, HOME)
    return text


def as_markdown(effort: Effort, lines: tuple[dict[str, Any], ...]) -> str:
    """An effort to read: title, summary, and the messages."""
    parts = [f"# {effort.title}", f"Status: {effort.status}"]
    if effort.summary:
        parts.append(f"Summary: {effort.summary}")
    for line in lines:
        content = line.get("content")
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        parts.append(f"## {line.get('role')} ({line.get('ts')})\n\n{text}")
    return "\n\n".join(parts) + "\n"
