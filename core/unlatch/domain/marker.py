"""The marker that an operation leaves on an item, so that it is never done twice.

The marker holds the operation's ULID and nothing else. Where the tracker keeps comments hidden in
its markup it is invisible; elsewhere it is a short last line that people can read.
"""

from __future__ import annotations

import re

_MARKER = re.compile(r"unlatch(?::op=| ref )([0-7][0-9A-HJKMNP-TV-Z]{25})")


def hidden(op: str) -> str:
    """The marker as an HTML comment, for Markdown."""
    return f"<!-- unlatch:op={op} -->"


def visible(op: str) -> str:
    """The marker as words, for formats that may drop hidden text."""
    return f"unlatch ref {op}"


def ops_in(text: str) -> frozenset[str]:
    """The operations whose markers `text` carries, in either spelling."""
    return frozenset(_MARKER.findall(text))
