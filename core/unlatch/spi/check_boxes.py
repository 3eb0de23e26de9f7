"""Reading check boxes back from the lines of a body, as people and editors may have left them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from unlatch.patterns import pattern
from unlatch.spi.text import Check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# Both the boxes that `render` writes, and those that people put in their place.
_TICKED = "\u2611\u2612\u2705\u2713\u2714\U0001f5f9"
_OPEN = "\u2610\u25a1\u2b1c"
_LINE = pattern(
    r"\s*(?:(?:[-*+]{1,6}|[0-9]{1,9}[.)])\s+)?"
    rf"(?P<box>\[[ \u00a0xX]\](?=\s|\Z)|[{_TICKED}{_OPEN}])\ufe0f?(?P<text>.*)",
    re.DOTALL,
)


def read_checks(lines: Iterable[str], *, unescape: Callable[[str], str] = str) -> tuple[Check, ...]:
    """The check boxes at the beginning of lines, with or without a bullet; ignores other lines.

    Args:
        unescape: turns markup back into words.
    """
    found = (match for line in lines if (match := _LINE.fullmatch(line)))
    return tuple(
        Check(_words(unescape(one["text"])), one["box"] in _TICKED or one["box"] in "[x][X]")
        for one in found
    )


def _words(text: str) -> str:
    return " ".join(text.replace("\u200b", "").split())
