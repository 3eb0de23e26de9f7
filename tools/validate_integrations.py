"""Let the agents' own programs check integrations/.

    python tools/validate_integrations.py

It runs `claude plugin validate --strict` (npm package @anthropic-ai/claude-code) and `gemini
extensions validate` (@google/gemini-cli) where they are on the PATH, and prints a line for each
that is not. They get an empty home folder. The exit code is 1 if one of them finds a mistake.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "integrations"
# `claude` checks either the marketplace or the plugin of a folder that has both.
CHECKS = {
    "the marketplace": ("claude", "plugin", "validate", "--strict", str(FOLDER)),
    "the plugin": (
        *("claude", "plugin", "validate", "--strict"),
        str(FOLDER / ".claude-plugin/plugin.json"),
    ),
    "the extension": ("gemini", "extensions", "validate", str(FOLDER)),
}
# Seconds.
TIMEOUT = 180


def main() -> int:
    """Run the checks; the exit code."""
    with tempfile.TemporaryDirectory(prefix="unlatch-agents-") as home:
        return max(_check(name, argv, home) for name, argv in CHECKS.items())


def _check(name: str, argv: tuple[str, ...], home: str) -> int:
    program = shutil.which(argv[0])
    if program is None:
        _say(f"skipped: {argv[0]} is not installed, so {name} is not checked")
        return 0
    environ = {"PATH": os.environ.get("PATH", ""), "HOME": home, "NO_COLOR": "1"}
    done = subprocess.run(  # noqa: S603  (the program of the developer)
        [program, *argv[1:]],
        cwd=home,
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    if done.returncode:
        _say(f"failed: {argv[0]} refuses {name}", done.stdout, done.stderr)
        return 1
    _say(f"ok: {argv[0]} accepts {name}")
    return 0


def _say(*lines: str) -> None:
    print(*filter(None, lines), sep="\n", flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
