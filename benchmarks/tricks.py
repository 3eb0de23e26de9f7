"""Each trick at the start: `unlatch show` with it, compared with the same without it.

A trick that no longer helps has a ratio near 1, which is over its limit; then it can go.
"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from benchmarks.children import minimum, run
from benchmarks.figures import Figure
from benchmarks.places import with_increments

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PART = "tricks"
ROUNDS = 25
_COMPILED = """
import dataclasses, unlatch.values
def usual(cls=None, frozen=False, **options):
    # Frozen, a class with slots fails in super(), as the initial one is not the one that is used.
    return dataclasses.dataclass(cls, unsafe_hash=frozen, **options)
unlatch.values.dataclass = usual
"""
_PARSED = """
import unlatch.cli.__main__ as start
prepare = start.prepare
def without():
    prepare()
    import unlatch.cli.main
    unlatch.cli.main.plain_show = lambda arguments: False
start.prepare = without
"""
_METADATA = """
import importlib.metadata, unlatch.worklog.entry_points as ours
def usual(group):
    return {one.name: one.value for one in importlib.metadata.entry_points(group=group)}
ours.entry_points = usual
"""
_ALL = "import {0} as face\nfor name in face._MODULES: getattr(face, name)"
# What undoes each before the command runs, and the maximum ratio.
TRICKS: dict[str, tuple[str, float]] = {
    "dataclasses without compiled methods (values)": (_COMPILED, 0.8),
    "fields of dataclasses when they are asked for (values)": (
        "import unlatch.values as ours; ours._has_fields_alone = lambda cls: False",
        0.98,
    ),
    "expressions compiled at first use (patterns)": (
        "import re, unlatch.patterns; unlatch.patterns.pattern = re.compile",
        0.98,
    ),
    "digests without OpenSSL (worklog.digests)": (
        "import unlatch.worklog.digests as ours; ours._MODULE = 'hashlib'",
        0.97,
    ),
    "modules that run at first use (project.deferred)": (
        "import unlatch.project.deferred as ours; ours.defer = lambda names, **known: None",
        0.85,
    ),
    "fewer collections of garbage (cli.__main__)": (
        "import gc; gc.set_threshold = lambda number: None",
        0.98,
    ),
    "`show ID` without click (cli.main.plain_show)": (_PARSED, 0.9),
    "entry points without importlib.metadata": (_METADATA, 0.8),
    "names of unlatch.spi at first use": (_ALL.format("unlatch.spi"), 0.9),
    "names of unlatch.transport at first use": (_ALL.format("unlatch.transport"), 0.6),
    "errors of trackers and models at first use": (
        "import unlatch.errors.trackers, unlatch.errors.models",
        0.98,
    ),
}
_PROGRAM = """
import sys
sys.argv = ["unlatch", "show", {name!r}]
{undone}
from unlatch.cli.__main__ import main
main()
"""


def figures() -> Iterator[Figure]:
    """The start with and without each trick, alternating so that noise affects all."""
    with with_increments() as (root, _):
        folders = (root / ".specweave" / "increments").iterdir()
        name = max(folder.name for folder in folders if folder.name[0].isdigit())
        undone = ("", *(code for code, _ in TRICKS.values()))
        programs = [program(name, code) for code in undone]
        for each in programs:
            _check_output(each, programs[0], root)
        rounds = [
            [run((sys.executable, "-P", "-c", program), cwd=root) for program in programs]
            for _ in range(ROUNDS + 1)
        ]
        ours, *others = (minimum(column) for column in zip(*rounds[1:], strict=True))
        for (trick, (_, at_most)), other in zip(TRICKS.items(), others, strict=True):
            yield Figure(PART, trick, ours.cpu, "ms", other.cpu, at_most, "without it (CPU)")


def _check_output(undone: str, usual: str, root: Path) -> None:
    """Check that a command without a trick does the same work: what prints less is faster."""
    first, second = (
        subprocess.run(
            (sys.executable, "-P", "-c", each), cwd=root, capture_output=True, check=True
        )
        for each in (usual, undone)
    )
    if first.stdout != second.stdout:
        raise ValueError(f"`unlatch show` prints other text with this:\n{undone}")


def program(name: str, undone: str) -> str:
    """The program that runs `unlatch show`, and before it what undoes a trick."""
    return _PROGRAM.format(name=name, undone=undone)
