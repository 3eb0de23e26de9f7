"""Times in metadata.json that cannot all be true."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from unlatch.doctor.finding import Finding, Severity
from unlatch.doctor.shape import pointer
from unlatch.increments.files.reading import ACTIVITY_KEYS, COMPLETED_KEYS, CREATED_KEYS
from unlatch.increments.model.status import Status
from unlatch.worklog.times import read_stamp

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from unlatch.increments.model.increment import Increment

# A clock may be a day wrong, and a date alone is a whole day.
_LEEWAY = timedelta(days=1)
_DATE = len("2025-11-01")


def odd_dates(increment: Increment, path: str, *, now: datetime) -> Iterator[Finding]:
    """What is odd about when an increment was made, worked on and completed."""
    created = _Time.of(increment.data, CREATED_KEYS)
    later = (_Time.of(increment.data, ACTIVITY_KEYS), _Time.of(increment.data, COMPLETED_KEYS))
    for time in later:
        if created and time and time.is_before(created):
            message = f"{time.text} is before it was created, {created.text}"
            yield _warning("dates-out-of-order", message, increment, path, time.key)
    for time in (created, *later):
        if time and time.moment > now + _LEEWAY:
            yield _warning(
                "time-in-future", f"{time.text} is yet to come", increment, path, time.key
            )
    completed = later[1]
    if completed and not increment.status.is_finished:
        message = f"it is {increment.status}, and {completed.text} is when it was completed"
        yield _warning("completed-at-left", message, increment, path, completed.key)
    if increment.status is Status.COMPLETED and completed is None:
        yield _warning("completed-at-missing", "when it was completed is not told", increment, path)


class _Time:
    """A time as it stands in the file."""

    def __init__(self, key: str, text: str, moment: datetime) -> None:
        self.key = key
        self.text = text
        self.moment = moment

    @classmethod
    def of(cls, data: Mapping[str, Any], keys: tuple[str, ...]) -> _Time | None:
        found = ((key, data.get(key), read_stamp(data.get(key))) for key in keys)
        return next((cls(key, str(raw), moment) for key, raw, moment in found if moment), None)

    def is_before(self, other: _Time) -> bool:
        """Whether it surely is: a date alone may be any moment of that day."""
        if _DATE in (len(self.text.strip()), len(other.text.strip())):
            return self.moment.date() < other.moment.date()
        return self.moment < other.moment


def _warning(
    name: str, message: str, increment: Increment, path: str, key: str | None = None
) -> Finding:
    where = f"{path}:{pointer([key])}" if key else path
    return Finding(Severity.WARNING, name, message, where, increment=increment.id)
