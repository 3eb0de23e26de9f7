"""Run the findings: what the tools around unlatch really do, at the versions recorded here.

`python findings/run.py [NAME...]`; it needs bash, git, Node.js with npm, and the package indexes.
Exit code 1: a tool behaves otherwise than recorded; 2: one could not be installed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

HERE = Path(__file__).resolve().parent
HELPER = "common.sh"
SECONDS = 1800
SECONDS_TO_TIDY = 10
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
    codes = [_run(name, scripts[name]) for name in wanted]
    changed = sum(code not in _WORDS for code in codes)
    missing = codes.count(NOT_INSTALLED)
    passed = len(codes) - changed - missing
    sys.stdout.write(f"{passed} as recorded, {changed} changed, {missing} not installed\n")
    return CHANGED if changed else NOT_INSTALLED if missing else 0


def _run(name: str, script: Path) -> int:
    bash = shutil.which("bash")
    if bash is None:
        code, output = NOT_INSTALLED, "not installed: bash\n"
    else:
        code, output = _output([bash, str(script)])
    sys.stdout.write(f"{_WORDS.get(code, 'changed'):14} {name}\n{output if code else ''}")
    sys.stdout.flush()
    return code


def _output(command: list[str]) -> tuple[int, str]:
    """The exit code and output of a script; nothing that it started outlives it."""
    with subprocess.Popen(  # noqa: S603  (our own script)
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            _end(process)
            return CHANGED, f"it did not end in {SECONDS} s\n"
        except KeyboardInterrupt:
            _end(process)
            raise
    return process.returncode, output


def _end(process: subprocess.Popen[str]) -> None:
    """End a script with all that it started; first it may remove its folder."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(SECONDS_TO_TIDY)


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except KeyboardInterrupt:
        raise SystemExit(128 + signal.SIGINT) from None
