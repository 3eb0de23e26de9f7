"""Run a command in a process and measure its time."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.figures import NotMeasured

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence
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


# A process begins with the peak of the one that starts it, so a small one starts the command.
_PEAK = """
import os, sys
out = os.open(os.devnull, os.O_WRONLY)
into = [(os.POSIX_SPAWN_DUP2, out, 1), (os.POSIX_SPAWN_DUP2, out, 2)]
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=into)
_, status, usage = os.wait4(child, 0)
print(usage.ru_maxrss, os.waitstatus_to_exitcode(status))
"""


def peak_memory(
    command: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    expected: Container[int] = (0,),
) -> float:
    """The peak of the resident memory of a command, in megabytes (of 1,048,576 bytes).

    Raises:
        NotMeasured: the command failed.
    """
    starter = (sys.executable, "-I", "-S", "-c", _PEAK, *command)
    done = subprocess.run(starter, cwd=cwd, env=env, stdout=subprocess.PIPE, check=True)
    kilobytes, code = map(int, done.stdout.split())
    if code not in expected:
        raise NotMeasured(f"{' '.join(command)} exited {code}")
    return kilobytes / 1024


def run(
    command: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    expected: Container[int] = (0,),
) -> Spent:
    """Run a command and wait for it.

    Args:
        expected: the exit codes of a command that did not fail.

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
        if process.returncode not in expected:
            said.seek(0)
            words = said.read().decode(errors="replace").strip()
            raise NotMeasured(f"{' '.join(command)} exited {process.returncode}:\n{words}")
    return Spent(wall * 1000, (usage.ru_utime + usage.ru_stime) * 1000)


def minimum(spent: Sequence[Spent]) -> Spent:
    """The minimum of each time: disturbances only add to it."""
    return Spent(min(run.wall for run in spent), min(run.cpu for run in spent))
