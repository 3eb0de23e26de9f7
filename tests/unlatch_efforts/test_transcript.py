import json
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlatch.errors import StoreError
from unlatch.project.workspace import utc_now
from unlatch.worklog.disk.file_check import UnsafePath
from unlatch.worklog.ids import new_ulid
from unlatch_efforts.events import EVENTS
from unlatch_efforts.store import LOG, EffortStore
from unlatch_efforts.transcript import Author, Transcript
from unlatch_efforts.verify import verify

WORDS = ["one", "two", "three", "four", "five"]


def said(content: str) -> dict[str, Any]:
    return {"role": "user", "content": content}


@pytest.fixture
def transcript(store: EffortStore) -> Transcript:
    """The log of an effort with five lines, two of them written at once."""
    store.open("auth-bug")
    found = store.transcript("auth-bug")
    for word in WORDS[:3]:
        found.append(said(word))
    found.append(*map(said, WORDS[3:]))
    return found


def contents(transcript: Transcript) -> list[str]:
    return [line["content"] for line in transcript.read()]


def problems(transcript: Transcript) -> list[tuple[str, int, str]]:
    return [(one.file, one.line, one.kind) for one in verify(transcript)]


def edit(path: Path, change: Callable[[list[bytes]], list[bytes]]) -> None:
    path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))


@pytest.mark.parametrize(
    ("name", "change", "expected"),
    [
        (LOG, lambda lines: [one.replace(b"three", b"3") for one in lines], [(3, "changed")]),
        (LOG, lambda lines: lines[:1] + lines[2:], [(2, "missing")]),
        (LOG, lambda lines: lines[:3], [(4, "missing"), (5, "missing")]),
        (LOG, lambda lines: [*lines[:3], lines[4], lines[3]], [(4, "moved")]),
        (LOG, lambda lines: [*lines[:2], b'{"role":"user"}\n', *lines[2:]], [(3, "added")]),
        (LOG, lambda lines: [*lines, b'{"role":"user"}\n'], [(6, "unrecorded")]),
        (
            EVENTS.name,
            lambda lines: [lines[0].replace(b"-bug", b"-fix"), *lines[1:]],
            [(1, "changed")],
        ),
    ],
)
def test_what_others_did_to_a_file_is_found(
    transcript: Transcript,
    name: str,
    change: Callable[[list[bytes]], list[bytes]],
    expected: list[tuple[int, str]],
) -> None:
    edit(transcript.folder / name, change)
    assert [(name, *problem) for problem in expected] == problems(transcript)


def test_a_removed_event_is_found(transcript: Transcript) -> None:
    edit(transcript.folder / EVENTS.name, lambda lines: [lines[0], *lines[2:]])
    assert (EVENTS.name, 1, "changed") in problems(transcript)


def test_a_log_that_lost_its_end_takes_no_more_lines(transcript: Transcript) -> None:
    edit(transcript.folder / LOG, lambda lines: lines[:3])
    with pytest.raises(StoreError, match="effort-damaged"):
        transcript.append(said("six"))


@pytest.mark.parametrize("name", [LOG, EVENTS.name])
def test_a_torn_file_with_another_name_is_left_as_it_is(
    transcript: Transcript, tmp_path: Path, name: str
) -> None:
    path = transcript.folder / name
    path.write_bytes(path.read_bytes() + b'{"torn')
    (tmp_path / "outside").hardlink_to(path)
    before = path.read_bytes()
    with pytest.raises(UnsafePath, match="hard link"):
        transcript.append(said("six"))
    assert (tmp_path / "outside").read_bytes() == before
    assert not list(transcript.folder.glob("*.cut-*"))


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.sweep)])
@pytest.mark.parametrize("name", [LOG, EVENTS.name])
def test_whatever_a_crash_leaves_of_the_last_write_the_next_one_goes_on(
    transcript: Transcript, name: str, step: int
) -> None:
    path = transcript.folder / name
    others = {one: one.read_bytes() for one in transcript.folder.iterdir()}
    before = path.read_bytes()
    transcript.append(said("torn"))
    whole = path.read_bytes()
    log_after = (transcript.folder / LOG).read_bytes()
    for cut in range(len(before), len(whole), step):
        for one in transcript.folder.iterdir():
            one.unlink()
        for one, content in others.items():
            one.write_bytes(content)
        # The event comes after the line, so the line is there when the event is cut.
        (transcript.folder / LOG).write_bytes(log_after)
        path.write_bytes(whole[:cut])
        transcript.append(said("next"))
        read = contents(transcript)
        assert read in ([*WORDS, "next"], [*WORDS, "torn", "next"])
        assert problems(transcript) == []
        assert (transcript.folder / LOG).read_bytes().startswith(others[transcript.folder / LOG])
        kept = b"".join(one.read_bytes() for one in transcript.folder.glob("*.cut-*"))
        assert kept == b"" or whole[:cut].endswith(kept)


def test_lines_that_a_dead_process_left_are_recorded_as_recovered(transcript: Transcript) -> None:
    with (transcript.folder / LOG).open("ab") as file:
        file.write(b'{"role":"user","content":"left"}\n')
    transcript.append(said("next"))
    events = [json.loads(line) for line in transcript.lines(EVENTS.name)]
    assert [event.get("recovered", False) for event in events[-2:]] == [True, False]
    assert problems(transcript) == []


def test_two_processes_that_write_at_once_lose_nothing(transcript: Transcript) -> None:
    children = []
    for name in "abcd":
        child = os.fork()
        if child == 0:
            try:
                for number in range(10):
                    transcript.append(said(f"{name}{number}"))
            finally:
                os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    added = contents(transcript)[len(WORDS) :]
    assert sorted(added) == sorted(f"{name}{number}" for name in "abcd" for number in range(10))
    assert [one for one in added if one[0] == "a"] == [f"a{number}" for number in range(10)]
    assert problems(transcript) == []


def test_a_second_reopen_after_a_crash_has_its_separator_once(
    store: EffortStore, transcript: Transcript
) -> None:
    store.conclude("auth-bug", "done")
    store.reopen("auth-bug")
    log = transcript.folder / LOG
    edit(log, lambda lines: lines[:-1])  # as if it had died between the event and the line
    edit(transcript.folder / EVENTS.name, lambda lines: lines[:-1])
    transcript.append(said("on"))
    assert contents(transcript) == [*WORDS, "--- Effort reopened ---", "on"]


@given(st.lists(st.text(max_size=20), min_size=1, max_size=5))
def test_any_text_comes_back_as_it_was(texts: list[str]) -> None:
    with TemporaryDirectory() as place:
        found = Transcript(Path(place), LOG, Author("ada", utc_now, new_ulid))
        found.append(*map(said, texts))
        assert contents(found) == texts
        assert verify(found) == []
