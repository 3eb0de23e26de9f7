"""The starts of scripted workers on this machine, as their files show them."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from unlatch.values import dataclass
from unlatch_runs.testing import worker

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Starts:
    """The folder in which scripted workers leave a file each."""

    folder: Path

    @property
    def command(self) -> list[str]:
        """The argument list of a scripted worker."""
        # Isolated, and without installed packages: it needs none, and starts in half the time.
        program = str(Path(worker.__file__).absolute())
        return [sys.executable, "-I", "-S", program, str(self.folder)]

    def count(self, run_id: str) -> int:
        """How often the worker of a run id started."""
        return len([*self.folder.glob(f"{run_id}.*.worker")])

    def is_alive(self, run_id: str) -> bool:
        """Whether a process of it lives, its children included."""
        return any(map(_lives, self.pids(run_id)))

    def pids(self, run_id: str) -> Iterator[int]:
        """The ids of all processes that it had."""
        for path in self.folder.glob(f"{run_id}.*.*"):
            yield int(path.name.split(".")[1])


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        stat = Path(f"/proc/{pid}/stat")
        return not (stat.exists() and stat.read_text().rpartition(")")[2].split()[0] in "ZX")
    except (ProcessLookupError, FileNotFoundError):
        return False
