"""Processes of a worker or command: their group, and those that left it."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from subprocess import Popen

MARK = "UNLATCH_RUN_ID"
# Seconds between two looks at a process.
PAUSE = 0.02
_PROC = Path("/proc")
# /proc/PID/stat after the name in parentheses: the state is field 3, the start time field 22.
_START_TIME = 22 - 3


def start_time(pid: int) -> str | None:
    """When a process started, in words that no other process of the same id has; None if unknown.

    Source: proc(5). The time counts from the start of the system, so the system's is part of it.
    """
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
        return f"{boot} {stat.rpartition(')')[2].split()[_START_TIME]}"
    except (OSError, IndexError):
        return None


def signal_group(group: int, *, forced: bool) -> None:
    """Send SIGTERM, or SIGKILL, to a process group, if it is there."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL if forced else signal.SIGTERM)


def has_exited(process: Popen[bytes]) -> bool:
    """Whether a child ended. Where the system can, it stays unreaped: its group's id stays its own.

    Python has `waitid` on macOS since 3.13.
    """
    if process.returncode is not None or not hasattr(os, "waitid"):
        return process.poll() is not None
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def end_group(process: Popen[bytes], *, grace: float) -> int:
    """End a child that leads its process group, with the group; returns as `Popen.wait`.

    If the child ended by itself, the rest of its group gets no grace.
    """
    deadline = time.monotonic() + grace
    try:
        if not has_exited(process):
            signal_group(process.pid, forced=False)
        while not has_exited(process) and time.monotonic() < deadline:
            time.sleep(PAUSE)
    finally:
        # Unless it is reaped already, its id names no other group.
        signal_group(process.pid, forced=True)
    return process.wait()


def signal_marked(run_id: str, *, forced: bool, lock: os.stat_result | None = None) -> int:
    """Send a signal to each process of a worker, also to those outside its group; their number.

    A process belongs to the worker if it was started with the run id in its environment, or has
    the worker's lock open. Only Linux shows this of other processes; elsewhere none is found.
    """
    count = 0
    for pid in _own_processes():
        if _is_marked(pid, run_id) or (lock and _has_open(pid, lock)):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL if forced else signal.SIGTERM)
                count += 1
    return count


def _own_processes() -> Iterator[int]:
    if sys.platform != "linux":
        return
    for entry in _PROC.iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            yield int(entry.name)


def _is_marked(pid: int, run_id: str) -> bool:
    try:
        environment = (_PROC / str(pid) / "environ").read_bytes()
    except OSError:  # it has ended, or is another user's
        return False
    return f"{MARK}={run_id}".encode() in environment.split(b"\0")


def _has_open(pid: int, lock: os.stat_result) -> bool:
    with suppress(OSError):
        for entry in (_PROC / str(pid) / "fd").iterdir():
            with suppress(OSError):
                found = entry.stat()
                if (found.st_dev, found.st_ino) == (lock.st_dev, lock.st_ino):
                    return True
    return False
