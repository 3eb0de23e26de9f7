"""Read the state of a run with 100,000 events, compared with parsing the lines."""

from __future__ import annotations

import json
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.figures import Figure
from unlatch_runs import events as e
from unlatch_runs.event_lines import line_of
from unlatch_runs.journal import LOG, read_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from unlatch_runs.event_base import RunEvent

PART = "runs"
EVENTS = 100_000
ROUNDS = 3
# The events of a task: dispatched, two checkpoints, submitted, audited, complete.
_PER_TASK = 6
_NOW = datetime(2026, 1, 1, tzinfo=UTC)


def figures() -> Iterator[Figure]:
    """The state from the log, alternating with parsing each line as JSON."""
    with tempfile.TemporaryDirectory(prefix="unlatch-bench-") as place:
        folder = Path(place)
        write_log(folder)
        rounds = [(_spent(lambda: _parse(folder)), _replayed(folder)) for _ in range(ROUNDS)]
    floor, replay = (min(column) for column in zip(*rounds, strict=True))
    what = f"the state of a run from {EVENTS:,} events (CPU)"
    yield Figure(PART, what, replay, "ms", floor, None, "parsing each line")


def write_log(folder: Path, number: int = EVENTS) -> None:
    """Write the log of a run with about so many events."""
    with (folder / LOG).open("w", encoding="utf-8") as log:
        log.writelines(f"{line_of(event)}\n" for event in _events(number))


def _replayed(folder: Path) -> float:
    return _spent(lambda: read_state(folder))


def _spent(act: Callable[[], object]) -> float:
    """The CPU time of this process for a call, in milliseconds."""
    begin = time.process_time()
    act()
    return (time.process_time() - begin) * 1000


def _parse(folder: Path) -> None:
    for line in (folder / LOG).read_bytes().splitlines():
        json.loads(line)


def _events(count: int) -> Iterator[RunEvent]:
    tasks = [f"task-{number}" for number in range(count // _PER_TASK)]
    facts = tuple(e.TaskFacts(id=task, title=task, digest="d") for task in tasks)
    created = e.RunCreated(**_head(1), plan_file="plan.md", title="T", attempts=3, by="ann")
    yield created
    yield e.CoordinatorStarted(**_head(2), epoch=1)
    yield e.PlanLoaded(**_head(3), tasks=facts)
    number = 4
    for task in tasks:
        for kind, more in (
            (e.DeveloperDispatched, {"blocked_by": (), "resumed": False}),
            (e.Checkpoint, {"text": "the parser is done, its tests are not"}),
            (e.Checkpoint, {"text": "the tests are written"}),
            (e.TaskSubmitted, {"summary": "added the parser"}),
            (e.AuditorDispatched, {}),
            (e.TaskComplete, {}),
        ):
            role = "B" if kind in (e.AuditorDispatched, e.TaskComplete) else "A"
            yield kind(**_head(number), agent_id=f"{role}-{task}", task_id=task, **more)
            number += 1


def _head(sequence: int) -> dict[str, Any]:
    return {"timestamp": _NOW, "sequence": sequence, "session_id": "S"}
