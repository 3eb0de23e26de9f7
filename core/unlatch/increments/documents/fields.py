"""Labelled values as tasks have them: `**Status**: [x] completed`, also several on one line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.increments.documents.lines import Line

_LABEL = re.compile(
    r"(?P<lead>\A[ \t]{0,3}(?:[-*+][ \t]{1,4})?|\|[ \t]{0,4})"
    r"(?:\*\*(?P<bold>[A-Za-z][A-Za-z -]{0,30})(?::\*\*|\*\*[ \t]{0,4}:)|(?P<plain>Status):)"
    r"[ \t]{0,8}"
)


class Field(NamedTuple):
    """One value.

    Args:
        name: the label in small letters.
        label: all that stands before the value, as the next task would repeat it.
        start: where in the file the value begins.
        value: without white space around it.
        line: the number of its line.
    """

    name: str
    label: str
    start: int
    value: str
    line: int

    @property
    def end(self) -> int:
        """Where in the file the value ends."""
        return self.start + len(self.value)


def fields(line: Line) -> Iterator[Field]:
    """The values of a line that begins with a label."""
    if "**" not in line.text and not line.text.lstrip(" ").startswith("Status"):
        return
    found = list(_LABEL.finditer(line.text))
    if not found or found[0].start():
        return
    for match, following in zip(found, [*found[1:], None], strict=True):
        end = following.start() if following else len(line.text)
        value = line.text[match.end() : end].rstrip(" \t")
        lead = match["lead"]
        label = match[0] if not lead.startswith("|") else match[0][len(lead) :]
        name = (match["bold"] or match["plain"]).strip(" -").lower()
        yield Field(name, label, line.start + match.end(), value, line.number)
