"""Run the findings: what the tools around unlatch really do, at the versions recorded here.

`python findings/run.py [NAME...]`; it needs bash, git, Node.js with npm, and the package indexes.
Exit code 1: a tool behaves otherwise than recorded; 2: one could not be installed; 130 or 143: it
was stopped by SIGINT or SIGTERM.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parent
HELPER = "common.sh"
SECONDS = 1800
SECONDS_TO_TIDY = 10
SECONDS_TO_LOOK = 0.2
CHANGED, NOT_INSTALLED = 1, 2
_WORDS = {0: "as recorded", NOT_INSTALLED: "not installed"}


def main(arguments: list[str] | None = None, *, folder: Path = HERE) -> int:
    """Run the scripts in a folder one after the other; the exit code."""
    scripts = {path.stem: path for path in sorted(folder.glob("*.sh")) if path.name != HELPER}
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    parser.add_argument("name", nargs="*", help="only these findings")
    wanted = parser.parse_args(arguments).name or [*scripts]
    if unknown := [name for name in wanted if name not in scripts]:
        parser.error(f"no such finding: {', '.join(unknown)}")
    codes: list[int] = []
    with _noted_signals() as signals:
        for name in wanted:
            code = _run(name, scripts[name], signals)
            if signals:
                break
            codes.append(code)
    changed = sum(code not in _WORDS for code in codes)
    missing = codes.count(NOT_INSTALLED)
    passed = len(codes) - changed - missing
    sys.stdout.write(f"{passed} as recorded, {changed} changed, {missing} not installed\n")
    if signals:
        left = ", ".join(wanted[len(codes) :])
        sys.stdout.write(f"stopped by {signals[0].name}; not run to the end: {left}\n")
        return 128 + signals[0]
    return CHANGED if changed else NOT_INSTALLED if missing else 0


@contextmanager
def _noted_signals() -> Iterator[list[signal.Signals]]:
    """The signals to stop that came, which do not interrupt: a child is never left alone."""
    noted: list[signal.Signals] = []
    before = {
        number: signal.signal(number, lambda number, _: noted.append(signal.Signals(number)))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield noted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _run(name: str, script: Path, signals: list[signal.Signals]) -> int:
    bash = shutil.which("bash")
    if bash is None:
        code, output = NOT_INSTALLED, "not installed: bash\n"
    else:
        with TemporaryDirectory(prefix="finding-", ignore_cleanup_errors=True) as folder:
            code, output = _output([bash, str(script)], folder, signals)
    word = "stopped" if signals else _WORDS.get(code, "changed")
    sys.stdout.write(f"{word:14} {name}\n{output if code and not signals else ''}")
    sys.stdout.flush()
    return code


def _output(command: list[str], folder: str, signals: list[signal.Signals]) -> tuple[int, str]:
    """The exit code and output of a script; nothing that it started outlives it."""
    with subprocess.Popen(  # noqa: S603  (our own script)
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, "TMPDIR": folder},
        start_new_session=True,
    ) as process:
        end = monotonic() + SECONDS
        while not signals and monotonic() < end:
            with suppress(subprocess.TimeoutExpired):
                output, _ = process.communicate(timeout=SECONDS_TO_LOOK)
                return process.returncode, output
        _end(process)
    return CHANGED, f"it did not end in {SECONDS} s\n"


def _end(process: subprocess.Popen[str]) -> None:
    """End a script with all that it started; first it may remove its folder."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(SECONDS_TO_TIDY)


if __name__ == "__main__":
    raise SystemExit(main())
