"""Identifiers in the arguments of tool calls, which a session has as words or as JSON."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

# A text in JSON, and its end, which says whether it is a key; the JSON of a long call is cut.
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)("\s*:|"|)')
_NUMBER = re.compile(r"\d+\.\d+")


def names_in_calls(lines: str, identifiers: Callable[[str], Iterable[str]]) -> Iterator[str]:
    """The identifiers in the arguments of calls, one call a line; no keys and no numbers."""
    for line in lines.split("\n"):
        for words in _texts(line) if line.startswith(("{", "[")) else (line,):
            yield from (
                identifier for identifier in identifiers(words) if not _NUMBER.fullmatch(identifier)
            )


def _texts(line: str) -> Iterator[str]:
    for text, end in _TEXT.findall(line):
        # The last word of a cut text can be half of one.
        whole = text if end else text.rpartition(" ")[0]
        with suppress(ValueError):  # half of an escape
            if not end.endswith(":"):
                yield json.loads(f'"{whole}"')
