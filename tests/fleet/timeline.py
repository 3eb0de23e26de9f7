"""What a fleet did from second to second: how much is done, and what its slots waited for."""

from __future__ import annotations

import json
import threading
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unlatch.errors import UnlatchError
from unlatch_fleet.database.connect import Line

if TYPE_CHECKING:
    from collections.abc import Mapping

_TICK = 0.5
_WRITE_SECONDS = 10.0
# `of_dead`: units whose node has been silent for two of its signs of life.
_LOOK = """SELECT count(*) FILTER (WHERE done > 0) AS synced, count(unit) AS open,
    (SELECT count(*) FROM fleet_unit JOIN fleet_node node USING (epoch)
      WHERE fleet_unit.ended IS NULL AND node.beat < clock_timestamp() - node.lease / 3) AS of_dead,
    (SELECT count(*) FROM procrastinate_jobs WHERE status = 'todo') AS queued,
    count(*) FILTER (WHERE wanted > done AND unit IS NULL AND not_before > clock_timestamp())
      AS held,
    count(*) FILTER (WHERE unit IS NOT NULL OR wanted > done AND outcome IS DISTINCT FROM 'person'
      OR outcome IS NULL) AS busy
    FROM fleet_repository"""


@dataclass
class Timeline:
    """A thread that looks at the database, and notes what the nodes' slots do.

    Args:
        slots: units at a time, of all nodes together.
        total: how many repositories there are.
        note: a file for the figures of an unfinished run; None for none.
        also: figures of others.
        slot_seconds: how long slots were in which state.
    """

    database: str
    slots: int
    total: int
    note: Path | None
    also: Mapping[str, Any] = field(default_factory=dict)
    slot_seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    synced: int = 0
    is_busy: bool = True
    first: float | None = None
    last_synced: float = 0.0
    _over: threading.Event = field(default_factory=threading.Event)
    _began: float = field(default_factory=time.monotonic)
    _written: float = 0.0

    def share(self) -> float:
        """The part of the repositories that were synced once, from 0 to 1."""
        return self.synced / self.total

    def start(self) -> threading.Thread:
        self._began = time.monotonic()
        thread = threading.Thread(target=self._watch, daemon=True)
        thread.start()
        return thread

    def stop(self) -> None:
        self._over.set()

    def document(self) -> dict[str, Any]:
        """How much of the run is done, and the shares of the slots' time."""
        whole = sum(self.slot_seconds.values()) or 1.0
        shares = {name: round(each / whole, 3) for name, each in self.slot_seconds.items()}
        return {
            "synced": f"{self.synced} of {self.total} repositories",
            "slots": shares,
            "secondsToFirstUnit": round(self.first or 0.0, 1),
            "secondsToLastFirstSync": round(self.last_synced, 1),
            **self.also,
        }

    def _watch(self) -> None:
        line, before = Line(self.database), time.monotonic()
        while not self._over.wait(_TICK):
            now = time.monotonic()
            row = None
            with suppress(UnlatchError):
                row = line.ask(_LOOK)
            self._note(row, now - before)
            before = now
            if self.note and now - self._written > _WRITE_SECONDS:
                self._written = now
                self._write(self.note)
        line.close()

    def _note(self, row: Any, seconds: float) -> None:
        if row is None:
            self.slot_seconds["databaseAway"] += self.slots * seconds
            return
        if row.open and self.first is None:
            self.first = time.monotonic() - self._began
        if row.synced > self.synced:
            self.synced, self.last_synced = row.synced, time.monotonic() - self._began
        self.is_busy = row.busy > 0
        free = max(0, self.slots - row.open)
        self.slot_seconds["atWork"] += (row.open - row.of_dead) * seconds
        self.slot_seconds["ofSilentNodes"] += row.of_dead * seconds
        why = "freeWhileQueued" if row.queued else "freeWhileHeld" if row.held else "nothingToDo"
        self.slot_seconds[why] += free * seconds

    def _write(self, path: Path) -> None:
        seconds = round(time.monotonic() - self._began, 1)
        document = {"unfinished": True, "seconds": seconds, **self.document()}
        draft = path.with_suffix(".draft")
        draft.write_text(json.dumps(document, indent=1), encoding="utf-8")
        draft.replace(path)
