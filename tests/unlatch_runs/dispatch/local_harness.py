"""The dispatcher for this machine, under the conformance kit."""

import os
import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.unlatch_runs.dispatch import crashing

from unlatch_runs.dispatch.local import LocalDispatcher
from unlatch_runs.dispatch.port import Assignment, Dispatcher, Place, Role
from unlatch_runs.dispatch.processes import marked
from unlatch_runs.dispatch.worker import Limits
from unlatch_runs.testing import DispatchHarness, Starts

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
_LAST_EPOCH = 1_000_000
LIMITS = Limits(jobs=3, timeout=600, lease=60, settle=1.0, grace=0.2)


class LocalHarness(DispatchHarness):
    jobs, lease_seconds, timeout_seconds = LIMITS.jobs, LIMITS.lease, LIMITS.timeout
    crash_points = tuple(crashing.POINTS)

    def __init__(self, root: Path, limits: Limits = LIMITS) -> None:
        self.run = root / ".unlatch" / "runs" / "first"
        self.run.mkdir(parents=True, exist_ok=True)
        self.limits, self.now = limits, START
        self.environ = {"PATH": os.environ["PATH"]}
        self.folder, started = root / "work", root / "started"
        self.folder.mkdir(exist_ok=True)
        started.mkdir(exist_ok=True)
        self.journal = Starts(started)
        self.made: list[LocalDispatcher] = []

    def dispatcher(self, *command: str) -> LocalDispatcher:
        """A dispatcher whose workers run a command, by default the scripted worker."""
        made = LocalDispatcher(
            self.run,
            dict.fromkeys(Role, command or self.journal.command),
            place=self.place,
            clock=lambda: self.now,
            limits=self.limits,
        )
        self.made.append(made)
        return made

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def place(self, assignment: Assignment) -> Place:
        run_id, task = assignment.run_id, assignment.task_id
        return Place(self.folder, marked(self.environ, run_id=run_id, task_id=task))

    def starts(self, run_id: str) -> int:
        return self.journal.count(run_id)

    def is_alive(self, run_id: str) -> bool:
        return self.journal.is_alive(run_id)

    def abandon(self, dispatcher: Dispatcher) -> None:
        """Nothing to do: no thread of it runs."""

    def crash_in_claim(self, assignment: Assignment, *, epoch: int, point: str) -> None:
        def claim() -> None:
            dispatcher = self.dispatcher()
            dispatcher.claim(assignment, epoch=epoch)
            dispatcher.poll(60)

        code = crashing.crash(claim, point)
        assert code == -signal.SIGKILL, f"the coordinator survived {point}"

    def end(self) -> None:
        """End all workers, and reap those of abandoned dispatchers."""
        for one in self.made:
            one.close()
            while one._workers:
                one._step(0.01)
        # A test that failed may have left a coordinator's workers.
        self.dispatcher().recover(_LAST_EPOCH)
