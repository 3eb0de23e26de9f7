"""The start of help and list, compared with an empty interpreter."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from benchmarks.children import Spent, minimum, run
from benchmarks.figures import Figure, NotMeasured
from benchmarks.places import UNLATCH, with_increments

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

PART = "startup"
ROUNDS = 25
BARE = (sys.executable, "-c", "pass")
HELP_AT_MOST = 6
LIST_AT_MOST = 15
# The SDKs and their dependencies; neither command needs them.
SDKS = frozenset({"github", "azure", "msrest", "jira", "requests"})


def figures(other: str | None = None) -> Iterator[Figure]:
    """Help and list, alternating with the interpreter so that noise affects all.

    Args:
        other: the path of another `unlatch`, such as an earlier version, to compare with.
    """
    with with_increments() as (root, where):
        help_, list_ = (UNLATCH, "--help"), (UNLATCH, "list", "--all")
        theirs = ((other, *help_[1:]), (other, *list_[1:])) if other else ()
        bare, helped, listed, *rest = _in_turns((BARE, help_, list_, *theirs), cwd=root)
        yield from _compared(bare, helped, "unlatch --help", HELP_AT_MOST)
        yield from _compared(bare, listed, f"unlatch list --all, {where}", LIST_AT_MOST)
        for what, ours, its in zip(("--help", "list --all"), (helped, listed), rest, strict=False):
            yield Figure(PART, f"unlatch {what} (CPU)", ours.cpu, "ms", its.cpu, None, f"{other}")
        for command in (help_, list_):
            what = f"SDK modules that {' '.join(('unlatch', *command[1:]))} loads"
            loaded = len(sdk_modules(command[1:], cwd=root))
            yield Figure(PART, what, loaded, "modules", None, 0, "none")


def _in_turns(commands: Sequence[Sequence[str]], *, cwd: Path) -> list[Spent]:
    for command in commands:
        run(command, cwd=cwd)  # fills the caches
    rounds = [[run(command, cwd=cwd) for command in commands] for _ in range(ROUNDS)]
    return [minimum(column) for column in zip(*rounds, strict=True)]


def _compared(bare: Spent, spent: Spent, what: str, at_most: float) -> Iterator[Figure]:
    for kind, mine, its in (("CPU", spent.cpu, bare.cpu), ("wall", spent.wall, bare.wall)):
        yield Figure(PART, f"{what} ({kind})", mine, "ms", its, at_most, "python -c pass")


def sdk_modules(arguments: Sequence[str], *, cwd: Path) -> list[str]:
    """The modules of SDKs that a command loads, as reported by the interpreter.

    Raises:
        NotMeasured: the command failed.
    """
    command = (sys.executable, "-X", "importtime", "-m", "unlatch.cli", *arguments)
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotMeasured(done.stderr)
    lines = done.stderr.splitlines()
    loaded = [line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")]
    return [name for name in loaded if name.partition(".")[0] in SDKS]
