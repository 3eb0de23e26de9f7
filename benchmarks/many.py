"""Commands with 5,000 increments, compared with the minimum in Python."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.children import minimum, run
from benchmarks.figures import Figure
from benchmarks.places import UNLATCH, with_many_increments

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from benchmarks.children import Spent

PART = "many"
COUNT = 5000
ROUNDS = 10

# Reads and parses each file, and keeps nothing.
_LISTING = """
import json, os, sys
def read(parent, wanted=""):
    for name in sorted(os.listdir(parent)):
        folder = os.path.join(parent, name)
        if name.startswith("_"):
            yield from read(folder, wanted)
        elif name.startswith(wanted):
            with open(os.path.join(folder, "metadata.json"), "rb") as file:
                yield folder, json.loads(file.read())
"""
LIST = _LISTING + "for _ in read(sys.argv[1]): pass"
_TITLED = (
    _LISTING
    + """
for folder, _ in read(sys.argv[1]):
    with open(os.path.join(folder, "spec.md"), encoding="utf-8") as file:
        file.read()
"""
)
_SHOW = (
    _LISTING
    + """
for folder, _ in read(sys.argv[1], sys.argv[2]):
    for name in ("spec.md", "tasks.md"):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            file.read()
"""
)
# The minimum for any command line that uses click.
_CLICK = "import click\n"
# As durable as unlatch: replaces the file, adds a line to a log, and syncs both.
CHANGE = (
    _LISTING
    + """
def sync(path, flags):
    opened = os.open(path, flags)
    os.fsync(opened)
    os.close(opened)
for folder, data in read(sys.argv[1], sys.argv[2]):
    place = os.path.join(folder, "metadata.json")
    with open(place + ".new", "w") as file:
        json.dump({**data, "status": "backlog"}, file, indent=2)
        file.flush()
        os.fsync(file.fileno())
    os.replace(place + ".new", place)
    sync(folder, os.O_RDONLY)
    with open(os.path.join(folder, "events.jsonl"), "a") as file:
        file.write(json.dumps({"event": "moved"}) + "\\n")
        file.flush()
        os.fsync(file.fileno())
"""
)


@dataclass(frozen=True, slots=True)
class _Comparison:
    """A command and its baseline.

    Args:
        floor: the name of the baseline in `_FLOORS`, or of a command of another unlatch.
        at_most: the maximum ratio.
    """

    command: str
    floor: str
    at_most: float | None = None


_FLOORS = {
    "reading every metadata.json": LIST,
    "and every spec.md": _TITLED,
    "reading its files": _SHOW,
    "reading and replacing its file": CHANGE,
    "reading every metadata.json, with click": _CLICK + LIST,
    "reading its files, with click": _CLICK + _SHOW,
    "reading and replacing its file, with click": _CLICK + CHANGE,
}
_NEW = "new Title"
_BY_THE_OTHER = ("list --all", "list --all --json", "status", "show {}", "pause {} --by me")
_COMMANDS = (
    _Comparison("list --all", "reading every metadata.json", 1.5),
    _Comparison("list --all", "and every spec.md"),
    _Comparison("list --all", "reading every metadata.json, with click"),
    # These two read every increment.
    _Comparison("list --all --reverse", "reading every metadata.json"),
    _Comparison("list --all --json", "reading every metadata.json"),
    _Comparison("status", "reading every metadata.json"),
    # docs/adr/0026-show-without-click.md
    _Comparison("show {}", "reading its files", 1.6),
    _Comparison("show {} --offline", "reading its files, with click", 1.2),
    _Comparison("pause {} --by me", "reading and replacing its file", 2.5),
    _Comparison("pause {} --by me", "reading and replacing its file, with click"),
    _Comparison(_NEW, "reading every metadata.json"),  # without an index for search
)


def figures(other: str | None = None) -> Iterator[Figure]:
    """Each command in a process, alternating with its baselines.

    Args:
        other: the path of another `unlatch`, such as an earlier version, to compare with.
    """
    with with_many_increments(COUNT) as (root, increments):
        # The first round fills the caches of the system.
        rounds = [_round(root, increments, turn, other) for turn in range(ROUNDS + 1)][1:]
    spent = {name: minimum([turn[name] for turn in rounds]) for name in rounds[0]}
    compared = (_Comparison(command, f"{other} {command}") for command in _BY_THE_OTHER if other)
    for comparison in (*_COMMANDS, *compared):
        floor, mine = spent[comparison.floor], spent[comparison.command]
        what = f"{comparison.command.format('N')}, {COUNT:,} increments"
        for kind, lowest, its in (
            ("CPU", mine.cpu, floor.cpu),
            ("wall", mine.wall, floor.wall),
        ):
            yield Figure(
                PART, f"{what} ({kind})", lowest, "ms", its, comparison.at_most, comparison.floor
            )


def _round(root: Path, increments: Path, turn: int, other: str | None) -> dict[str, Spent]:
    """Run each command and baseline once, on increments that no other round uses."""
    number = COUNT - 1 - 20 * turn
    lines: dict[str, Sequence[str]] = {
        name: (sys.executable, "-c", script, str(increments), f"{number - 10:04d}-")
        for name, script in _FLOORS.items()
    }
    for comparison in _COMMANDS:
        lines[comparison.command] = (UNLATCH, *comparison.command.format(number).split())
    states = {_NEW: f"state-{turn}"}  # without an index
    for command in _BY_THE_OTHER if other else ():
        name = f"{other} {command}"
        lines[name] = (str(other), *command.format(number - 4).split())
        states[name] = "state-of-the-other"
    return {
        name: run(line, cwd=root, env=_with_state(root / states.get(name, "state")))
        for name, line in lines.items()
    }


def _with_state(folder: Path) -> dict[str, str]:
    return os.environ | {"XDG_STATE_HOME": str(folder)}
