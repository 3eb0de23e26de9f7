"""unlatch fleet node: sync repositories of a fleet until asked to stop."""

from __future__ import annotations

import asyncio
import os
import threading
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from unlatch.cli.runtime.passing import with_context
from unlatch.cli.terminal import output
from unlatch.errors import UnlatchError, UsageError
from unlatch.project.registry import Registry
from unlatch_fleet.cli.chosen import own_folders
from unlatch_fleet.cli.connected import NODE_FILE, find_address, open_node_file
from unlatch_fleet.clone import git_credentials
from unlatch_fleet.fleet_file import DEFAULT_GROUP, read_fleet
from unlatch_fleet.local import Machine
from unlatch_fleet.node_file import NodeFile, default_file
from unlatch_fleet.repository_address import read_address
from unlatch_fleet.tokens import Tokens
from unlatch_fleet.unit import UNLATCH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.cli.runtime.context import Context


@click.command("node", help="Sync repositories of the fleet until asked to stop. (writes trackers)")
@NODE_FILE
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    metavar="N",
    help="Number of repositories at the same time; by default as in node.toml, or 4.",
)
@with_context
def node_fleet(context: Context, *, node_file: Path | None, jobs: int | None) -> int:
    node = open_node_file(node_file)
    if jobs is not None:
        node = node.model_copy(update={"jobs": jobs})
    address = find_address(node)
    machines = _Machines(_machine(context, node, address, node_file or default_file()), node)
    from unlatch_fleet.node import run_node  # noqa: PLC0415  (loads procrastinate)

    fleet = machines.machine.fleet
    _say(f"node {node.name}: {len(fleet.repositories)} repositories, {node.jobs} at a time")
    settings, ending = node.settings(fleet.events_share), threading.Event()
    with _tasks(node, address, machines, ending, lease=settings.lease):
        asyncio.run(run_node(address, machines.current, settings, _say, ending))
    return 0


def _say(line: str) -> None:
    output.talk(output.clean(line))


class _Machines:
    """What units need, read again when fleet.toml has changed."""

    def __init__(self, machine: Machine, node: NodeFile) -> None:
        self.machine = machine
        self._file = Path(node.fleet or "")
        self._lock = threading.Lock()
        self._read = self._version()

    def current(self) -> Machine:
        """With the present fleet.toml; with the former one while it has mistakes."""
        with self._lock:
            if (version := self._version()) != self._read:
                self._read = version
                try:
                    fleet = read_fleet(self._file, self.machine.registry.targets)
                except UnlatchError as error:
                    _say(f"{error}; the former one stays in use")
                else:
                    tokens = Tokens(fleet.groups, os.environ, self.machine.registry)
                    self.machine = replace(self.machine, fleet=fleet, tokens=tokens)
                    _say(f"{self._file}: {len(fleet.repositories)} repositories")
            return self.machine

    def _version(self) -> tuple[int, ...]:
        try:
            status = self._file.stat()
        except OSError:
            return ()
        return status.st_mtime_ns, status.st_size, status.st_ino


def _tasks(
    node: NodeFile, address: str, machines: _Machines, ending: threading.Event, *, lease: float
) -> AbstractContextManager[None]:
    """Works on tasks of runs meanwhile, if node.toml says what they may use."""
    if node.runs is None:
        return nullcontext()
    from unlatch_fleet.database.connect import Line  # noqa: PLC0415  (loads psycopg)
    from unlatch_fleet.tasks.node import TaskNode, TaskSettings, working  # noqa: PLC0415

    def credentials(url: str) -> Sequence[tuple[str, str]]:
        git, machine = read_address(url), machines.current()
        listed = (each for each in machine.fleet.repositories if each.address.key == git.key)
        group = next((repository.group for repository in listed), DEFAULT_GROUP)
        variables = machine.tokens.variables(group)
        return [*git_credentials(git, machine.tokens.git_token(group, variables))]

    settings = TaskSettings(
        name=node.name,
        folder=machines.machine.folder / "runs",
        offer=node.runs,
        credentials=credentials,
        environ=os.environ,
        lease=lease,
        keep_days=node.keep_days,
    )
    _say(f"node {node.name}: {node.runs.jobs} tasks of runs at a time")
    return working(TaskNode(Line(address), settings, _say), ending)


def _machine(context: Context, node: NodeFile, address: str, path: Path) -> Machine:
    """What units need; the errors of `read_fleet`.

    Raises:
        UsageError: `node-file-incomplete`.
        StoreError: `not-writable`.
    """
    if node.fleet is None or node.key is None:
        raise UsageError(
            "node-file-incomplete",
            "a node needs `fleet`, the path of fleet.toml, and `key`",
            where=str(path),
            hint="`unlatch fleet init --fleet FILE` writes a first node.toml",
        )
    from unlatch_fleet.database.budget import SharedRows  # noqa: PLC0415  (loads psycopg)
    from unlatch_fleet.database.connect import Line  # noqa: PLC0415  (as above)

    registry = Registry()
    fleet = read_fleet(Path(node.fleet), registry.targets)
    _, clones = own_folders(Path(node.clones) if node.clones else None)
    return Machine(
        fleet,
        Tokens(fleet.groups, os.environ, registry),
        registry,
        clones,
        SharedRows(Line(address), fleet.events_share),
        node.key.encode(),
        os.environ,
        context.options.max_wait,
        program=UNLATCH,
    )
