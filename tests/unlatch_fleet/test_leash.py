"""The process that ends a node's programs, and what follows when a node cannot go on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from tests.fleet.nodes import nodes_of

import unlatch_fleet
from unlatch_fleet.database.connect import connect
from unlatch_fleet.tasks.node import TaskNode, working

if TYPE_CHECKING:
    from tests.unlatch_fleet.repositories import Fleet


LEASH = Path(unlatch_fleet.__file__).with_name("leash.py")


def test_a_program_of_a_node_that_fell_silent_is_ended_at_once() -> None:
    leash = subprocess.Popen([sys.executable, "-I", str(LEASH), "4"], stdin=subprocess.PIPE)
    assert leash.stdin is not None
    with leash:
        ends = []
        for _ in range(2):  # at work when it fell silent, and begun after a freeze
            began = time.monotonic()
            program = subprocess.Popen(["sleep", "60"], start_new_session=True)
            leash.stdin.write(f"+{program.pid}\n".encode())
            leash.stdin.flush()
            ends.append(program.wait(20))
        assert [-signal.SIGKILL] * 2 == ends
        assert time.monotonic() - began < 2


def test_a_node_ends_when_the_database_no_longer_has_its_tables(
    fleet: Fleet, database: str
) -> None:
    fleet.add(items=1)
    fleet.write()
    with nodes_of(fleet, database, 1) as nodes:
        (node,) = nodes.nodes
        nodes.wait(nodes.is_idle)
        with connect(database) as connection:
            connection.execute("ALTER FUNCTION fleet_plan RENAME TO fleet_gone")
        assert node.process is not None
        assert node.process.wait(30)
        assert "fleet-not-initialised" in node.log


class _Working:
    """A node whose task goes on until it is cut off."""

    def __init__(self) -> None:
        self.is_cut_off = threading.Event()

    def run(self, stopping: threading.Event) -> None:
        stopping.wait(20)
        os.kill(os.getpid(), signal.SIGINT)
        self.is_cut_off.wait(3)

    def cut_off(self) -> None:
        self.is_cut_off.set()


def test_a_signal_ends_tasks_that_outlast_the_units() -> None:
    node = _Working()
    with pytest.raises(KeyboardInterrupt), working(cast("TaskNode", node), threading.Event()):
        pass
    assert node.is_cut_off.is_set()
