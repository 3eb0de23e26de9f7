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
    """Strikes nodes while they work, half of them at the same time at most.

    Args:
        ways: the way of each node to the database.
        restart: restarts the database as after a crash.
        share: the part of the work that is done, from 0 to 1; all fall by `until` of it.
        hit: how many units were at work where a blow fell.
    """

    nodes: Nodes
    ways: Sequence[Proxy]
    restart: Callable[[], None]
    count: int
    share: Callable[[], float]
    seed: int
    until: float = 0.8
    struck: Counter[str] = field(default_factory=Counter)
    hit: int = 0
    _over: threading.Event = field(default_factory=threading.Event)
    _down: set[int] = field(default_factory=set)

    def start(self) -> threading.Thread:
        thread = threading.Thread(target=self._strike_all, daemon=True)
        thread.start()
        return thread

    def stop(self) -> None:
        """End those under way; no further ones fall."""
        self._over.set()

    def _strike_all(self) -> None:
        chance, line = random.Random(self.seed), Line(self.nodes.database)
        threads = []
        for number in range(self.count):
            node = self._next(chance, self.until * (number + 0.5) / self.count)
            if node is None:
                break
            kind = KINDS[number % len(KINDS)]
            name = "" if kind == "database" else f"node-{node.number}"
            with suppress(Transient):
                self.hit += line.ask(_OPEN, name, name).units
            self._down.add(node.number)
            threads.append(threading.Thread(target=self._strike, args=(kind, node), daemon=True))
            threads[-1].start()
            self.struck[kind] += 1
        for thread in threads:
            thread.join()
        line.close()

    def _next(self, chance: random.Random, share: float) -> Node | None:
        """The node to strike when so much is done; None if there are no more blows."""
        most = max(1, len(self.nodes.nodes) // 2)
        while self.share() < share or len(self._down) >= most:
            if self._over.wait(0.05):
                return None
        return chance.choice([node for node in self.nodes.nodes if node.number not in self._down])

    def _strike(self, kind: str, node: Node) -> None:
        try:
            getattr(self, f"_{kind}")(node)
        finally:
            self._down.discard(node.number)

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
