"""How long commands take with 5,000 increments, beside reading and parsing the files."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from benchmarks.children import Spent, least, run
from benchmarks.figures import Figure
from benchmarks.places import UNLATCH, with_many_increments

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

PART = "many"
COUNT = 5000
ROUNDS = 10
LIST_AT_MOST = 1.8

# No more than this can be left out: each file is read whole and parsed, and forgotten again.
FLOOR = """
import json, os, sys
def read(parent):
    for name in sorted(os.listdir(parent)):
        folder = os.path.join(parent, name)
        if name.startswith("_"):
            read(folder)
            continue
        with open(os.path.join(folder, "metadata.json"), "rb") as file:
            json.loads(file.read())
        try:
            with open(os.path.join(folder, "spec.md"), encoding="utf-8") as file:
                file.read()
        except FileNotFoundError:
            pass
read(sys.argv[1])
"""


def figures() -> Iterator[Figure]:
    """Each command as a process, in turns with one that only reads and parses."""
    with with_many_increments(COUNT) as (root, increments, where):
        commands = {
            "list --all": LIST_AT_MOST,
            "list --all --json": None,
            "status": None,
            "new Title": None,  # with nothing indexed for search
        }
        floor = (sys.executable, "-c", FLOOR, str(increments))
        asked = [floor, *((UNLATCH, *command.split()) for command in commands)]
        # In the first round, what is read for the first time is read.
        rounds = [_round(asked, root, number) for number in range(ROUNDS + 1)][1:]
        columns = [least(column) for column in zip(*rounds, strict=True)]
        for (command, at_most), spent in zip(commands.items(), columns[1:], strict=True):
            yield from _beside(columns[0], spent, f"{command}, {where}", at_most)


def _round(asked: Sequence[Sequence[str]], root: Path, number: int) -> list[Spent]:
    env = os.environ | {"XDG_STATE_HOME": str(root / f"state-{number}")}
    return [run(line, cwd=root, env=env) for line in asked]


def _beside(floor: Spent, spent: Spent, what: str, at_most: float | None) -> Iterator[Figure]:
    for kind, mine, its in (("CPU", spent.cpu, floor.cpu), ("wall", spent.wall, floor.wall)):
        yield Figure(PART, f"{what} ({kind})", mine, "ms", its, at_most, "reading and parsing")
