"""Reading 1,000 task files, compared with reading their bytes and with another unlatch."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.children import minimum, run
from benchmarks.figures import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PART = "documents"
COUNT = 1000
ROUNDS = 8
_TASKS = 40
# The folder of a unit, and the lines of a task, by layout.
_LAYOUTS = {
    "unlatch": (
        ".unlatch/increments/{:04d}-work",
        (
            "### T-{0:03d}: Do what was asked\n\n**User Story**: US-001\n"
            "**Satisfies ACs**: AC-US1-{0:02d}\n**Status**: [{1}] {2}\n\nAs it was before.\n"
        ),
    ),
    "spec-kit": (
        "specs/{:03d}-work",
        "- [{1}] T{0:03d} [P] [US1] Do what was asked in src/part_{0}.py per FR-{0:03d}\n",
    ),
    "kiro": (
        ".kiro/specs/work-{}",
        (
            "- [{1}] {0}. Do what was asked\n  - [{1}] {0}.1 In src/part_{0}.py\n"
            "    - As it was before\n    - _Requirements: 1.{0}_\n"
        ),
    ),
    "openspec": ("openspec/changes/work-{}", "- [{1}] 1.{0} Do what was asked in `part_{0}`\n"),
}
_FLOOR = """
import os, sys
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            file.read()
"""
_READ = """
import sys
from pathlib import Path
from unlatch.increments.layouts.folders import text_of
from unlatch.increments.layouts.installed import layout_named
count = 0
for name in sys.argv[2:]:
    layout = layout_named(name)
    for unit in layout.units(Path(sys.argv[1])):
        texts = {name: text_of(unit.place / name) for name in layout.documents(unit)}
        count += len(layout.read(texts).tasks)
if count < 1000:
    sys.exit(f"only {count} tasks")
"""


def figures(other: str | None = None) -> Iterator[Figure]:
    """Read the files of each layout in a process, alternating with the baselines.

    Args:
        other: the path of another `unlatch`, such as an earlier version, to compare with.
    """
    programs = {"unlatch": sys.executable}
    if other:
        programs[other] = str(Path(other).with_name("python"))
    with tempfile.TemporaryDirectory(prefix="unlatch-bench-") as folder:
        _write(Path(folder))
        lines: dict[str, Sequence[str]] = {
            "reading their bytes": (sys.executable, "-c", _FLOOR, folder)
        }
        lines |= {
            name: (program, "-c", _READ, folder, *_LAYOUTS) for name, program in programs.items()
        }
        # The first round fills the caches of the system.
        rounds = [
            {name: run(command) for name, command in lines.items()} for _ in range(ROUNDS + 1)
        ][1:]
    spent = {name: minimum([turn[name] for turn in rounds]) for name in lines}
    mine = spent.pop("unlatch")
    for name, its in spent.items():
        at_most = 1.0 if name == other else None
        for kind, measured, floor in (("CPU", mine.cpu, its.cpu), ("wall", mine.wall, its.wall)):
            what = f"read {COUNT:,} task files of {len(_LAYOUTS)} layouts ({kind})"
            yield Figure(PART, what, measured, "ms", floor, at_most, name)


def _write(root: Path) -> None:
    (root / ".specify").mkdir()
    for place, task in _LAYOUTS.values():
        for number in range(COUNT // len(_LAYOUTS)):
            folder = root / place.format(number)
            folder.mkdir(parents=True)
            states = (("x", "completed") if n % 3 else (" ", "pending") for n in range(_TASKS))
            tasks = (task.format(n, *state) for n, state in enumerate(states, 1))
            text = f"# Tasks\n\n## Phase {number}: User Story 1\n\n{''.join(tasks)}"
            (folder / "tasks.md").write_text(text, encoding="utf-8")
