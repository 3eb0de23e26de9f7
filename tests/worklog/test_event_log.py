"""Logs of typed events, their statuses and times."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlatch.worklog.event_log import LONGEST_LINE, Event, EventLog, OtherEvent
from unlatch.worklog.lifecycle import Lifecycle
from unlatch.worklog.record import FLAG, TEXT, WORDS, key, record
from unlatch.worklog.times import read_stamp, stamp

NOW = datetime(2025, 11, 4, 10, tzinfo=UTC)
LOG = EventLog("log.jsonl")


@LOG.event("noted")
@record
class Noted(Event):
    """A type that a kind of work registers."""

    text: str = key(TEXT)
    is_done: bool = key(FLAG, "done")
    words: tuple[str, ...] = key(WORDS, default=())
    why: str | None = key(TEXT, default=None)


def ulid(number: int) -> str:
    return f"01JB{number:022d}"


def noted(number: int = 1, **more: Any) -> Noted:
    return Noted(
        **{"id": ulid(number), "at": NOW, "by": "ada", "text": "t", "is_done": True, **more}
    )


def line(number: int, **more: Any) -> str:
    known = {"id": ulid(number), "at": f"2025-11-04T10:00:{number:02}Z", "event": "x", "by": "ada"}
    return json.dumps({**known, **more})


def write(folder: Path, *lines: str, end: str = "\n") -> None:
    (folder / LOG.name).write_text("\n".join(lines) + end, encoding="utf-8")


def ids(folder: Path) -> list[str]:
    return [event.id for event in LOG.read(folder)]


def test_events_come_by_time_then_line_and_each_once(tmp_path: Path) -> None:
    assert LOG.read(tmp_path) == []
    assert list(tmp_path.iterdir()) == []
    write(tmp_path, line(3), line(1), line(2), line(1), line(3))
    assert ids(tmp_path) == [ulid(1), ulid(2), ulid(3)]
    write(tmp_path, line(2, at="2025-11-04T10:00:00Z"), line(1, at="2025-11-04T10:00:00Z"))
    assert ids(tmp_path) == [ulid(2), ulid(1)]


@pytest.mark.parametrize("word", ["noted", "x"])
def test_events_without_a_ulid_are_all_kept(tmp_path: Path, word: str) -> None:
    odd = [line(number, id="1", event=word, text=f"t{number}") for number in (2, 1, 1)]
    write(tmp_path, *odd, line(3))
    assert [event.at.second for event in LOG.read(tmp_path)] == [1, 2, 3]


@pytest.mark.parametrize(
    "odd",
    [
        "{", line(9)[:-5], "[]", "null", "3", '"x"', "{}", '{"id": 4}', "<<<<<<< ours",
        '{"id": "x", "at": 4, "event": "y"}', '{"id": "x", "at": "y"}', "\ufffd", "\x00",
        line(9, at="yesterday"), line(9, event=None), line(9, x="x" * LONGEST_LINE),
    ],
)  # fmt: skip
def test_a_line_that_is_no_event_is_passed_over_and_counted(tmp_path: Path, odd: str) -> None:
    write(tmp_path, line(1), odd, "", " ", line(2))
    assert (ids(tmp_path), LOG.lost_lines(tmp_path)) == ([ulid(1), ulid(2)], 1)


@pytest.mark.parametrize(
    ("between", "lost"), [("\n\ufeff".encode(), 0), (b"\n\xff\xfe{\n", 1), (b"\r\n", 0)]
)
def test_odd_bytes_spoil_their_line_alone(tmp_path: Path, between: bytes, lost: int) -> None:
    raw = "\ufeff".encode() + line(1).encode() + between + line(2).encode()
    (tmp_path / LOG.name).write_bytes(raw)
    assert (ids(tmp_path), LOG.lost_lines(tmp_path)) == ([ulid(1), ulid(2)], lost)


def test_a_torn_last_line_is_closed_before_the_next_event(tmp_path: Path) -> None:
    write(tmp_path, line(1), line(2)[:20], end="")
    LOG.append(tmp_path, noted(3))
    assert sorted(ids(tmp_path)) == [ulid(1), ulid(3)]
    LOG.append(tmp_path, noted(4))
    assert len((tmp_path / LOG.name).read_text().split("\n")) == 5


def test_what_this_version_does_not_know_survives(tmp_path: Path) -> None:
    known, unknown = json.loads(line(1, event="noted", theirs=[1])), json.loads(line(2, deep={}))
    write(tmp_path, json.dumps(known), json.dumps(unknown))
    first, second = LOG.read(tmp_path)
    assert [known, unknown] == [LOG.entry(first), LOG.entry(second)]
    assert isinstance(second, OtherEvent)
    assert (second.word, LOG.word(first)) == ("x", "noted")


def test_a_value_that_cannot_be_read_costs_no_other_value(tmp_path: Path) -> None:
    write(tmp_path, line(1, event="noted", by=4, text=None, done="yes", words=3, why="w"))
    (found,) = LOG.read(tmp_path)
    assert found == noted(at=NOW.replace(second=1), by="", text="", is_done=False, why="w")


@pytest.mark.parametrize(
    "text", ["a\nb", "a\u2028b\u2029c\x85d", "\ud800", "\x00\x1b", "漢 🎉", '"}{']
)
def test_an_event_is_one_line_whatever_it_says(tmp_path: Path, text: str) -> None:
    told = noted(1, by=text, why=text)
    LOG.append(tmp_path, told, noted(2))
    assert (tmp_path / LOG.name).read_bytes().count(b"\n") == 2
    assert told in LOG.read(tmp_path)


TABLE = Lifecycle(
    moves={
        "open": frozenset({"done", "dropped"}),
        "done": frozenset({"open"}),
        "dropped": frozenset({"open"}),
    },
    closed=frozenset({"done", "dropped"}),
    reopened=frozenset({"done"}),
)


NINE = datetime(2025, 11, 1, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("raw", "moment"),
    [
        ("2025-11-01T09:00:00Z", NINE),
        ("2025-11-01T09:00:00.250Z", NINE + timedelta(milliseconds=250)),
        ("2025-11-01T11:00:00+02:00", NINE),
        ("2025-11-01T09:00:00", NINE),
        (" 2025-11-01T09:00:00Z ", NINE),
        ("2025-11-01", NINE.replace(hour=0)),
        ("0001-01-01T00:00:00+14:00", None),
        ("2025-02-30", None),
        ("yesterday", None),
        (None, None),
        (True, None),
        ({}, None),
    ],
)
def test_reads_the_times_of_real_files(raw: object, moment: datetime | None) -> None:
    assert read_stamp(raw) == moment


@given(st.datetimes(min_value=datetime(1000, 1, 2), timezones=st.just(UTC)))  # noqa: DTZ001
def test_what_is_written_is_read_again(moment: datetime) -> None:
    assert read_stamp(stamp(moment)) == moment.replace(microsecond=0)


@given(st.text())
def test_no_text_is_too_odd_to_be_read(raw: str) -> None:
    moment = read_stamp(raw)
    assert moment is None or moment.tzinfo is UTC
