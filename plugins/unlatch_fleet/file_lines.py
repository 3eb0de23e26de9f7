"""The lines of fleet.toml on which its keys stand, for messages about mistakes."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from unlatch.patterns import pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_HEADER = pattern(r"\s*\[\[\s*repositories\s*\]\]")
_LIST = "repositories"
_TABLE = pattern(r"\s*\[{1,2}(?P<name>[^\[\]]+)\]{1,2}\s*(?:#.*)?")
_PART = pattern(r"\"[^\"]*\"|'[^']*'|[^.\s]+")
# A key, perhaps as the last part of a dotted one.
_KEY = r"\s*+(?:[\w-]++\s*+\.\s*+)*{}\s*+[=.]"
# What texts of several lines begin and end with.
_QUOTES = ('"""', "'''")


class FileLines:
    """Finds the lines of keys, by the form that people write; a TOML parser keeps no lines."""

    def __init__(self, text: str) -> None:
        self._lines = [*_outside_texts(text)]

    def of_repositories(self, count: int) -> list[int]:
        """The line of each repository; where they are no tables of their own, that of the list."""
        lines = [number for number, line in enumerate(self._lines, 1) if _HEADER.match(line)]
        return lines if len(lines) == count else [self.of([_LIST], 0)] * count

    def of(self, place: Sequence[str], line: int) -> int:
        """The line of a key; that of its table if it has none.

        Args:
            line: of the header of the repository that it belongs to; 0 for the whole file.
        """
        tables = self._tables(line)
        matches = [table for table in tables if table[0] == (*place[: len(table[0])],)]
        if not matches:
            return line
        name, line, end = max(matches, key=lambda table: len(table[0]))
        for key in place[len(name) :]:
            wanted = re.compile(_KEY.format(re.escape(key)))
            numbers = range(line, end + 1)
            line = next((n for n in numbers if wanted.match(self._lines[n - 1])), line)
        return line

    def _tables(self, line: int) -> Iterator[tuple[tuple[str, ...], int, int]]:
        """The tables of a repository or of the whole file: name, first line and last line."""
        lines = enumerate(self._lines, 1)
        names = [(n, match["name"]) for n, text in lines if (match := _TABLE.fullmatch(text))]
        last = len(self._lines)
        if not line:
            yield (), 1, names[0][0] - 1 if names else last
        for (start, name), (following, _) in pairwise([*names, (last + 1, "")]):
            parts = tuple(part.strip("'\"") for part in _PART.findall(name))
            if not line:
                yield parts, start, following - 1
            elif start == line or (start > line and len(parts) > 1 and parts[0] == _LIST):
                yield parts[1:], start, following - 1
            elif start > line:
                return


def _outside_texts(text: str) -> Iterator[str]:
    """The lines of a TOML file, those within a text of several lines empty."""
    inside = ""
    for line in text.split("\n"):
        yield "" if inside else line
        rest = "" if line.lstrip().startswith("#") and not inside else line
        while quotes := next((q for q in ([inside] if inside else _QUOTES) if q in rest), ""):
            rest = rest.partition(quotes)[2]
            inside = "" if inside else quotes
