"""ULIDs of intents, and the numbers that increments go by."""

from __future__ import annotations

import os
import re
import time
from _thread import allocate_lock  # without the rest of `threading`
from typing import TYPE_CHECKING

from unlatch.patterns import pattern

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

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
    return _spelled(value)


def derived_ulid(at: datetime, facts: Sequence[object]) -> str:
    """The ULID that follows from facts: the same on every machine.

    Args:
        at: the time part, with a time zone; never a clock of the machine that asks.
        facts: JSON values; their digest is in place of the random bits.
    """
    moment = min(max(0, int(at.timestamp() * 1000)), (1 << 48) - 1)
    return _spelled(moment << 80 | _digest(facts))


def following_ulid(ulid: str, facts: Sequence[object]) -> str:
    """The ULID that follows from another one, with its time part, and from facts."""
    return ulid[:10] + _spelled(_digest([ulid, *facts]))[10:]


def _digest(facts: Sequence[object]) -> int:
    """80 bits of a digest of JSON values."""
    import json  # noqa: PLC0415  (for operations alone)

    from unlatch.worklog.digests import sha256  # noqa: PLC0415

    text = json.dumps(facts, ensure_ascii=False, separators=(",", ":"))
    return int(sha256(text.encode("utf-8", "surrogatepass"))[:20], 16)


def _spelled(value: int) -> str:
    return "".join(ULID_DIGITS[value >> shift & 31] for shift in range(125, -1, -5))


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
