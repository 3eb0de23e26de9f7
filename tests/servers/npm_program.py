"""A program of an npm package in a project."""

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SECONDS = 120


@dataclass(frozen=True, slots=True)
class NpmProgram:
    """The program.

    Args:
        argv: how it is started.
        home: the home of a user without settings.
        quiet: variables that turn off what a test does not need.
    """

    argv: tuple[str, ...]
    root: Path
    home: Path
    quiet: Mapping[str, str] = field(default_factory=dict)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join((str(Path(self.argv[0]).parent), os.environ["PATH"]))
        environ = {"PATH": path, "HOME": str(self.home), "NO_COLOR": "1", **self.quiet}
        return subprocess.run(
            [*self.argv, *arguments],
            cwd=self.root,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=SECONDS,
            check=False,
        )

    def json(self, *arguments: str) -> Any:
        return json.loads(self.run(*arguments, "--json").stdout)
