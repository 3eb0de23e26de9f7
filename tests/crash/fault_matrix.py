"""Break each request of each operation in each way, deliver again, and look at what is left.

    python -m tests.crash.fault_matrix [--both] [--tracker T] [--operation O] [--every N]

Prints one JSON document: how many cells there are, how each operation ended, and what was wrong
afterwards. A cell is one request (the n-th of a reopen, close or create that goes well) and one
fault. After the fault the operation is delivered again as `unlatch sync` does, if need be twice,
with `.unlatch/local` kept in one cell and deleted in the next; with --both each cell is run both
ways. Then the item, the increment's files and what was said about the fault have to be right.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.crash.blows import BLOWS, Blow
from tests.crash.cell import AIMS, PATIENT, Cell

from unlatch.errors import UnknownOutcome
from unlatch.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.engine.progress import Delivery
    from unlatch.sandbox import Request

# Jira Data Center speaks another dialect than Cloud, and its requests are others.
TRACKERS = ("github", "ado", "jira", "jira-server")
_READS = frozenset({"GET", "HEAD", "OPTIONS"})
_NO_CONTENT = 204
# Seconds that a client waits for an answer that does not come.
HASTY = (0.3, 3.0)
_MOST_SYNCS = 2


@dataclass
class Told:
    """What a matrix came to.

    Args:
        requests: how many requests each operation sends, by tracker.
        ends: how many operations ended with the first delivery, with the first sync, and so on.
        wrong: what was wrong, by cell.
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
        """What the operation sends if nothing goes wrong."""
        cell = self._cell()
        delivery = cell.act()
        assert delivery.error is None, delivery.error
        assert cell.problems() == [], cell.problems()
        # One that hung in an earlier matrix may only now come to its end.
        sent = self._box.requests.entries(self._tracker)
        return [request for request in sent if request.status is not None]

    def run(self, told: Told, *, every: int = 1, both: bool = False) -> None:
        """Run each `every`-th cell.

        Args:
            both: with `.unlatch/local` kept and deleted, not in turn.
        """
        tracker, operation = self._name.split(" ")
        requests = self.requests()
        told.requests.setdefault(tracker, {})[operation] = len(requests)
        blows = [blow for blow in BLOWS if self._tracker in blow.on]
        cells = [(blow, *struck) for blow in blows for struck in enumerate(requests)]
        for place, (blow, number, request) in enumerate(cells[::every]):
            for kept in (True, False) if both else (place % 2 == 0,):
                self._strike(told, blow, number, request, kept=kept)

    def _cell(self) -> Cell:
        number = next(self._numbers)
        self._box.faults.clear()
        cell = Cell(self._box, self._tracker, self._aim, self._folder / str(number), number)
        self._box.requests.clear()
        return cell

    def _strike(self, told: Told, blow: Blow, number: int, struck: Request, *, kept: bool) -> None:
        hasty, patient = HASTY if blow.hangs else (PATIENT, PATIENT)
        end, problems = self._outcome(blow, number, struck, kept=kept, patience=hasty)
        if problems and blow.hangs:
            # On a busy machine some other request may have taken too long.
            end, problems = self._outcome(blow, number, struck, kept=kept, patience=patient)
        told.cells += 1
        told.ends[end] += 1
        if problems:
            where = f"{self._name}, {blow.name} at {number + 1}, {struck.method} {struck.path}"
            told.wrong[f"{where}, local {'kept' if kept else 'deleted'}"] = problems

    def _outcome(
        self, blow: Blow, number: int, struck: Request, *, kept: bool, patience: float
    ) -> tuple[str, list[str]]:
        cell = self._cell()
        person = {None: lambda: None, "rename": cell.rename, "label": cell.label}[blow.act]
        fault = blow.fault(self._tracker, number, patience=patience, person=person)
        self._box.faults.add(fault)
        first = cell.act(patience)
        problems = ["the fault struck nothing"] if self._box.faults.waiting() else []
        problems += _untrue(first, blow, struck, number, cell)
        if not kept:
            cell.forget_local()
        return _end(cell), [*problems, *cell.problems()]


def _end(cell: Cell) -> str:
    """Deliver again until nothing is pending."""
    for syncs in range(_MOST_SYNCS + 1):
        if not cell.pending:
            return f"done after {syncs} syncs"
        if syncs < _MOST_SYNCS:
            cell.sync()
    return f"pending: {cell.pending[0].get('cause')}"


def _untrue(first: Delivery, blow: Blow, struck: Request, number: int, cell: Cell) -> list[str]:
    """What the delivery that was struck did or said and should not have."""
    error = first.error
    wanted = blow.reading if struck.method in _READS else blow.writing
    if blow.kind == "truncate" and struck.status == _NO_CONTENT:
        wanted = None
    found = []
    if type(error) is not (wanted or type(None)):
        found.append(f"error: {error!r} is no {wanted}")
    if isinstance(error, UnknownOutcome) and first.requests != number + 1:
        found.append(f"requests: {first.requests}, some of them after an unknown outcome")
    causes = [operation.get("cause") for operation in cell.pending]
    if causes != ([] if error is None else [error.id if first.parked else None]):
        found.append(f"pending with the causes {causes} after {error!r}")
    return found


@contextmanager
def _stage() -> Iterator[tuple[Sandbox, Path]]:
    with tempfile.TemporaryDirectory() as folder, Sandbox() as box:
        yield box, Path(folder)


def main() -> None:
    """Run the matrix; the exit code is 0 if nothing was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tracker", choices=TRACKERS, help="this one only")
    parser.add_argument("--operation", choices=AIMS, help="this one only")
    parser.add_argument("--every", type=int, default=1, help="every n-th cell only")
    parser.add_argument(
        "--both", action="store_true", help="each with .unlatch/local kept and deleted, not in turn"
    )
    options = parser.parse_args()
    told = Told()
    with _stage() as (box, folder):
        for tracker in TRACKERS if options.tracker is None else (options.tracker,):
            for operation in AIMS if options.operation is None else (options.operation,):
                place = folder / tracker / operation
                matrix = Matrix(box, tracker, operation, place)
                matrix.run(told, every=options.every, both=options.both)
    print(json.dumps(told.document, indent=1))  # noqa: T201
    sys.exit(1 if told.wrong else 0)


if __name__ == "__main__":
    main()
