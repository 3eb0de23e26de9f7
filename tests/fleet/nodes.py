"""Nodes of a fleet as processes, each a machine of its own: clones, state and process group."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tests.warm.client import unlatch

from unlatch_fleet.database import rows
from unlatch_fleet.database.connect import opened, single
from unlatch_fleet.database.rows import Listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tests.unlatch_fleet.repositories import Fleet

ROOT = Path(__file__).parents[2]
KEY = "0123456789abcdef" * 4
STOP_SECONDS = 120.0


@dataclass
class Node:
    """A node; its programs are in process groups of their own.

    Args:
        environ: of the node.
        program: of units; None for one that starts fast.
    """

    number: int
    folder: Path
    environ: Mapping[str, str]
    options: Sequence[str]
    program: Sequence[str] | None
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        program = json.dumps([*(self.program or unlatch(self.environ))])
        command = [sys.executable, "-m", "tests.fleet.run_node", program, *self.options]
        with (self.folder / "node.log").open("ab") as log:
            self.process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=dict(self.environ),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @property
    def log(self) -> str:
        return (self.folder / "node.log").read_text(encoding="utf-8", errors="replace")

    def groups(self) -> list[int]:
        """The process groups of this machine: the node, its leash and its units."""
        assert self.process is not None
        mark = f"HOME={self.environ['HOME']}".encode()  # units have few other variables
        own = {self.process.pid}
        for entry in Path("/proc").iterdir():
            with suppress(OSError, ValueError):
                words = (entry / "environ").read_bytes().split(b"\0")
                if int(entry.name) and mark in words:
                    own.add(os.getpgid(int(entry.name)))
        return sorted(own)

    def signal(self, number: signal.Signals, *, whole: bool) -> None:
        """Send a signal to the node, or to all processes of its machine."""
        assert self.process is not None
        for group in self.groups() if whole else [self.process.pid]:
            with suppress(ProcessLookupError):
                (os.killpg if whole else os.kill)(group, number)

    def kill(self, *, whole: bool = True) -> None:
        """Kill it, or the node process alone; its units may live on."""
        self.signal(signal.SIGKILL, whole=whole)
        assert self.process is not None
        self.process.wait()

    def stop(self) -> int:
        """Ask it to end, and wait; its exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(STOP_SECONDS)
        finally:
            self.signal(signal.SIGKILL, whole=True)


@dataclass
class Nodes:
    """The nodes of a fleet whose repositories are in its database."""

    fleet: Fleet
    database: str
    jobs: int = 2
    lease: float = 6.0
    settle: float = 1.0
    program: Sequence[str] | None = None
    nodes: list[Node] = field(default_factory=list)

    def list_repositories(self, every: float = 3600.0, *, step: int = 1) -> None:
        """List every `step`-th repository in the database."""
        entries = [
            Listed(str(repository.path), repository.group, every)
            for repository in self.fleet.repositories[::step]
        ]
        with opened(self.database) as connection:
            rows.list_repositories(connection, entries)

    def add(
        self,
        *,
        database: str | None = None,
        folder: str | None = None,
        runs: Mapping[str, object] | None = None,
    ) -> Node:
        """A further node, started.

        Args:
            folder: the name of its own.
            database: the address through which it reaches the database.
            runs: what it offers to tasks of runs.
        """
        number = len(self.nodes) + 1
        place = self.fleet.folder / (folder or f"node-{number}")
        place.mkdir()
        file = place / "node.toml"
        file.touch(mode=0o600)
        settings = {"fleet": str(self.fleet.file), "key": KEY, "clones": str(place / "clones")}
        settings |= {"name": f"node-{number}", "database": database or self.database}
        numbers = {"lease": self.lease, "settle": self.settle, "jobs": self.jobs}
        lines = [
            f"{name} = {json.dumps(value)}\n" for name, value in {**settings, **numbers}.items()
        ]
        if runs:
            lines += ["[runs]\n"]
            lines += [f"{name} = {json.dumps(value)}\n" for name, value in runs.items()]
        file.write_text("".join(lines))
        shared = self.fleet.environ
        (place / "home").mkdir()
        environ = {**shared, "HOME": str(place / "home"), "XDG_STATE_HOME": str(place / "state")}
        node = Node(number, place, environ, ["--node-file", str(file)], self.program)
        node.start()
        self.nodes.append(node)
        return node

    def is_idle(self) -> bool:
        """Whether all requests are answered, and nothing is at work or waits."""
        busy = ["waiting", "at-work", "later", "new", "failed", "lost"]
        query = "SELECT count(*) AS busy FROM fleet_status WHERE state = ANY(%s)"
        with opened(self.database) as connection:
            return not single(connection, query, busy).busy

    def wait(self, is_reached: Callable[[], bool], seconds: float = 60.0) -> None:
        """Wait for a state that the nodes bring about."""
        ends = time.monotonic() + seconds
        while not is_reached():
            assert time.monotonic() < ends, f"not reached in {seconds} s:\n{self._state()}"
            time.sleep(0.1)

    def _state(self) -> str:
        status = rows.status(self.database)
        busy = [row for row in status.repositories if row.state != "done"]
        with opened(self.database) as connection:
            jobs = connection.execute("SELECT * FROM procrastinate_jobs").fetchall()
        logs = "".join(node.log[-1000:] for node in self.nodes)
        return "\n".join([*map(repr, [*busy, *status.nodes, *jobs]), logs])

    def close(self) -> None:
        for node in self.nodes:
            node.signal(signal.SIGKILL, whole=True)
            if node.process:
                node.process.wait()


@contextmanager
def nodes_of(fleet: Fleet, database: str, count: int = 0, **settings: float) -> Iterator[Nodes]:
    """Nodes with the fleet's repositories, which end with the block."""
    with ExitStack() as stack:
        nodes = Nodes(fleet, database, **settings)  # type: ignore[arg-type]
        stack.callback(nodes.close)
        nodes.list_repositories()
        for _ in range(count):
            nodes.add()
        yield nodes
