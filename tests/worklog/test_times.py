from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlatch.worklog.times import read_stamp, stamp

NINE = datetime(2025, 11, 1, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("raw", "moment"),
    [
        ("2025-11-01T09:00:00Z", NINE),
        ("2025-11-01T09:00:00.000Z", NINE),
        ("2025-11-01T09:00:00.250Z", NINE + timedelta(milliseconds=250)),
        ("2025-11-01T11:00:00+02:00", NINE),
        ("2025-11-01T09:00:00", NINE),
        ("2025-11-01 09:00", NINE),
        (" 2025-11-01T09:00:00Z ", NINE),
        ("2025-11-01", NINE.replace(hour=0)),
        ("0001-01-01T00:00:00+14:00", None),
        ("9999-12-31T23:59:59-14:00", None),
        ("2025-02-30", None),
        ("yesterday", None),
        ("", None),
        (None, None),
        (True, None),
        (20251101, None),
        ({}, None),
    ],
)
def test_reads_the_times_of_real_files(raw: object, moment: datetime | None) -> None:
    assert read_stamp(raw) == moment


def test_writes_utc_in_whole_seconds() -> None:
    there = timezone(timedelta(hours=-3, minutes=-30))
    assert stamp(datetime(2025, 11, 1, 5, 30, 7, 999_999, there)) == "2025-11-01T09:00:07Z"


@given(st.datetimes(min_value=datetime(1000, 1, 2), timezones=st.just(UTC)))  # noqa: DTZ001
def test_what_is_written_is_read_again(moment: datetime) -> None:
    assert read_stamp(stamp(moment)) == moment.replace(microsecond=0)


@given(st.text())
def test_no_text_is_too_odd_to_be_read(raw: str) -> None:
    moment = read_stamp(raw)
    assert moment is None or moment.tzinfo is UTC
