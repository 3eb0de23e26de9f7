"""Several processes resume one increment at the same moment: it is reopened once.

    python -m tests.crash.at_once [--processes N] [--rounds N]

Each process has seen the increment completed, and is let go when all have. Prints one JSON
document.
"""

import argparse
import contextlib
import io
import os
from collections import Counter
from typing import Any

from tests.crash.stage import REASON, Case, Stage
from tests.crash.sweep import report

from unlatch.cli.main import run
from unlatch.increments.files.manager import MetadataManager


def resume_at_once(stage: Stage, case: Case, processes: int) -> list[int]:
    """The exit codes of all processes."""
    gate, opener = os.pipe()
    ready, say_ready = os.pipe()
    children = []
    for _ in range(processes):
        if (child := os.fork()) == 0:
            os.close(opener)
            _resume(stage, case, gate, say_ready)
        children.append(child)
    os.close(say_ready)
    for _ in children:
        assert os.read(ready, 1), "a process ended before it came to change the increment"
    os.close(opener)  # everybody was waiting for this
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    for descriptor in (gate, ready):
        os.close(descriptor)
    return codes


def _resume(stage: Stage, case: Case, gate: int, say_ready: int) -> None:
    real = MetadataManager.apply

    def together(manager: MetadataManager, *args: Any, **kwargs: Any) -> Any:
        os.write(say_ready, b"x")
        os.read(gate, 1)
        return real(manager, *args, **kwargs)

    MetadataManager.apply = together  # type: ignore[method-assign,assignment]
    code = 99
    try:
        os.environ.update(stage.environ)
        told = ["--reason", REASON, "--yes", "--by", "Dana", "--json"]
        with contextlib.redirect_stdout(io.StringIO()):
            code = run(["--root", str(case.root), "resume", case.increment, *told])
    finally:
        os._exit(code)


def main() -> None:
    """Run some rounds; the exit code is 0 if nothing was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    wrong: list[str] = []
    codes: Counter[int] = Counter()
    with Stage() as stage:
        for number in range(options.rounds):
            case = stage.case(str(number))
            codes.update(resume_at_once(stage, case, options.processes))
            wrong += stage.problems(case)
    wrong += [f"exit code {code}" for code in codes if code not in (0, 3)]
    report({"rounds": options.rounds, "codes": codes}, wrong)


if __name__ == "__main__":
    main()
