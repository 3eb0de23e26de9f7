"""The options for a period, as times or as lengths of time before now."""

import re
from datetime import date, datetime, timedelta
from shlex import quote

from unlatch.errors import UsageError
from unlatch.worklog.times import read_stamp

_AGO = re.compile(r"([0-9]{1,5})([hdw])")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_END_OF_DAY = timedelta(days=1, microseconds=-1)


def read_period(
    since: str | None, until: str | None, now: datetime, *, command: str = "history --all"
) -> tuple[datetime | None, datetime | None]:
    """A period, which the day of its end is part of.

    Each end is 2025-11-01, 2025-11-01T09:00:00Z, or 30d for 30 days ago.

    Raises:
        UsageError: `time-unknown`, or `period-reversed` if it ends before it begins.
    """
    start = None if since is None else _moment(since, now, option="--since")
    end = None if until is None else _moment(until, now, option="--until")
    if until is not None and end is not None and _is_day(until):
        end += _END_OF_DAY
    if since and until and start and end and end < start:
        raise UsageError(
            "period-reversed",
            f"--until {until} is before --since {since}",
            hint=f"unlatch {command} --since {quote(until.strip())} --until {quote(since.strip())}",
        )
    return start, end


def _is_day(given: str) -> bool:
    try:
        date.fromisoformat(given.strip())
    except ValueError:
        return False
    return True


def _moment(given: str, now: datetime, *, option: str) -> datetime:
    if match := _AGO.fullmatch(given.strip()):
        return now - int(match[1]) * _UNITS[match[2]]
    if (moment := read_stamp(given)) is not None:
        return moment
    raise UsageError(
        "time-unknown",
        f"{option} {given!r} is neither a time nor a number of days",
        hint=f"{option} 2025-11-01, {option} 2025-11-01T09:00:00Z, or {option} 30d (also h, w)",
    )
