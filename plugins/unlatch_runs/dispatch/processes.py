"""Processes of a worker or command: their group, and those that left it."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from unlatch.worklog.disk import system
from unlatch.worklog.disk.safe_open import open_parent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from subprocess import Popen

# The marks in the environment of workers, by which they are found.
MARK = "UNLATCH_RUN_ID"
TASK_MARK = "UNLATCH_TASK_ID"
# Seconds between two looks at a process.
PAUSE = 0.02
_PROC = Path("/proc")
# /proc/PID/stat after the name in parentheses: the state is field 3, the start time field 22.
_START_TIME = 22 - 3
_OVER = ("Z", "X")


def marked(environ: Mapping[str, str], *, run_id: str, task_id: str) -> dict[str, str]:
    """The environment of one worker, by which it and all that it starts are found."""
    return {**environ, MARK: run_id, TASK_MARK: task_id}


def start_time(pid: int) -> str | None:
    """When a process started, in words that no other process of the same id has; None if unknown.

    Source: proc(5). The time counts from the start of the system, so the system's is part of it.
    """
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {_stat(pid)[_START_TIME]}"
    except (OSError, IndexError):
        return None


def is_running(pid: int, started: str) -> bool:
    """Whether the process of this id and start time runs; one that only waits for its parent not.

    Only for systems that show start times.
    """
    with suppress(OSError, IndexError):
        return start_time(pid) == started and _stat(pid)[0] not in _OVER
    return False


def _stat(pid: int) -> list[str]:
    """The fields of a process after its name."""
    stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    return stat.rpartition(")")[2].split()


def end_group(process: Popen[bytes], *, grace: float) -> int:
    """End a child that leads its process group, with the group; returns as `Popen.wait`.

    If the child ended by itself, the rest of its group gets no grace.
    """
    deadline = time.monotonic() + grace
    try:
        if not system.has_exited(process):
            system.signal_group(process.pid, forced=False)
        while not system.has_exited(process) and time.monotonic() < deadline:
            time.sleep(PAUSE)
    finally:
        # Unless it is reaped already, its id names no other group.
        system.signal_group(process.pid, forced=True)
    return process.wait()


def is_locked(path: Path) -> bool:
    """Whether a process of a worker holds its lock."""
    try:
        folder, name = open_parent(path)
        with folder:
            descriptor = folder.file(name)
    except FileNotFoundError:  # perhaps with its folders: who started it has seen its end
        return False
    try:
        # Shared, so that two processes that look at it do not take each other for the worker.
        system.lock(descriptor, shared=True)
    except BlockingIOError:
        return True
    else:
        system.unlock(descriptor)
        return False
    finally:
        os.close(descriptor)


def marked_processes(run_id: str, lock: Path) -> list[int]:
    """The processes of a worker, also those outside its group.

    A process belongs to a worker if it was started with the run id in its environment, or has the
    worker's lock open. Only Linux shows this of other processes; elsewhere none is found.
    """
    mark = f"{MARK}={run_id}".encode()
    inode = None
    with suppress(FileNotFoundError):
        inode = _inode(lock.lstat()) if is_locked(lock) else None
    return [pid for pid in _own_processes() if _has_mark(pid, mark) or _has_open(pid, inode)]


def _own_processes() -> Iterator[int]:
    try:
        names = [entry.name for entry in _PROC.iterdir()]
    except OSError:
        return
    for name in names:
        if name.isdecimal() and int(name) != os.getpid():
            yield int(name)


def _has_mark(pid: int, mark: bytes) -> bool:
    try:
        # It is empty for a process that has ended.
        return mark in (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:  # it is gone, or another user's
        return False


def _has_open(pid: int, inode: tuple[int, int] | None) -> bool:
    if inode is None:
        return False
    with suppress(OSError):
        for entry in (_PROC / str(pid) / "fd").iterdir():
            with suppress(OSError):
                if _inode(entry.stat()) == inode:
                    return True
    return False


def _inode(stat: os.stat_result) -> tuple[int, int]:
    return stat.st_dev, stat.st_ino
