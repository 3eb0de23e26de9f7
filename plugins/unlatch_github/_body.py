"""The part of an issue's body that unlatch keeps, and what people write around it."""

from __future__ import annotations

import re

_BEGIN = "<!-- unlatch:begin -->"
_END = "<!-- unlatch:end -->"
# From a begin to its own end: a stray begin before it belongs to nobody.
_SECTION = re.compile(f"{_BEGIN}(?:(?!{_BEGIN}).)*?{_END}", re.DOTALL)


def section(text: str) -> str:
    """`text` between the marks that it is found by again."""
    return f"{_BEGIN}\n{text}\n{_END}"


def with_section(body: str, text: str) -> str:
    """`body` with its first section saying `text`, or with such a section at its end."""
    match = _SECTION.search(body)
    if match is None:
        return f"{body.rstrip()}\n\n{section(text)}".lstrip()
    return body[: match.start()] + section(text) + body[match.end() :]
