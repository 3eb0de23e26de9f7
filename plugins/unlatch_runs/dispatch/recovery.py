"""Ends the workers of coordinators that died, found by their locks and marks."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from unlatch.worklog.disk.safe_open import read_file
from unlatch.worklog.disk.system import signal_all, signal_group
from unlatch_runs.dispatch.processes import (
    PAUSE,
    is_locked,
    is_running,
    marked_processes,
    start_time,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

# Seconds after SIGKILL; a process that waits for a disk or a server takes longer.
_PATIENCE = 10.0
_LONGEST_LINE = 200


def has_ended(lock: Path) -> bool:
    """Whether the process that became a worker ended, whose coordinator is gone.

    What it started may live on.
    """
    pid, started = _recorded(lock)
    # Where the system does not show start times, the lock tells; its children hold it, too.
    return not is_running(pid, started) if started else not is_locked(lock)


def is_alive(run_id: str, lock: Path) -> bool:
    """Whether a process of a worker lives, as the system shows now."""
    return is_locked(lock) or bool(marked_processes(run_id, lock))


def end_workers(locks: Mapping[str, Path], *, grace: float) -> Collection[str]:
    """End the workers of these run ids; returns those of which a process still lives."""
    left = set(locks)
    for forced, seconds in ((False, grace), (True, _PATIENCE)):
        deadline = time.monotonic() + seconds
        left = {run_id for run_id in left if is_alive(run_id, locks[run_id])}
        for run_id in left:
            _signal(run_id, locks[run_id], forced=forced)
        while left and time.monotonic() < deadline:
            time.sleep(PAUSE)
            left = {run_id for run_id in left if is_alive(run_id, locks[run_id])}
            for run_id in left if forced else ():
                _signal(run_id, locks[run_id], forced=True)
    return left


def _signal(run_id: str, lock: Path, *, forced: bool) -> None:
    signal_recorded(lock, forced=forced)
    signal_all(marked_processes(run_id, lock), forced=forced)


def signal_recorded(lock: Path, *, forced: bool) -> None:
    """Signal the process group that a launcher recorded, if its id is not another one's by now."""
    group, started = _recorded(lock)
    # Where the system does not show start times, a held lock says that the worker lives.
    is_known = start_time(group) == started if started else is_locked(lock)
    if is_known and group > 1:
        signal_group(group, forced=forced)


def _recorded(lock: Path) -> tuple[int, str]:
    """The process id that a launcher recorded, 0 without one, and its start time."""
    try:
        pid, _, started = read_file(lock, at_most=_LONGEST_LINE).decode("ascii").partition(" ")
        return int(pid), started.strip()
    except (FileNotFoundError, ValueError):
        return 0, ""
