"""Disturb a resume at every boundary in turn, and repeat it: nothing is lost.

    python -m tests.crash.disturbed KIND... [--every N]

KIND is one of interrupt (Ctrl-C), full (one write finds the disk full), full-for-good (every later
one does, too) and read-only. The command must end with an exit code that is true and an error that
has an id and a hint; the next one must finish the job. Prints one JSON document.
"""

import argparse
import contextlib
import errno
import json
import os
import signal
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from tests.crash.boundaries import Boundaries, in_fork
from tests.crash.kill_matrix import count_boundaries, reopen
from tests.crash.stage import REASON, Case, Stage

from unlatch.cli.main import run

# What needs room on the disk; removing needs none.
_GROWING = (
    "before write",
    "amid write",
    "fsync",
    *("before move", "before make"),
    *("before rename", "before replace", "before mkdir"),
)
_CHANGING = (*_GROWING, "before remove", "before unlink")
INTERRUPTED, UNDELIVERED = 130, 3


def interrupt(_name: str) -> None:
    """Act as Ctrl-C."""
    os.kill(os.getpid(), signal.SIGINT)


def fill(name: str) -> None:
    """Act as a full disk."""
    if name.startswith(_GROWING):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def freeze(name: str) -> None:
    """Act as a file system that becomes read-only."""
    if name.startswith(_CHANGING):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))


KINDS = {
    "interrupt": (interrupt, False),
    "full": (fill, False),
    "full-for-good": (fill, True),
    "read-only": (freeze, True),
}


class Disturbed:
    """One resume that is disturbed.

    Args:
        code: its exit code.
        said: its output on stderr.
        is_over: whether it had ended before the boundary came: a later resume finds warm caches, so
            it passes fewer boundaries than the one that was counted.
    """

    def __init__(self, stage: Stage, case: Case, kind: str, number: int) -> None:
        strike, lasting = KINDS[kind]
        boundaries = Boundaries(number, strike=strike, lasting=lasting)
        out = case.root.with_suffix(".err")
        status = in_fork(lambda: _resume(stage, case, boundaries, out))
        self.code = os.waitstatus_to_exitcode(status)
        self.said = out.read_text()
        self.is_over = len(boundaries_passed(out)) < number

    def problems(self, case: Case, kind: str, *, before: bytes) -> list[str]:
        """The mistakes of its end."""
        changed = (case.folder / "metadata.json").read_bytes() != before
        wrong = [] if "Traceback" not in self.said else [self.said]
        if self.is_over:
            return wrong if self.code == 0 else [*wrong, f"exit code {self.code}"]
        if kind == "interrupt":
            return wrong if self.code == INTERRUPTED else [*wrong, f"exit code {self.code}"]
        if self.code == 1:
            wrong += ["it said that nothing was changed"] if changed else []
            wrong += [] if "error[not-writable]" in self.said else [self.said]
            wrong += [] if "\n  next: " in self.said else [self.said]
        elif self.code not in (0, UNDELIVERED) or not changed:
            wrong.append(f"exit code {self.code}: {self.said}")
        return wrong


def boundaries_passed(out: Path) -> list[str]:
    """The names of the boundaries that a disturbed resume came past."""
    return out.with_suffix(".passed").read_text().splitlines()


def _resume(stage: Stage, case: Case, boundaries: Boundaries, out: Path) -> None:
    code = 99
    try:
        os.environ.update(stage.environ)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        command = ["--root", str(case.root), "resume", "7", "--reason", REASON, "--yes"]
        with (
            out.open("w") as err,
            contextlib.redirect_stderr(err),
            contextlib.redirect_stdout(err),
        ):
            boundaries.install()
            code = run([*command, "--by", "Dana"])
    finally:
        with open(out.with_suffix(".passed"), "w") as passed:  # noqa: PTH123  # not watched
            passed.write("\n".join(boundaries.passed))
        os._exit(code)


def sweep(stage: Stage, names: list[str], kind: str, every: int) -> dict[str, Any]:
    """Disturb a resume in one way at every n-th boundary; returns the results.

    Each kind begins elsewhere, so that a sample of each is one of more places together.
    """
    wrong: dict[str, list[str]] = {}
    codes: Counter[int] = Counter()
    over = 0
    first = 1 + list(KINDS).index(kind) * every // len(KINDS)
    for number in range(first, len(names) + 1, every):
        case = stage.case(f"{kind}-{number}")
        before = (case.folder / "metadata.json").read_bytes()
        disturbed = Disturbed(stage, case, kind, number)
        codes[disturbed.code] += not disturbed.is_over
        over += disturbed.is_over
        problems = disturbed.problems(case, kind, before=before)
        recovered = in_fork(lambda case=case: reopen(stage, case))  # type: ignore[misc]
        problems += stage.problems(case)
        if recovered or problems:
            wrong[f"{number} {names[number - 1]}"] = [*problems, f"recovery: {recovered}"]
    return {"disturbed": codes.total(), "over": over, "codes": +codes, "wrong": wrong}


def main() -> None:
    """Run the matrix; the exit code is 0 if nothing was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", choices=KINDS, nargs="+")
    parser.add_argument("--every", type=int, default=1, help="at every n-th boundary only")
    options = parser.parse_args()
    with Stage() as stage:
        names = count_boundaries(stage)
        swept = {kind: sweep(stage, names, kind, options.every) for kind in options.kinds}
    print(json.dumps({"boundaries": len(names), **swept}, indent=1))  # noqa: T201
    sys.exit(1 if any(found["wrong"] for found in swept.values()) else 0)


if __name__ == "__main__":
    main()
