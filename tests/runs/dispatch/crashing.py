"""A coordinator that claims, and is killed at one moment of the claim; run as a program."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unlatch.runs.dispatch import local, starting
from unlatch.runs.dispatch.leases import LeaseStore
from unlatch.runs.dispatch.local import LocalDispatcher
from unlatch.runs.dispatch.port import Assignment, Role

if TYPE_CHECKING:
    from collections.abc import Callable

# The owner of the function that is called at this moment, its name, and whether the coordinator
# dies after the call instead of before it.
POINTS: dict[str, tuple[Any, str, bool]] = {
    "before the epoch": (LeaseStore, "admit", False),
    "before the lease": (LeaseStore, "write", False),
    "after the lease": (LeaseStore, "write", True),
    "before the launcher": (starting, "launch", False),
    "after the launcher": (starting, "launch", True),
    "before go": (starting, "send_go", False),
    "after go": (starting, "send_go", True),
    "after the start": (local, "start", True),
    "after the claim": (LocalDispatcher, "claim", True),
    "while the worker runs": (LocalDispatcher, "poll", True),
}


def main() -> None:
    """Claim the run on standard input."""
    task = json.load(sys.stdin)
    dies_at(*POINTS[task["point"]])
    given = ("run_id", "task_id", "text", "environment")
    assignment = Assignment(
        **{name: task[name] for name in given}, role=Role.DEVELOPER, folder=Path(task["folder"])
    )
    commands = dict.fromkeys(Role, task["command"])
    run = Path(task["run"])
    dispatcher = LocalDispatcher(run, commands, clock=lambda: datetime(2026, 3, 2, 9, tzinfo=UTC))
    dispatcher.claim(assignment, epoch=task["epoch"])
    dispatcher.poll(60)


def dies_at(owner: Any, name: str, after: bool) -> None:
    """Kill this process when a function is called."""
    original: Callable[..., Any] = getattr(owner, name)

    def killing(*args: Any, **kwargs: Any) -> Any:
        if after:
            original(*args, **kwargs)
        os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(60)

    setattr(owner, name, killing)


if __name__ == "__main__":
    main()
