"""What machines run all day: CI units, large trees and long logs, in processes of their own.

It takes hours at the full size, so it runs only where it is named; `--size 0.01` makes it small.
"""

from __future__ import annotations

import os
import tempfile
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.children import peak_memory, run
from benchmarks.figures import Figure
from benchmarks.machine_rows import PREPARATIONS
from benchmarks.places import UNLATCH

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from benchmarks.machine_rows import Command, Row

PART = "machines"
ROUNDS = 9


def figures(other: str | None = None, size: float = 1.0, rounds: int = ROUNDS) -> Iterator[Figure]:
    """Each command, alternating with its floor, its peers and the other unlatch.

    Args:
        other: the path of another `unlatch`, such as an earlier version, to compare with.
        size: the share of the full size.
        rounds: how often each runs.
    """
    for prepared in PREPARATIONS:
        with prepared(size) as (root, rows):
            for row in rows:
                yield from _compared(row, root, other, rounds)


def _compared(row: Row, root: Path, other: str | None, rounds: int) -> Iterator[Figure]:
    lines = {"unlatch": row.command(UNLATCH), row.floor_name: row.floor, **row.peers}
    if other:
        lines[other] = row.command(other)
    kinds = {"CPU": ("ms", row.cpu_at_most), "peak memory": ("MB", row.memory_at_most)}
    for kind, (unit, at_most) in kinds.items():
        if at_most is None:
            continue
        # The first round fills the caches.
        turns = [_turn(row, lines, root, kind) for _ in range(rounds + 1)][1:]
        columns = {name: [turn[name] for turn in turns] for name in lines}
        details = {
            f"{name}, {which.__name__}": which(column)
            for name, column in columns.items()
            for which in (min, max)
        }
        mine = median(columns.pop("unlatch"))
        for name, column in columns.items():
            limit = at_most if name == row.floor_name else None
            what = f"{row.what} ({kind})"
            yield Figure(PART, what, mine, unit, median(column), limit, name, details)
            details = {}


def _turn(row: Row, lines: Mapping[str, Command], root: Path, kind: str) -> dict[str, float]:
    """Run each command once, each with caches of its own."""
    measured = {}
    for at, (name, line) in enumerate(lines.items()):
        row.before()
        with tempfile.TemporaryDirectory() as fresh:
            state = fresh if row.afresh else str(root / f"state-{at}")
            env = {**os.environ, **row.environ, "XDG_STATE_HOME": state}
            if kind == "CPU":
                measured[name] = run(line, cwd=root, env=env, expected=row.expected).cpu
            else:
                measured[name] = peak_memory(line, cwd=root, env=env, expected=row.expected)
    return measured
