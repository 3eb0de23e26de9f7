"""What machines run all day: CI units, large trees and long logs, in processes of their own.

It takes hours at the full size, so it runs only where it is named; `--size 0.01` makes it small.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.children import peak_memory, run
from benchmarks.figures import Figure
from benchmarks.places import UNLATCH, with_many_increments, write_increment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

PART = "machines"
ROUNDS = 9
INCREMENTS = 20_000
# Megabytes.
LONG, SHORT = 1000, 10
_BARE = (sys.executable, "-c", "pass")
# Reads one increment after the other, and keeps none.
_READ = """
import json, os, sys
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            (json.load if name.endswith(".json") else type(file).read)(file)
"""
# 0: nothing to fix; 5: findings.
_CHECKED = (0, 5)


@dataclass(frozen=True, slots=True)
class Row:
    """A command of unlatch, and what it is compared with.

    Args:
        floor: another process that does the least, or the same command with less to do.
        cpu_at_most: the maximum ratio of the CPU times; None if time is no matter.
        memory_at_most: the maximum ratio of the peaks of memory; None if memory is no matter.
        afresh: whether each run begins without what an earlier one cached.
        expected: the exit codes of a command that did not fail.
    """

    what: str
    arguments: Sequence[str]
    floor: Sequence[str]
    floor_name: str
    cpu_at_most: float | None = None
    memory_at_most: float | None = None
    afresh: bool = False
    expected: tuple[int, ...] = (0,)


def figures(other: str | None = None, size: float = 1.0, rounds: int = ROUNDS) -> Iterator[Figure]:
    """Each command, alternating with its floor and with the other unlatch.

    Args:
        other: the path of another `unlatch`, such as an earlier version, to compare with.
        size: the share of the full size.
        rounds: how often each runs.
    """
    for prepared in (_without_links, _large_tree, _long_transcript):
        with prepared(size) as (root, rows):
            for row in rows:
                yield from _compared(row, root, other, rounds)


@contextmanager
def _without_links(_size: float) -> Iterator[tuple[Path, list[Row]]]:
    with tempfile.TemporaryDirectory(prefix="unlatch-bench-") as folder:
        root = Path(folder)
        for number in range(1, 6):
            name = f"{number:04d}-unlinked"
            content = {"id": name, "status": "active", "created": "2026-01-01T09:00:00Z"}
            write_increment(root / ".unlatch" / "increments" / name, content, "# Unlinked\n")
        what = "`sync --yes` of 5 increments without links"
        row = Row(what, ("sync", "--yes"), _BARE, "python -c pass", cpu_at_most=8)
        yield root, [row]


@contextmanager
def _large_tree(size: float) -> Iterator[tuple[Path, list[Row]]]:
    count = max(5, int(INCREMENTS * size))
    with with_many_increments(count) as (root, increments):
        floor, name = (sys.executable, "-c", _READ, str(increments)), "reading their files"
        yield (
            root,
            [
                Row(
                    f"`doctor` of {count:,} increments",
                    ("doctor", "--json"),
                    floor,
                    name,
                    cpu_at_most=25,
                    memory_at_most=4,
                    expected=_CHECKED,
                ),
                Row(
                    f"`search`, first index of {count:,} increments",
                    ("search", "something"),
                    floor,
                    name,
                    cpu_at_most=12,
                    afresh=True,
                ),
            ],
        )


@contextmanager
def _long_transcript(size: float) -> Iterator[tuple[Path, list[Row]]]:
    with tempfile.TemporaryDirectory(prefix="unlatch-bench-") as folder:
        root = Path(folder)
        (root / ".unlatch" / "increments").mkdir(parents=True)
        for megabytes in (LONG, SHORT):
            _write_transcript(root / f"{megabytes}.jsonl", int(megabytes * size * 1_000_000), root)
        long, short = (
            ("session", "import", f"{megabytes}.jsonl", "--json") for megabytes in (LONG, SHORT)
        )
        what, than = (f"`session import` of {n * size:g} MB" for n in (LONG, SHORT))
        floor = (UNLATCH, *short)
        yield root, [Row(what, long, floor, than, memory_at_most=1.2, afresh=True)]


def _write_transcript(path: Path, size: int, root: Path) -> None:
    """A session of Claude Code in which a person and the model take turns."""
    common = {"sessionId": path.stem, "version": "2.1.197", "isSidechain": False, "cwd": str(root)}
    parent, number = None, 0
    with path.open("w", encoding="utf-8") as file:
        while file.tell() < size:
            role = ("user", "assistant")[number % 2]
            content = [{"type": "text", "text": f"{number}: {'as it was before ' * 50}"}]
            line = {
                "parentUuid": parent,
                "type": role,
                "uuid": f"u{number}",
                "timestamp": "2026-01-01T09:00:00.000Z",
                "message": {"role": role, "id": f"m{number}", "content": content},
            }
            file.write(json.dumps({**common, **line}) + "\n")
            parent, number = line["uuid"], number + 1


def _compared(row: Row, root: Path, other: str | None, rounds: int) -> Iterator[Figure]:
    lines = {"unlatch": (UNLATCH, *row.arguments), row.floor_name: tuple(row.floor)}
    if other:
        lines[other] = (other, *row.arguments)
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
            limit = None if name == other else at_most
            what = f"{row.what} ({kind})"
            yield Figure(PART, what, mine, unit, median(column), limit, name, details)
            details = {}


def _turn(row: Row, lines: Mapping[str, Sequence[str]], root: Path, kind: str) -> dict[str, float]:
    """Run each command once, each with caches of its own."""
    measured = {}
    for at, (name, line) in enumerate(lines.items()):
        with tempfile.TemporaryDirectory() as fresh:
            state = fresh if row.afresh else str(root / f"state-{at}")
            env = os.environ | {"XDG_STATE_HOME": state}
            if kind == "CPU":
                measured[name] = run(line, cwd=root, env=env, expected=row.expected).cpu
            else:
                measured[name] = peak_memory(line, cwd=root, env=env, expected=row.expected)
    return measured
