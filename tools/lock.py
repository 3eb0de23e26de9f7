"""Lock what the GitHub Action and a release install.

    python tools/lock.py

Writes the files of `LOCKS` from pyproject.toml with uv: each package at one version, with the
hashes of all files of that version, for Python 3.11 and newer on Linux, macOS and Windows. Versions
stay as they are locked where pyproject.toml allows them; a new one is at least a week old.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
TRACKERS = ("github", "ado", "jira")
# Each file, with the names of what it locks; "project" and "build-system" are those tables.
LOCKS = {
    "ci/requirements.txt": ("project", "build-system", *TRACKERS),
    "tools/requirements/build.txt": ("build",),
    "tools/requirements/release.txt": ("release",),
}
SOURCE = "pyproject.toml"
_HEADER = f"# Written by `make lock` from {SOURCE}.\n"
_OPTIONS = ("--universal", "--python-version", "3.11", "--generate-hashes", "--no-header")
_AGE = ("--exclude-newer", "7 days")


def main() -> None:
    """Write each lock; exits with uv's code where it fails."""
    uv = str(Path(sys.executable).with_name("uv"))
    for name in LOCKS:
        path = ROOT / name
        path.parent.mkdir(exist_ok=True)
        command = [uv, "pip", "compile", "-", *_OPTIONS, *_AGE, "--quiet", "--output-file", name]
        done = subprocess.run(  # noqa: S603  (a fixed list of our own)
            command, input="\n".join(direct(name)), cwd=ROOT, text=True, check=False
        )
        if done.returncode:
            sys.exit(done.returncode)
        path.write_text(_HEADER + path.read_text(encoding="utf-8"), encoding="utf-8")


def direct(lock: str) -> list[str]:
    """The requirements of pyproject.toml that a lock is for."""
    content: dict[str, Any] = tomllib.loads((ROOT / SOURCE).read_text(encoding="utf-8"))
    lists = {
        "project": content["project"]["dependencies"],
        "build-system": content["build-system"]["requires"],
        **content["project"]["optional-dependencies"],
        **content["dependency-groups"],
    }
    return [line for name in LOCKS[lock] for line in _whole(lists[name], lists)]


def _whole(lines: list[Any], lists: dict[str, list[Any]]) -> list[str]:
    """The requirements of a group, with those of the groups that it includes."""
    requirements: list[str] = []
    for line in lines:
        included = line["include-group"] if isinstance(line, dict) else None
        requirements += _whole(lists[included], lists) if included else [line]
    return requirements


if __name__ == "__main__":
    main()
