"""The marker that an operation leaves on an item, so that it is never done twice.

It holds the operation's ULID alone. If the tracker's markup has hidden comments it is invisible,
otherwise a short last line.
"""

import re

_MARKER = re.compile(r"unlatch(?::op=| ref )([0-7][0-9A-HJKMNP-TV-Z]{25})")
# Trackers fold white space, which may turn other text into a marker.
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
    """`text` with invalidated markers, so that a quoted one does not count as a delivery.

    The zero-width space inserted is invisible.
    """
    return _LIKE_A_MARKER.sub("un\u200blatch", text)
