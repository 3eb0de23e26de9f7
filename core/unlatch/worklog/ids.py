"""ULIDs of intents, and the numbers that increments go by."""

from __future__ import annotations

import re

ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
# Nine digits are more than any project has, and far from where int() refuses.
FOLDER = re.compile(r"(?P<number>[0-9]{3,9})-(?P<slug>.+)")
NUMBER = re.compile(r"[0-9]{1,9}")


def is_ulid(text: str) -> bool:
    """Whether `text` is a ULID in its canonical spelling."""
    return ULID.fullmatch(text) is not None


def number_of(folder: str) -> int | None:
    """The number that a folder's name begins with; None if it is not an increment's folder."""
    match = FOLDER.fullmatch(folder)
    return int(match["number"]) if match else None


def matches(folder: str, wanted: str) -> bool:
    """Whether `wanted` (7, 0007 or the folder's name) means the increment in `folder`."""
    if wanted == folder:
        return True
    return NUMBER.fullmatch(wanted) is not None and number_of(folder) == int(wanted)
