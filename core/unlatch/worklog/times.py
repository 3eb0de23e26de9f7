"""Times are ISO 8601 in UTC, whole seconds, written with a Z."""

from datetime import UTC, datetime

_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def stamp(moment: datetime) -> str:
    """`moment` as written to files: 2025-11-01T09:00:00Z."""
    return f"{moment.astimezone(UTC).isoformat()[:19]}Z"


def exact_stamp(moment: datetime) -> str:
    """`moment` with its fraction of a second, for a time that is compared with a later one."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def read_stamp(raw: object) -> datetime | None:
    """The moment that `raw` names, in any spelling seen in real files; None if it names none.

    A date alone is the start of that day in UTC, and so is a time without a zone.
    """
    if not isinstance(raw, str):
        return None
    try:
        moment = datetime.fromisoformat(raw.strip())
        if moment.tzinfo is UTC:
            return moment
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def duration(seconds: float) -> str:
    """A duration in the largest unit that fits: 1 day, 2.5 hours."""
    size, unit = next((unit_size for unit_size in _UNITS if seconds >= unit_size[0]), _UNITS[-1])
    number = f"{round(seconds / size, 1):g}"
    return f"{number} {unit}{'' if number == '1' else 's'}"
