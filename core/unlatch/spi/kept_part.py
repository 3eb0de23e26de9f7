"""The generated parts of a body within people's text: one for each increment.

For bodies that are text and keep comments of HTML, as Markdown does. Other formats need marks that
people see, between which a plugin writes its part itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from unlatch.patterns import pattern
from unlatch.spi.check_boxes import read_checks
from unlatch.spi.item import KeptPart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_BEGIN = r"<!-- unlatch:begin (?P<increment>[^\s<>]+) -->"
_ANY_BEGIN = "<!-- unlatch:begin[ ]"
_END = "<!-- unlatch:end -->"
# From a begin to its own end; ignores a stray begin before it.
_PART = pattern(f"{_BEGIN}(?P<text>(?:(?!{_ANY_BEGIN}).)*?){_END}", re.DOTALL)

_LIKE_A_MARK = pattern(r"(?<=<!-- )unlatch(?=:(?:begin|end)[ ])")


def with_kept_part(body: str, increment: str, text: str) -> str:
    """`body` with `text` as the part of an increment; a missing part is added at the end.

    The rest of the body stays as it is. `text` is rendered, with people's words escaped. Marks in
    it are invalidated, as `defused` does with markers: they would end the part, and the next update
    would leave the rest of this one.
    """
    text = _LIKE_A_MARK.sub("un\u200blatch", text)
    part = f"<!-- unlatch:begin {quote(increment, safe='')} -->\n{text}\n{_END}"
    found = dict(reversed(list(_parts(body))))
    match = found.get(increment)
    if match is None:
        return f"{body.rstrip()}\n\n{part}".lstrip()
    return body[: match.start()] + part + body[match.end() :]


def kept_parts(body: str, *, unescape: Callable[[str], str] = str) -> tuple[KeptPart, ...]:
    """The parts of a body whose marks name their increments, for `RemoteItem.kept`.

    Args:
        unescape: turns a check box's markup back into words (`from_markdown`).
    """
    return tuple(
        KeptPart(name, read_checks(match["text"].splitlines(), unescape=unescape))
        for name, match in _parts(body)
    )


def _parts(body: str) -> Iterator[tuple[str, re.Match[str]]]:
    return ((unquote(match["increment"]), match) for match in _PART.finditer(body))
