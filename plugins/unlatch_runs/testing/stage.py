"""Fixtures of dispatchers' tests: assignments, and the reports of a worker up to its end."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from unlatch.worklog.ids import new_ulid
from unlatch_runs.dispatch.port import Assignment, Dispatcher, Ended, Placed, Report, Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch_runs.dispatch.protocol import Message
    from unlatch_runs.testing.harness import DispatchHarness

Step = list[Any]
HANG: Step = ["hang"]
READY: Step = ["say", {"type": "checkpoint", "text": "ready"}]
DONE: Step = ["say", {"type": "done"}]
# Seconds for anything that happens at all, on a busy machine.
PATIENCE = 60.0


def assign(harness: DispatchHarness, *steps: Step, task: str = "1-1", **more: Any) -> Assignment:
    """An assignment with these steps for the scripted worker, with a new run id."""
    run_id = new_ulid()
    text = json.dumps(list(steps))
    return Assignment(run_id, task, Role.DEVELOPER, text, harness.commit, **more)


def poll_until(
    dispatcher: Dispatcher, run_id: str, *kinds: type[Message | Ended]
) -> list[Message | Ended]:
    """The reports of a run id up to the first message of one of these kinds."""
    reported: list[Message | Ended] = []
    end = deadline()
    while not any(isinstance(message, kinds) for message in reported):
        assert time.monotonic() < end, f"{run_id} reported only {reported}"
        reported += messages(dispatcher.poll(1.0), run_id)
    return reported


def deadline() -> float:
    """The time at which a test gives up, by the system's monotonic clock."""
    return time.monotonic() + PATIENCE


def messages(reports: Sequence[Report], run_id: str) -> list[Message | Ended]:
    """The messages of a run id; which node has it is another matter."""
    return [
        report.message
        for report in reports
        if report.run_id == run_id and not isinstance(report.message, Placed)
    ]


def the_end(dispatcher: Dispatcher, run_id: str) -> Ended:
    """The end of a worker."""
    last = poll_until(dispatcher, run_id, Ended)[-1]
    assert isinstance(last, Ended), "the end is the last report"
    return last
