"""Two commands on two machines, with a fault in between: each reason is posted once in the end.

    python -m tests.machines.two_machines [--jobs N] [--log FILE] [--only PATTERN]

A cell is a pair of commands, the place of the second one, and a fault that strikes the comments of
the first on all three trackers; a sync follows. Its name is `FIRST, SECOND, PLACE, FAULT`, as in
`resume, undo, two clones, kill`; with `--only` and one name, what the commands said is printed.
With `--log`, results are kept in a file; a further run goes on with the rest, and tries again what
was wrong. Prints one JSON document: the number of cells, those that cannot exist by reason, and the
mistakes. A last row is an older version that takes turns with this one over one repository.
"""

import argparse
import json
import multiprocessing
import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from tests.crash.sweep import report
from tests.machines.cells import CELLS, Cell
from tests.machines.end_state import problems
from tests.machines.older_version import take_turns
from tests.machines.play import Clock, Field
from tests.warm import client

from unlatch_sandbox import Sandbox

# Most of a cell's time passes in waits.
_JOBS = 2 * (os.cpu_count() or 1)
_fields: list[Field] = []
_opened = ExitStack()


def _begin(folder: str, warm: str | None) -> None:
    """Make the trackers and teams of one worker."""
    client.share(warm)
    clock, place = Clock(), Path(folder) / str(os.getpid())
    _fields.append(Field(_opened.enter_context(Sandbox(clock=clock)), clock, place))


def _run(cell: Cell) -> dict[str, Any]:
    began, (field,) = time.monotonic(), _fields
    played = field.play(cell)
    found = problems(played)
    said = [(ran.code, ran.said) for ran in (played.first, played.second, played.final)]
    field.leave(played)
    told = {"cell": cell.name, "seconds": round(time.monotonic() - began, 1), "wrong": found}
    return {**told, "said": said} if found else told


def _results(cells: list[Cell], log: Path | None, jobs: int) -> Iterator[dict[str, Any]]:
    """The results of cells, those of the log first; what was wrong there is tried again."""
    lines = log.read_text().splitlines() if log else []
    known = {one["cell"]: one for one in map(json.loads, lines) if not one["wrong"]}
    yield from (known[cell.name] for cell in cells if cell.name in known)
    left = [cell for cell in cells if cell.name not in known]
    warm = client.programs()
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        begin = folder, warm and str(warm)
        with context.Pool(jobs, initializer=_begin, initargs=begin) as pool:
            for result in pool.imap_unordered(_run, left):
                if log:
                    with log.open("a") as file:
                        file.write(f"{json.dumps(result)}\n")
                yield result


def main() -> None:
    """Run the matrix; the exit code is 0 if nothing was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=_JOBS, help="cells at a time")
    parser.add_argument("--log", type=Path, help="keep results here, and go on with the rest")
    parser.add_argument("--only", default="*", help="cells whose name matches, with * and ?")
    options = parser.parse_args()
    if options.log:
        options.log.touch()
    began = time.monotonic()
    chosen = [cell for cell in CELLS if fnmatchcase(cell.name, options.only)]
    empty = Counter(cell.why_empty for cell in chosen if cell.why_empty)
    cells = [cell for cell in chosen if not cell.why_empty]
    wrong = {}
    for result in _results(cells, options.log, min(options.jobs, len(cells))):
        if result["wrong"]:
            wrong[result["cell"]] = [*result["wrong"], *result["said"]]
    document: dict[str, object] = {"cells": len(cells), "empty": empty}
    if options.only == "*":
        document["older version"] = turns = _take_turns()
        wrong |= {"older version": found} if (found := turns.pop("wrong", None)) else {}
    report({**document, "seconds": round(time.monotonic() - began)}, wrong)


def _take_turns() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder, Sandbox() as box:
        return take_turns(box, Path(folder))


if __name__ == "__main__":
    main()
