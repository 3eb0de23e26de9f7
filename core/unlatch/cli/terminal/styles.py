"""Signs and styles of text on a terminal."""

import os
import sys
from functools import partial
from typing import IO

from unlatch.patterns import pattern

# Part of each of our styles, so that text from outside cannot contain one.
_KEY = int.from_bytes(os.urandom(8), "big")
STYLE = pattern(rf"\x1b\[(\d+);{_KEY}m")
_RESET, _BOLD, _DIM, _RED, _GREEN, _YELLOW = 0, 1, 2, 31, 32, 33
_SIGNS = {
    "ok": ("✓", "OK"),
    "no": ("✗", "FAILED"),
    "wait": ("…", "..."),
    "arrow": ("→", "->"),
    "bar": ("█", "#"),
}


def sign(name: str, stream: IO[str] | None = None) -> str:
    """A sign, or its words where the stream cannot encode it."""
    rich, plain = _SIGNS[name]
    try:
        rich.encode(getattr(stream or sys.stdout, "encoding", None) or "ascii")
    except UnicodeEncodeError:
        return plain
    return rich


def _styled(text: str, style: int) -> str:
    return f"\x1b[{style};{_KEY}m{text}\x1b[{_RESET};{_KEY}m"


# Text for success, failure and attention; faint and strong text.
good = partial(_styled, style=_GREEN)
bad = partial(_styled, style=_RED)
warn = partial(_styled, style=_YELLOW)
faint = partial(_styled, style=_DIM)
strong = partial(_styled, style=_BOLD)
