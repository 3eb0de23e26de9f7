from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.increments.files.making import NOW, STAMP, Project, metadata, ulid

from unlatch.increments.files.events import append_event, event, read_events, reopened
from unlatch.increments.model.increment import ReopenEntry
from unlatch.increments.model.status import Status

if TYPE_CHECKING:
    from pathlib import Path

REOPEN = ReopenEntry(ulid(5), NOW, "why", Status.COMPLETED, "ada")


def line(number: int, **more: Any) -> str:
    known = {"id": ulid(number), "at": f"2025-11-04T10:00:{number:02}Z", "event": "x", "by": "ada"}
    return json.dumps({**known, **more})


def write(folder: Path, *lines: str, end: str = "\n") -> None:
    (folder / "events.jsonl").write_text("\n".join(lines) + end, encoding="utf-8")


def ids(folder: Path, *reopens: ReopenEntry) -> list[str]:
    return [entry["id"] for entry in read_events(folder, reopens)]


def test_events_come_by_time_and_each_once(tmp_path: Path) -> None:
    write(tmp_path, line(3), line(1), line(2), line(1), line(3))
    assert ids(tmp_path) == [ulid(1), ulid(2), ulid(3)]


def test_events_of_one_second_come_in_the_order_of_their_ids(tmp_path: Path) -> None:
    write(tmp_path, line(2, at=STAMP), line(1, at=STAMP))
    assert ids(tmp_path) == [ulid(1), ulid(2)]


@pytest.mark.parametrize(
    "odd",
    [
        "", " ", "{", line(9)[:-5], "[]", "null", "3", '"x"', "{}", '{"id": 4}', "<<<<<<< ours",
        '{"id": "x", "at": 4, "event": "y"}', '{"id": "x", "at": "y"}', "\ufffd", "\x00",
    ],
)  # fmt: skip
def test_a_line_that_is_no_event_is_passed_over(tmp_path: Path, odd: str) -> None:
    write(tmp_path, line(1), odd, line(2))
    assert ids(tmp_path) == [ulid(1), ulid(2)]


def test_bytes_that_are_no_text_spoil_their_line_alone(tmp_path: Path) -> None:
    raw = f"{line(1)}\n".encode() + b"\xff\xfe{\n" + f"{line(2)}\r\n".encode()
    (tmp_path / "events.jsonl").write_bytes(raw)
    assert ids(tmp_path) == [ulid(1), ulid(2)]


def test_a_torn_last_line_is_closed_before_the_next_event(tmp_path: Path) -> None:
    write(tmp_path, line(1), line(2)[:20], end="")
    append_event(tmp_path, event(ulid(3), "x", at=NOW, by="ada"))
    assert sorted(ids(tmp_path)) == [ulid(1), ulid(3)]
    append_event(tmp_path, event(ulid(4), "x", at=NOW, by="ada"))
    assert len((tmp_path / "events.jsonl").read_text().split("\n")) == 5


def test_without_a_file_there_are_no_events(tmp_path: Path) -> None:
    assert read_events(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_a_reopen_without_a_line_is_derived(tmp_path: Path) -> None:
    assert read_events(tmp_path, [REOPEN]) == [reopened(REOPEN)]
    write(tmp_path, line(6))
    assert ids(tmp_path, REOPEN) == [ulid(5), ulid(6)]


def test_a_reopen_that_has_its_line_is_not_derived(tmp_path: Path) -> None:
    told = {**reopened(REOPEN), "theirs": 1}
    write(tmp_path, json.dumps(told))
    assert read_events(tmp_path, [REOPEN]) == [told]


def test_a_derived_reopen_is_the_event_that_was_lost(project: Project) -> None:
    folder = project.add(metadata())
    after, _ = project.manager.reopen("7", "why", "ada")
    told = read_events(folder)
    (folder / "events.jsonl").unlink()
    assert read_events(folder, after.reopens) == told


def test_details_that_are_none_are_left_out() -> None:
    found = event(ulid(1), "x", at=NOW, by="ada", kind="reopen", reason=None, id="y")
    assert found == {"id": "y", "at": STAMP, "event": "x", "by": "ada", "kind": "reopen"}


@pytest.mark.parametrize(
    "text", ["a\nb", "a\u2028b\u2029c\x85d", "\ud800", "\x00\x1b", "漢 🎉", '"}{']
)
def test_an_event_is_one_line_whatever_it_says(tmp_path: Path, text: str) -> None:
    told = event(ulid(1), "x", at=NOW, by=text, reason=text)
    append_event(tmp_path, told)
    append_event(tmp_path, event(ulid(2), "x", at=NOW, by="ada"))
    assert (tmp_path / "events.jsonl").read_bytes().count(b"\n") == 2
    assert read_events(tmp_path)[0] == told
