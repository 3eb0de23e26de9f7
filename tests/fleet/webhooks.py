"""Webhooks for the repositories of a fleet, in bursts, of which a third are duplicates."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from unlatch.errors import Transient
from unlatch_fleet.database.connect import Line
from unlatch_fleet.database.rows import EVENT

if TYPE_CHECKING:
    from collections.abc import Sequence

BURST = 10


@dataclass
class Webhooks:
    """A thread that delivers them; one that the database does not take is delivered again.

    Args:
        seconds: for all of them.
        bursts: the times of the first new one of each burst, by repository.
    """

    database: str
    repositories: Sequence[str]
    count: int
    seconds: float
    seed: int
    answers: Counter[str] = field(default_factory=Counter)
    bursts: dict[str, list[datetime]] = field(default_factory=lambda: defaultdict(list))

    def start(self) -> threading.Thread:
        thread = threading.Thread(target=self._deliver, daemon=True)
        thread.start()
        return thread

    def _deliver(self) -> None:
        chance, line = random.Random(self.seed), Line(self.database)
        ids = list[str]()
        for number in range(self.count):
            if number % BURST == 0:
                time.sleep(self.seconds * BURST / self.count)
                repository = chance.choice(self.repositories)
                self.bursts[repository].append(datetime.now(UTC))
            is_repeated = number % 3 == 2 and ids
            delivery = chance.choice(ids) if is_repeated else f"delivery-{number}"
            ids.append(delivery)
            self.answers[self._ask(line, repository, delivery)] += 1
        line.close()

    def _ask(self, line: Line, repository: str, delivery: str) -> str:
        while True:
            with suppress(Transient):
                row = line.ask(_ENQUEUE, repository, EVENT, [delivery])
                return str(row.answer)
            time.sleep(0.2)


_ENQUEUE = "SELECT fleet_enqueue(%s, %s, %s) AS answer"
