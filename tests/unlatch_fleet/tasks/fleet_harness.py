"""The dispatcher on PostgreSQL with nodes as processes, under the conformance kit."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from tests.unlatch_runs.dispatch import crashing

from unlatch.worklog.ids import new_ulid
from unlatch_fleet.database.connect import Line, connect
from unlatch_fleet.tasks.dispatcher import Origin, PostgresDispatcher
from unlatch_fleet.tasks.guard import end_all
from unlatch_fleet.tasks.rows import Rows
from unlatch_runs.dispatch.port import Assignment, Dispatcher
from unlatch_runs.dispatch.worker import Limits
from unlatch_runs.testing import DispatchHarness, Starts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LIMITS = Limits(jobs=3, timeout=600, lease=60)
NODE_LEASE = 6.0
_LAST_EPOCH = 1_000_000
POINTS = {
    "before the epoch": (Rows, "admitted", False),
    "before the row": (Rows, "insert", False),
    "before the commit": (Rows, "insert", True),
    "after the commit": (PostgresDispatcher, "_watch", False),
    "after the claim": (PostgresDispatcher, "claim", True),
    "while the worker runs": (PostgresDispatcher, "poll", True),
}


class Stage:
    """A database, a repository, and nodes that work on its tasks.

    Args:
        address: of a database with the fleet's tables.
    """

    def __init__(self, root: Path, address: str) -> None:
        self.root, self.address = root, address
        self.journal = Starts(root / "started")
        self.journal.folder.mkdir()
        self.remote = root / "remote.git"
        self.commit = a_repository(self.remote, root / "first")
        self.nodes: list[Node] = []

    def node(self, name: str, *, lease: float = NODE_LEASE, **offered: object) -> Node:
        offer = self._offer(offered)
        self.nodes.append(Node(self.address, name, self.root / name, offer, lease))
        return self.nodes[-1]

    def offer(self, name: str, **offered: object) -> None:
        """What a node offers, without the node."""
        query = """INSERT INTO run_node (name, version, offer, jobs, lease)
            VALUES (%s, '', %s, 1, '1 hour')"""
        with connect(self.address) as connection:
            connection.execute(query, (name, json.dumps(self._offer(offered))))

    def _offer(self, offered: Mapping[str, object]) -> dict[str, object]:
        program = " ".join(self.journal.command)
        return {"repositories": [str(self.remote)], "programs": [program], "jobs": 8, **offered}

    def end(self) -> None:
        for node in self.nodes:
            node.kill()


class FleetHarness(DispatchHarness):
    """Dispatchers of one run on a stage."""

    jobs, lease_seconds, timeout_seconds = LIMITS.jobs, LIMITS.lease, LIMITS.timeout
    crash_points = tuple(POINTS)

    def __init__(self, stage: Stage) -> None:
        self.stage, self.journal, self.commit = stage, stage.journal, stage.commit
        self.origin, self.passed = new_ulid(), timedelta()
        self.lines: list[Line] = []

    def dispatcher(self, command: Sequence[str] = ()) -> PostgresDispatcher:
        worker = command or self.journal.command
        repository = str(self.stage.remote.resolve())
        origin = Origin("first", lambda: self.origin, repository, "", worker)
        self.lines.append(Line(self.stage.address))
        return PostgresDispatcher(self.lines[-1], origin, LIMITS, clock=self.clock)

    def clock(self) -> datetime:
        return datetime.now(UTC) + self.passed

    def advance(self, seconds: float) -> None:
        self.passed += timedelta(seconds=seconds)

    def starts(self, run_id: str) -> int:
        return self.journal.count(run_id)

    def is_alive(self, run_id: str) -> bool:
        return self.journal.is_alive(run_id)

    def abandon(self, dispatcher: Dispatcher) -> None:
        """Nothing to do: no thread of it runs."""

    def crash_in_claim(self, assignment: Assignment, *, epoch: int, point: str) -> None:
        def claim() -> None:
            crashing.dies_at(*POINTS[point])
            dispatcher = self.dispatcher()
            dispatcher.claim(assignment, epoch=epoch)
            dispatcher.poll(60)

        child = os.fork()
        if child == 0:
            try:
                claim()
            finally:
                os._exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert code == -signal.SIGKILL, f"the coordinator survived {point}"

    def end(self) -> None:
        """End all workers."""
        self.dispatcher().recover(_LAST_EPOCH)
        for line in self.lines:
            line.close()


def a_repository(remote: Path, clone: Path, files: Mapping[str, str] | None = None) -> str:
    """Commit files to a bare repository, which is made unless it is there; returns the commit."""
    git(remote.parent, "init", "-q", "--bare", "--initial-branch", "main", str(remote))
    git(remote.parent, "clone", "--quiet", str(remote), str(clone))
    for name, text in (files or {"README.md": "A project\n"}).items():
        (clone / name).parent.mkdir(exist_ok=True)
        (clone / name).write_text(text)
    for words in (("add", "."), ("commit", "-qm", "Begin"), ("push", "-q", "origin", "HEAD:main")):
        git(clone, *words)
    return git(clone, "rev-parse", "HEAD")


def git(folder: Path, *arguments: str) -> str:
    argv = ("git", "-c", "user.name=Ann", "-c", "user.email=ann@localhost", *arguments)
    done = subprocess.run(argv, cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def wait_for_nodes(address: str, count: int, *, ended: int = 0) -> None:
    """Wait until so many nodes have entered, and so many of them have ended."""
    query = "SELECT count(*) AS all, count(ended) AS ended FROM run_node"
    deadline = time.monotonic() + 60
    with connect(address) as connection:
        while connection.execute(query).fetchone() != (count, ended):
            assert time.monotonic() < deadline
            time.sleep(0.05)


class Node:
    """A process of a node."""

    def __init__(
        self,
        address: str,
        name: str,
        folder: Path,
        offer: Mapping[str, object],
        lease: float = NODE_LEASE,
    ) -> None:
        settings = {
            "address": address,
            "name": name,
            "folder": str(folder),
            "lease": lease,
            "offer": offer,
        }
        self.folder, self.settings = folder, json.dumps(settings)
        self.process = self.start()

    def start(self) -> subprocess.Popen[bytes]:
        module_name = "tests.unlatch_fleet.tasks.node_process"
        environ = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sys.path))}
        argv = [sys.executable, "-m", module_name, self.settings]
        return subprocess.Popen(argv, env=environ)

    def signal(self, number: signal.Signals) -> None:
        if self.process.poll() is None:
            self.process.send_signal(number)

    def kill(self) -> None:
        """Kill it without a word, and do what its guard does, to be sure that it is done."""
        self.process.kill()
        self.process.wait()
        end_all(self.folder / "tasks", grace=0)
