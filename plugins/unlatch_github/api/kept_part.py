"""unlatch's parts of an issue's body, in Markdown."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from unlatch.patterns import pattern
from unlatch.spi import kept_parts as parts_of

if TYPE_CHECKING:
    from unlatch.spi import KeptPart

# A backslash before ASCII punctuation makes it literal (CommonMark 0.31, section 2.4).
_ESCAPE = pattern(r"\\(?P<sign>[!-/:-@\[-`{-~])|&#?\w{1,31};")


def kept_parts(body: str) -> tuple[KeptPart, ...]:
    """The parts of a body whose marks name their increments."""
    return parts_of(body, unescape=_without_markup)


def _without_markup(text: str) -> str:
    return _ESCAPE.sub(lambda one: one["sign"] or html.unescape(one[0]), text)
