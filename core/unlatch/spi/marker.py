"""The marker that an operation leaves on an item, so that it is never done twice.

The marker holds the operation's ULID and nothing else. Where the tracker keeps comments hidden in
its markup it is invisible; elsewhere it is a short last line that people can read.
"""

from __future__ import annotations

import re

_MARKER = re.compile(r"unlatch(?::op=| ref )([0-7][0-9A-HJKMNP-TV-Z]{25})")
# Trackers fold white space, so a marker may come about where there was none.
_LIKE_A_MARKER = re.compile(r"unlatch(?=(?::op=|\s+ref\s+)[0-7][0-9A-HJKMNP-TV-Z]{25})")


def hidden(op: str) -> str:
    """The marker as an HTML comment, for Markdown."""
    return f"<!-- unlatch:op={op} -->"


def visible(op: str) -> str:
    """The marker as words, for formats that may drop hidden text."""
    return f"unlatch ref {op}"


def ops_in(text: str) -> frozenset[str]:
    """The operations whose markers `text` carries, in either spelling."""
    return frozenset(_MARKER.findall(text))


def defused(text: str) -> str:
    """`text` without markers: what people quote or make up must not pass for a delivery.

    A zero-width space in the middle changes nothing that can be seen.
    """
    return _LIKE_A_MARKER.sub("un\u200blatch", text)
