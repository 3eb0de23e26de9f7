"""Run a command in a process and measure its time."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.figures import NotMeasured

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Spent:
    """The time of a process, in milliseconds.

    Args:
        wall: elapsed time from start to exit.
        cpu: user and system time, including threads and children. On a busy machine it varies less
            than `wall`.
    """

    wall: float
    cpu: float


def run(
    command: Sequence[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> Spent:
    """Run a command and wait for it.

    Raises:
        NotMeasured: the command failed.
    """
    with tempfile.TemporaryFile() as said:
        began = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=said, stderr=said
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            words = said.read().decode(errors="replace").strip()
            raise NotMeasured(f"{' '.join(command)} exited {process.returncode}:\n{words}")
    return Spent(wall * 1000, (usage.ru_utime + usage.ru_stime) * 1000)


def minimum(spent: Sequence[Spent]) -> Spent:
    """The minimum of each time: disturbances only add to it."""
    return Spent(min(one.wall for one in spent), min(one.cpu for one in spent))
