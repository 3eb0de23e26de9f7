"""Projects to measure: real increments if available, else generated ones of the same shapes."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

UNLATCH = str(Path(sys.executable).with_name("unlatch"))
CORPUS = "UNLATCH_CORPUS"
ACTIVE, ARCHIVED = 10, 41

DAY = "2025-11-01T08:00:00.000Z"
_USUAL_SPEC = 19  # blocks of six lines; 10 kB
_TASK = "- [x] **T-{:03d}**: what was asked for is done, and what was there is as it was before\n"
_TASKS = "# Tasks\n\n" + "".join(_TASK.format(number) for number in range(365))


@contextmanager
def with_increments() -> Iterator[tuple[Path, str]]:
    """A project with 51 increments, and their description."""
    with tempfile.TemporaryDirectory(prefix="unlatch-bench-") as folder:
        root = Path(folder)
        corpus = os.environ.get(CORPUS)
        if corpus:
            source = Path(corpus) / "specweave" / ".specweave"
            shutil.copytree(source, root / ".specweave")
        else:
            _make_increments(root / ".specweave" / "increments")
        yield root, "51 real increments" if corpus else "51 generated increments"


@contextmanager
def with_many_increments(count: int) -> Iterator[tuple[Path, Path]]:
    """A project with `count` increments of the usual sizes, and their folder.

    The median metadata.json has 0.45 kB (one in ten has 1.8 kB or more), spec.md 10 kB, tasks.md
    31 kB. Three in ten have links. The first four fifths are completed and archived, the rest is
    active.
    """
    with tempfile.TemporaryDirectory(prefix="unlatch-bench-") as folder:
        root = Path(folder)
        increments = root / ".specweave" / "increments"
        tasks = root / "tasks.md"
        tasks.write_text(_TASKS, encoding="utf-8")
        for number in range(1, count + 1):
            name = f"{number:04d}-something-to-be-done"
            is_archived = number <= count * 4 // 5
            place = (increments / "_archive" if is_archived else increments) / name
            metadata = _usual(number) if is_archived else {**_usual(number), "status": "active"}
            write_increment(place, {"id": name, **metadata}, _spec(name, _USUAL_SPEC))
            os.link(tasks, place / "tasks.md")  # one file for all, to save disk space
        yield root, increments


def write_increment(folder: Path, metadata: dict[str, Any], spec: str) -> None:
    """Write the files of an increment."""
    folder.mkdir(parents=True)
    (folder / "metadata.json").write_text(json.dumps(metadata, indent=2), encoding="utf-8")
    (folder / "spec.md").write_text(spec, encoding="utf-8")


def _make_increments(increments: Path, count: int = ACTIVE + ARCHIVED) -> None:
    """Write increments; the same share as in the real project is archived."""
    for number in range(1, count + 1):
        name = f"{number:04d}-something-to-be-done"
        is_archived = number <= count * ARCHIVED // (ACTIVE + ARCHIVED)
        place = increments / "_archive" if is_archived else increments
        size = (number - 1) % (ACTIVE + ARCHIVED) + 1
        write_increment(place / name, _metadata(name, number), _spec(name, size))


def _metadata(name: str, number: int) -> dict[str, Any]:
    shapes = (_plain, _with_issue, _with_stories, _with_other_names, _with_history_of_tasks)
    return {"id": name, **shapes[number % len(shapes)](number)}


def _usual(number: int) -> dict[str, Any]:
    shapes = {1: _with_issue, 2: _with_stories, 3: _with_other_names, 14: _with_history_of_tasks}
    metadata = shapes.get(number % 20, shapes.get(number % 10, _plain))(number)
    return {**metadata, "description": "What is to be done, and why it is worth its while. " * 4}


def _plain(_number: int) -> dict[str, Any]:
    return {
        "status": "completed",
        "type": "feature",
        "created": DAY,
        "completedAt": DAY,
        "lastActivity": DAY,
    }


def _with_issue(number: int) -> dict[str, Any]:
    url = f"https://github.com/octo/widgets/issues/{number}"
    return {**_plain(number), "github": {"issue": number, "url": url, "synced": DAY}}


def _with_stories(number: int) -> dict[str, Any]:
    stories = [
        {
            "id": f"US-{story:03d}",
            "issue_number": number * 10 + story,
            "issue_url": f"https://github.com/octo/widgets/issues/{number * 10 + story}",
            "title": f"Story {story}",
        }
        for story in range(10)
    ]
    return {**_plain(number), "github": {"milestone": 1, "user_story_issues": stories}}


def _with_other_names(number: int) -> dict[str, Any]:
    jira = {"epicKey": f"SCRUM-{number}", "epicUrl": f"https://acme.atlassian.net/SCRUM-{number}"}
    return {
        "name": "Something to be done",
        "status": "in-progress",
        "priority": "P1",
        "type": "feature",
        "created_at": DAY,
        "external_sync": {"jira": jira},
    }


def _with_history_of_tasks(number: int) -> dict[str, Any]:
    warnings = [f"AC-US1-{line:02d} is in tasks.md and not in spec.md" for line in range(40)]
    synced = {"timestamp": DAY, "updated": [], "warnings": warnings, "changesCount": 0}
    return {**_plain(number), "acSyncEvents": [synced] * 4}


def _spec(name: str, number: int) -> str:
    """A spec.md as long as the real ones: up to 26 kB, median 13 kB."""
    front = f'---\nincrement: {name}\ntitle: "Something to be done"\nstatus: completed\n---\n\n'
    line = "- [ ] **AC-US1-01**: what was asked for is there, and what was there is as it was\n"
    return f"{front}# Something to be done\n\n{line * (number * 6)}"
