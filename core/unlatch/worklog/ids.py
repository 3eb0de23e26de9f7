"""ULIDs of intents, and the numbers that increments go by."""

import os
import re
import time
from _thread import allocate_lock  # without the rest of `threading`

from unlatch.patterns import pattern

ULID = pattern(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
# Nine digits are more than any project has, and far below the limit of int(). SpecWeave adds a
# letter to the numbers of imported work (0024G).
LAST_NUMBER = 999_999_999
FOLDER = pattern(r"(?P<number>[0-9]{3,9})(?P<letter>[A-Za-z]?)-(?P<slug>.+)")
ULID_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
NUMBER = pattern(r"(?P<number>[0-9]{1,9})(?P<letter>[A-Za-z]?)", re.ASCII)

_MAKING = allocate_lock()
_last = [0]  # the value of the last ULID


def is_ulid(text: str) -> bool:
    """Whether `text` is a ULID in its canonical spelling."""
    return ULID.fullmatch(text) is not None


def new_ulid(at: float | None = None) -> str:
    """A new ULID of now, or of `at` seconds since 1970: milliseconds, and 80 random bits.

    Those that a process makes in one millisecond ascend: https://github.com/ulid/spec. They differ
    by a random number, not by one, because a forked process continues from the same ULID.
    """
    moment = int((time.time() if at is None else at) * 1000)
    with _MAKING:
        value = moment << 80 | int.from_bytes(os.urandom(10))
        if moment == _last[0] >> 80:
            value = _last[0] + 1 + int.from_bytes(os.urandom(8))
        _last[0] = value
    return "".join(ULID_DIGITS[value >> shift & 31] for shift in range(125, -1, -5))


def ulid_time(ulid: str) -> float:
    """The time in a ULID, in seconds since 1970, by the clock that made it."""
    return (
        sum(ULID_DIGITS.index(digit) << 5 * place for place, digit in enumerate(ulid[9::-1])) / 1000
    )


def has_number(folder: str) -> bool:
    """Whether a folder's name begins with a number, as an increment's does."""
    return FOLDER.fullmatch(folder) is not None


def number_of(folder: str) -> int | None:
    """The number that a folder's name begins with; None if it is not an increment's folder."""
    label = label_of(folder)
    return label[0] if label else None


def label_of(folder: str) -> tuple[int, str] | None:
    """The number of a folder and the letter behind it, in capitals; the letter may be empty."""
    match = FOLDER.fullmatch(folder)
    return (int(match["number"]), match["letter"].upper()) if match else None
