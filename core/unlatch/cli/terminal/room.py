"""The room that a terminal has for a menu."""

from __future__ import annotations

import os
import sys

# One line for the keys, one for the question, and two rows.
_LEAST_LINES = 4


def has_room() -> bool:
    """Whether the terminal is high enough for a menu; one without a size may be."""
    return not 0 < os.get_terminal_size(sys.stderr.fileno()).lines < _LEAST_LINES
