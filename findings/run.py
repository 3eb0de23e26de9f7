"""Run the findings: what the tools around unlatch really do, at the versions recorded here.

`python findings/run.py [NAME...]`; it needs bash, git, Node.js with npm, and the package indexes.
Exit code 1: a tool behaves otherwise than recorded; 2: one could not be installed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
HELPER = "common.sh"
SECONDS = 1800
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
    try:
        done = subprocess.run(  # noqa: S603  (our own script)
            ["bash", str(script)],  # noqa: S607  (the one of the PATH)
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        sys.stdout.write(f"changed        {name}: it did not end in {SECONDS} s\n")
        return CHANGED
    sys.stdout.write(f"{_WORDS.get(done.returncode, 'changed'):14} {name}\n")
    if done.returncode:
        sys.stdout.write(f"{done.stdout}{done.stderr}")
    sys.stdout.flush()
    return done.returncode


if __name__ == "__main__":
    raise SystemExit(main())
