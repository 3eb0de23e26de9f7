"""Blows at the nodes of a fleet: kills, freezes, cut connections, restarts of the database."""

from __future__ import annotations

import random
import signal
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from unlatch.errors import Transient
from unlatch_fleet.database.connect import Line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.fleet.nodes import Node, Nodes
    from tests.fleet.proxy import Proxy

KINDS = ("machine", "partition", "database", "worker", "freeze")
_OPEN = """SELECT count(*) AS units FROM fleet_unit JOIN fleet_node USING (epoch)
    WHERE fleet_unit.ended IS NULL AND fleet_node.ended IS NULL AND (%s = '' OR name = %s)"""


@dataclass
class Blows:
    """A thread that strikes nodes one after the other.

    Args:
        ways: the way of each node to the database.
        restart: restarts the database as after a crash.
        hit: how many units were at work where a blow fell.
    """

    nodes: Nodes
    ways: Sequence[Proxy]
    restart: Callable[[], None]
    count: int
    seed: int
    struck: Counter[str] = field(default_factory=Counter)
    hit: int = 0
    _over: threading.Event = field(default_factory=threading.Event)

    def start(self) -> threading.Thread:
        thread = threading.Thread(target=self._strike, daemon=True)
        thread.start()
        return thread

    def stop(self) -> None:
        self._over.set()

    def _strike(self) -> None:
        chance, line = random.Random(self.seed), Line(self.nodes.database)
        for number in range(self.count):
            kind, node = KINDS[number % len(KINDS)], chance.choice(self.nodes.nodes)
            if self._over.wait(chance.uniform(0.1, 0.5) * self.nodes.lease):
                break
            name = "" if kind == "database" else f"node-{node.number}"
            with suppress(Transient):
                self.hit += line.ask(_OPEN, name, name).units
            getattr(self, f"_{kind}")(node)
            self.struck[kind] += 1
        line.close()

    def _machine(self, node: Node) -> None:
        node.kill()
        self._over.wait(self.nodes.lease / 2)
        node.start()

    def _worker(self, node: Node) -> None:
        """The node process alone: its programs live on until the leash sees to them."""
        node.kill(whole=False)
        node.start()

    def _freeze(self, node: Node) -> None:
        """Longer than the lease: another node takes over, and this one comes back."""
        node.signal(signal.SIGSTOP, whole=True)
        self._over.wait(1.3 * self.nodes.lease)
        node.signal(signal.SIGCONT, whole=True)

    def _partition(self, node: Node) -> None:
        way = self.ways[node.number - 1]
        way.cut()
        self._over.wait(1.3 * self.nodes.lease)
        way.heal()

    def _database(self, _: Node) -> None:
        self.restart()
        time.sleep(0.1)
