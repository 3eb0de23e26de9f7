"""unlatch fleet node: sync repositories of a fleet until asked to stop."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from unlatch.cli.runtime.passing import with_context
from unlatch.cli.terminal import output
from unlatch.errors import UsageError
from unlatch.project.registry import Registry
from unlatch_fleet.cli.chosen import own_folders
from unlatch_fleet.cli.connected import NODE_FILE, find_address, open_node_file
from unlatch_fleet.fleet_file import read_fleet
from unlatch_fleet.local import Machine
from unlatch_fleet.node_file import default_file
from unlatch_fleet.tokens import Tokens
from unlatch_fleet.unit import UNLATCH

if TYPE_CHECKING:
    from unlatch.cli.runtime.context import Context
    from unlatch_fleet.node_file import NodeFile


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
    machine = _machine(context, node, address, node_file or default_file())
    from unlatch_fleet.node import run_node  # noqa: PLC0415  (loads procrastinate)

    def say(line: str) -> None:
        output.talk(output.clean(line))

    say(f"node {node.name}: {len(machine.fleet.repositories)} repositories, {node.jobs} at a time")
    asyncio.run(run_node(address, machine, node.settings(machine.fleet.events_share), say))
    return 0


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
