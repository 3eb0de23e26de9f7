"""Break each request of each operation in each way, deliver again, and check the result.

    python -m tests.crash.fault_matrix [--both] [--tracker T] [--operation O] [--sample N]

Prints one JSON document: the number of cells, the end of each operation, and the mistakes
afterwards. A cell is one request (the n-th of a reopen, close or create that goes well, or of a
reopen or close of an item alone) and one fault. After the fault the operation is delivered again as
`unlatch sync 7` does, if need be twice, with the caches kept in one cell and deleted in the next;
with --both each cell is run both ways. Then the item, the increment's files and the reported fault
must be right. At last an increment's reopen is undone, and the item has to be as it was.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

from tests.crash.blows import BLOWS, Blow
from tests.crash.cell import AIMS, PATIENT, Cell
from tests.crash.stage import own_state

from unlatch.delivery.task import Delivery
from unlatch.errors import (
    Conflict,
    Limited,
    NotFound,
    Rejected,
    Unauthorised,
    UnknownOutcome,
    UnlatchError,
    Unreachable,
)
from unlatch.spi.operation import Kind
from unlatch_sandbox import Request, Sandbox

# Jira Data Center speaks another dialect than Cloud, and its requests are others.
TRACKERS = ("github", "ado", "jira", "jira-server")
_READS = frozenset({"GET", "HEAD", "OPTIONS"})
_NO_CONTENT = 204
# Seconds that a client waits for an answer that does not come.
HASTY = (0.3, 3.0)
_MOST_SYNCS = 2
# After these nothing that was sent can still take effect.
_DECIDED = (Limited, Unreachable, Unauthorised, Rejected, Conflict)


@dataclass
class Told:
    """The result of a matrix.

    Args:
        requests: how many requests each operation sends, by tracker.
        ends: how many operations ended with the first delivery, with the first sync, and so on.
        wrong: the mistakes, by cell.
    """

    requests: dict[str, dict[str, int]] = field(default_factory=dict)
    cells: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    wrong: dict[str, list[str]] = field(default_factory=dict)

    @property
    def document(self) -> dict[str, Any]:
        """As it is printed."""
        told = {"requests": self.requests, "cells": self.cells}
        return {**told, "ends": dict(sorted(self.ends.items())), "wrong": self.wrong}


class Matrix:
    """The cells of one tracker's operation on a sandbox.

    Args:
        folder: an empty one, for the cells' projects.
    """

    def __init__(self, box: Sandbox, tracker: str, operation: str, folder: Path) -> None:
        self._box = box
        self._tracker = tracker.partition("-")[0]
        self._aim = AIMS[operation]
        self._name = f"{tracker} {operation}"
        self._folder = folder
        self._numbers = count()
        box.reset()
        if tracker == "jira-server":
            box.jira.add_project(box.jira.project, deployment="Server")

    def requests(self) -> list[Request]:
        """The requests of the operation without faults."""
        cell = self._cell()
        delivery = cell.act()
        assert delivery.error is None, delivery.error
        assert cell.problems() == [], cell.problems()
        # One that hung in an earlier matrix may only now come to its end.
        sent = self._box.requests.entries(self._tracker)
        return [request for request in sent if request.status is not None]

    def run(self, told: Told, *, sample: int | None = None, both: bool = False) -> None:
        """Run the cells.

        Args:
            sample: only so many of them, drawn by a chance that is always the same.
            both: with the caches kept and deleted, not in turn.
        """
        tracker, operation = self._name.split(" ")
        requests = self.requests()
        told.requests.setdefault(tracker, {})[operation] = len(requests)
        cells = list(self._cells(requests))
        if sample is not None:
            cells = Random(self._name).sample(cells, sample)
        for place, (blow, number) in enumerate(cells):
            for kept in (True, False) if both else (place % 2 == 0,):
                self._strike(told, blow, requests[: number + 1], kept=kept)

    def _cells(self, requests: list[Request]) -> Iterator[tuple[Blow, int]]:
        for blow in BLOWS:
            for number, request in enumerate(requests):
                strikes = blow.reads or request.method not in _READS
                # Nothing tells of an item that another clone has created and not pushed.
                shares = blow.act == "sync" and self._aim.kind is Kind.CREATE
                if self._tracker in blow.on and strikes and not shares:
                    yield blow, number

    def _cell(self) -> Cell:
        number = next(self._numbers)
        self._box.faults.clear()
        cell = Cell(self._box, self._tracker, self._aim, self._folder / str(number), number)
        self._box.requests.clear()
        return cell

    def _strike(self, told: Told, blow: Blow, requests: list[Request], *, kept: bool) -> None:
        hasty, patient = HASTY if blow.hangs else (PATIENT, PATIENT)
        end, problems = self._outcome(blow, requests, kept=kept, patience=hasty)
        if problems and blow.hangs:
            # On a busy machine some other request may have taken too long.
            end, problems = self._outcome(blow, requests, kept=kept, patience=patient)
        told.cells += 1
        told.ends[end] += 1
        if problems:
            number, struck = len(requests), requests[-1]
            where = f"{self._name}, {blow.name} at {number}, {struck.method} {struck.path}"
            told.wrong[f"{where}, caches {'kept' if kept else 'deleted'}"] = problems

    def _outcome(
        self, blow: Blow, requests: list[Request], *, kept: bool, patience: float
    ) -> tuple[str, list[str]]:
        cell = self._cell()
        is_shared = blow.act == "sync"
        if is_shared:
            cell.enqueue()
        acts = {"rename": cell.rename, "label": cell.label}
        act = cell.cloned().sync if is_shared else acts.get(blow.act or "", lambda: None)
        for fault in blow.faults(self._tracker, len(requests) - 1, patience=patience, act=act):
            self._box.faults.add(fault)
        # Another clone can only know of what was not made just now; it is looked for first.
        try:
            (first,) = cell.sync() if is_shared else [cell.act(patience)]
        except NotFound as error:
            if not self._aim.of_item:
                raise
            return _refused(error, blow, cell, kept=kept)
        waiting = [one.kind for one in self._box.faults.waiting() if one.kind != "forbidden"]
        problems = [f"{waiting} struck nothing"] if waiting and not is_shared else []
        problems += _untrue(first, blow, cell, requests)
        if not kept:
            cell.forget_local()
        end = _end(cell)
        self._box.settle()
        copies = 2 if blow.is_late or blow.keeps else 1
        problems += cell.problems(copies=copies, alone=not is_shared)
        undoes = self._aim.kind is Kind.REOPEN and not self._aim.of_item
        if undoes and not problems and not is_shared:
            problems += cell.undo_problems(cell.undo())
        return end, problems


def _refused(error: NotFound, blow: Blow, cell: Cell, *, kept: bool) -> tuple[str, list[str]]:
    """Repeat a command about an item that its tracker said does not exist; nothing is recorded."""
    problems = [f"recorded after {error!r}"] if cell.has_records else []
    if not blow.allows(error, wrote=False, had_written=False):
        problems.append(f"error: {error!r}, {blow.known}")
    if not kept:
        cell.forget_local()
    cell.act()
    return "refused, and repeated", [*problems, *cell.problems()]


def _end(cell: Cell) -> str:
    """Deliver again until nothing is pending."""
    for syncs in range(_MOST_SYNCS + 1):
        if not cell.pending:
            return f"done after {syncs} syncs"
        if syncs < _MOST_SYNCS:
            cell.sync()
    return f"pending: {cell.pending[0].get('cause')}"


def _untrue(first: Delivery, blow: Blow, cell: Cell, requests: list[Request]) -> list[str]:
    """The mistakes of the struck delivery.

    Args:
        requests: the requests of the operation, up to the struck one.
    """
    error, struck = first.error, requests[-1]
    if blow.kind == "truncate" and struck.status == _NO_CONTENT:
        return [] if error is None else [f"error: {error!r}"]
    found = []
    written = [request.method not in _READS for request in requests]
    if not blow.allows(error, wrote=written[-1], had_written=any(written)):
        found.append(f"error: {error!r}, {blow.known}")
    if isinstance(error, UnknownOutcome) and _answered_writes(cell) > sum(written) - blow.is_mute:
        found.append("written after an unknown outcome")
    notes = [(one.get("parkedAt") is not None, one.get("cause")) for one in cell.pending]
    if notes != ([] if error is None else [_note(first, error)]):
        found.append(f"pending with {notes} after {error!r}")
    is_open = [one["attempt"].get("ended") is None for one in cell.pending if "attempt" in one]
    if True in is_open and isinstance(error, _DECIDED):
        found.append(f"an open attempt after {error!r}")
    return found


def _answered_writes(cell: Cell) -> int:
    # One that hung in an earlier cell has no answer, and may be noted only now.
    sent = cell.box.requests.entries(cell.tracker)
    return sum(one.method not in _READS and one.status is not None for one in sent)


def _note(delivery: Delivery, error: UnlatchError) -> tuple[bool, str | None]:
    return delivery.is_blocked, error.id if delivery.is_blocked else None


@contextmanager
def _stage() -> Iterator[tuple[Sandbox, Path]]:
    with tempfile.TemporaryDirectory() as name, Sandbox() as box:
        folder = Path(name)
        with own_state(folder / "state"):
            yield box, folder


def main() -> None:
    """Run the matrix; the exit code is 0 if nothing was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tracker", choices=TRACKERS, help="this one only")
    parser.add_argument("--operation", choices=AIMS, help="this one only")
    parser.add_argument("--sample", type=int, help="so many cells of each operation only")
    parser.add_argument(
        "--both", action="store_true", help="each with the caches kept and deleted, not in turn"
    )
    options = parser.parse_args()
    told = Told()
    with _stage() as (box, folder):
        for tracker in TRACKERS if options.tracker is None else (options.tracker,):
            for operation in AIMS if options.operation is None else (options.operation,):
                place = folder / tracker / operation
                matrix = Matrix(box, tracker, operation, place)
                matrix.run(told, sample=options.sample, both=options.both)
    print(json.dumps(told.document, indent=1))  # noqa: T201
    sys.exit(1 if told.wrong else 0)


if __name__ == "__main__":
    main()
