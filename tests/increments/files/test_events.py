"""events.jsonl of increments; tests/worklog has the rules of every log."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.changes import reopen, transition
from tests.increments.files.making import NOW, STAMP, Project, metadata, ulid

from unlatch.increments.model.increment import ReopenEntry
from unlatch.increments.model.status import Status
from unlatch.increments.records.events import read_events, reopened_event
from unlatch.increments.records.status_events import LOG
from unlatch.worklog.disk.file_check import LARGEST

if TYPE_CHECKING:
    from pathlib import Path

REOPEN = ReopenEntry(ulid(5), NOW, "why", Status.COMPLETED, "ada")


def test_a_reopen_is_derived_unless_it_has_its_line(tmp_path: Path) -> None:
    assert read_events(tmp_path, [REOPEN]) == [reopened_event(REOPEN)]
    late = {"id": ulid(6), "at": "2199-01-01T00:00:00Z", "event": "x"}
    (tmp_path / LOG.name).write_text(json.dumps(late))
    assert [event.id for event in read_events(tmp_path, [REOPEN])] == [ulid(5), ulid(6)]
    told = {**LOG.entry(reopened_event(REOPEN)), "theirs": 1}
    (tmp_path / LOG.name).write_text(json.dumps(told))
    assert [told] == [LOG.entry(event) for event in read_events(tmp_path, [REOPEN])]


def test_a_derived_reopen_is_the_event_that_was_lost(project: Project) -> None:
    folder = project.add(metadata())
    after, _ = reopen(project.manager, "7", "why", "ada")
    told = read_events(folder)
    (folder / LOG.name).unlink()
    assert read_events(folder, after.reopens) == told


def kept_event(number: int) -> dict[str, Any]:
    return {"id": ulid(number), "at": STAMP, "event": "note", "by": "ada", "theirs": number}


@pytest.mark.parametrize(
    ("kept", "left"),
    [
        ([[5], kept_event(5), {"a": 1}], [[5], {"a": 1}]),
        ([[5]], [[5]]),
        ({"a": 1}, {"a": 1}),
        ("text", "text"),
        ([kept_event(5), kept_event(6)], None),
    ],
)
def test_a_change_writes_the_kept_events_and_leaves_what_is_no_event(
    project: Project, kept: object, left: object
) -> None:
    folder = project.add(metadata(unwrittenEvents=kept))
    reopen(project.manager, "7", "why", "ada")
    transition(project.manager, "7", Status.PAUSED, by="ada")

    assert left == json.loads((folder / "metadata.json").read_bytes()).get("unwrittenEvents")
    written = [LOG.entry(one) for one in LOG.read(folder)]
    events = kept if isinstance(kept, list) else []
    assert [one for one in events if "id" in one] == [one for one in written if "theirs" in one]


@pytest.mark.parametrize("kept", [[[5]], "text"])
def test_an_event_that_finds_no_room_is_kept_beside_what_is_no_event(
    project: Project, kept: object
) -> None:
    folder = project.add(metadata(status="active", unwrittenEvents=kept))
    with (folder / LOG.name).open("wb") as file:
        file.truncate(LARGEST)

    transition(project.manager, "7", Status.PAUSED, by="ada")

    *others, event = json.loads((folder / "metadata.json").read_bytes())["unwrittenEvents"]
    assert kept == (others if isinstance(kept, list) else others[0])
    assert ("transitioned", "paused") == (event["event"], event["to"])


def test_a_log_knows_types_of_events_that_nothing_has_imported() -> None:
    script = """
import sys
from unlatch.increments.records.status_events import LOG
print(type(LOG.parse(sys.argv[1])).__name__, *LOG.types)
"""
    line = '{"id": "1", "at": "2026-01-05T10:00:00Z", "event": "linked", "by": "me"}'
    command = [sys.executable, "-c", script, line]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert ["Linked", *LOG.types] == done.stdout.split()
