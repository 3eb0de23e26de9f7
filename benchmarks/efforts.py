"""Commands on 1,000 efforts with 100,000 log lines, compared with reading the files."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.children import minimum, run
from benchmarks.figures import Figure
from benchmarks.places import UNLATCH
from unlatch.project.workspace import utc_now
from unlatch.worklog.ids import new_ulid
from unlatch_efforts.store import EffortStore
from unlatch_efforts.transcript import Author

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.children import Spent

PART = "efforts"
COUNT, LINES = 1000, 100_000
LONG = "effort-0"  # has half of the lines
ROUNDS = 2
# `list` needs no log, and `verify` hashes each line.
COMMANDS = ("list", "search word-77", f"close {LONG} --summary Done", f"reopen {LONG}", "verify")
FLOOR = """
import json, pathlib, sys
for path in pathlib.Path(sys.argv[1]).rglob("*.jsonl"):
    for line in path.read_bytes().splitlines():
        json.loads(line)
"""


def figures() -> Iterator[Figure]:
    """Each command in a process, alternating with one that reads and parses logs and events."""
    with tempfile.TemporaryDirectory(prefix="unlatch-bench-") as folder:
        root = Path(folder)
        efforts = _make(root)
        env = os.environ | {"XDG_STATE_HOME": str(root / "state")}
        floor = (sys.executable, "-c", FLOOR, str(efforts))
        asked = [floor, *((UNLATCH, "effort", *command.split()) for command in COMMANDS)]
        first = [run(line, cwd=root, env=env) for line in asked]
        rounds = [[run(line, cwd=root, env=env) for line in asked] for _ in range(ROUNDS)]
    columns = [minimum(column) for column in zip(*rounds, strict=True)]
    names = [command.split()[0] for command in COMMANDS]
    yield from _compared([columns[0], first[2]], ["first search"])
    yield from _compared(columns, names)


def _compared(columns: Sequence[Spent], names: Sequence[str]) -> Iterator[Figure]:
    floor, *others = columns
    for name, spent in zip(names, others, strict=True):
        what = f"{name}, {COUNT:,} efforts, {LINES:,} lines (CPU)"
        yield Figure(PART, what, spent.cpu, "ms", floor.cpu, None, "reading and parsing")


def _make(root: Path) -> Path:
    (root / ".unlatch").mkdir()
    store = EffortStore(root / ".unlatch" / "efforts", Author("bench", utc_now, new_ulid))
    for number in range(COUNT):
        effort = store.open(f"effort {number}")
        count = LINES // 2 if effort.id == LONG else LINES // 2 // (COUNT - 1)
        store.transcript(effort.id).append(
            *({"role": "user", "content": _text(number, at)} for at in range(count))
        )
        if effort.id != LONG:
            store.conclude(effort.id, f"About word-{number}.")
    return store.root


def _text(number: int, at: int) -> str:
    return (
        f"Line {at} is about word-{number} and word-{at % 97}, and about as long as one in a chat."
    )
