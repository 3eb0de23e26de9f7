"""The options for a period, as times or as lengths of time before now."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

from unlatch.errors import UsageError
from unlatch.worklog.times import read_stamp

if TYPE_CHECKING:
    from datetime import datetime

_AGO = re.compile(r"([0-9]{1,5})([hdw])")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_END_OF_DAY = timedelta(days=1, microseconds=-1)


def read_since(given: str, now: datetime) -> datetime:
    """The start of a period: 2025-11-01, 2025-11-01T09:00:00Z, or 30d for 30 days ago.

    Raises:
        UsageError: `time-unknown`.
    """
    return _moment(given, now, option="--since")


def read_until(given: str, now: datetime) -> datetime:
    """The end of a period, which a day is part of; raises as `read_since`."""
    end = _moment(given, now, option="--until")
    return end + _END_OF_DAY if _DAY.fullmatch(given.strip()) else end


def _moment(given: str, now: datetime, *, option: str) -> datetime:
    if found := _AGO.fullmatch(given.strip()):
        return now - int(found[1]) * _UNITS[found[2]]
    if (moment := read_stamp(given)) is not None:
        return moment
    raise UsageError(
        "time-unknown",
        f"{option} {given!r} is neither a time nor a number of days",
        hint=f"{option} 2025-11-01, {option} 2025-11-01T09:00:00Z, or {option} 30d (also h, w)",
    )
