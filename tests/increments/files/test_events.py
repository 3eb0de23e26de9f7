"""events.jsonl of increments; tests/worklog has the rules of every log."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.changes import reopen
from tests.increments.files.making import NOW, Project, metadata, ulid

from unlatch.increments.model.increment import ReopenEntry
from unlatch.increments.model.status import Status
from unlatch.increments.records.events import read_events, reopened_event
from unlatch.increments.records.status_events import LOG

if TYPE_CHECKING:
    from pathlib import Path

REOPEN = ReopenEntry(ulid(5), NOW, "why", Status.COMPLETED, "ada")


def test_a_reopen_without_a_line_is_derived(tmp_path: Path) -> None:
    assert read_events(tmp_path, [REOPEN]) == [reopened_event(REOPEN)]
    late = {"id": ulid(6), "at": "2199-01-01T00:00:00Z", "event": "x"}
    (tmp_path / LOG.name).write_text(json.dumps(late))
    assert [event.id for event in read_events(tmp_path, [REOPEN])] == [ulid(5), ulid(6)]


def test_a_reopen_that_has_its_line_is_not_derived(tmp_path: Path) -> None:
    told = {**LOG.entry(reopened_event(REOPEN)), "theirs": 1}
    (tmp_path / LOG.name).write_text(json.dumps(told))
    assert [told] == [LOG.entry(event) for event in read_events(tmp_path, [REOPEN])]


def test_a_derived_reopen_is_the_event_that_was_lost(project: Project) -> None:
    folder = project.add(metadata())
    after, _ = reopen(project.manager, "7", "why", "ada")
    told = read_events(folder)
    (folder / LOG.name).unlink()
    assert read_events(folder, after.reopens) == told


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
