"""Times are ISO 8601 in UTC, whole seconds, written with a Z."""

from datetime import UTC, datetime


def stamp(moment: datetime) -> str:
    """`moment` as written to files: 2025-11-01T09:00:00Z."""
    return f"{moment.astimezone(UTC).isoformat()[:19]}Z"


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
