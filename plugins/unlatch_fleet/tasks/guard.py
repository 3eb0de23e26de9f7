"""Ends the workers of a node that is dead, frozen or cut off from the database.

    python -I -m unlatch_fleet.tasks.guard FOLDER SECONDS

After its lease the tasks of a node are given to another one, so until then its workers must have
ended. A process of its own sees to it: what is killed or frozen cannot. It reads a byte for each
sign of life that reached the database; after SECONDS without one, or at the end of the input, it
ends all workers whose leases are below FOLDER.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.worklog.disk.system import ending_signals
from unlatch_runs.dispatch.leases import LeaseStore
from unlatch_runs.dispatch.local import LocalDispatcher, steady_clock
from unlatch_runs.dispatch.recovery import end_workers
from unlatch_runs.dispatch.worker import Limits

if TYPE_CHECKING:
    from unlatch_runs.dispatch.port import Assignment, Place

# Of the dispatchers that end what others left; those at work have 1.
_ABOVE = 2


def end_all(folder: Path, *, grace: float) -> None:
    """End the workers of all dispatches below a folder, so that none starts any more.

    Args:
        grace: seconds between SIGTERM and SIGKILL.
    """
    places = _dispatches(folder)
    locks = {place.name: LeaseStore(place).lock(place.name) for place in places}
    end_workers(locks, grace=grace)
    for place in _dispatches(folder):  # the node removes what has ended, perhaps right now
        # A frozen node may have the lock of the leases; its worker is dead even so.
        with suppress(StoreError, FileNotFoundError):
            clock, limits = steady_clock(), Limits(grace=0)
            LocalDispatcher(place, {}, place=_nowhere, clock=clock, limits=limits).recover(_ABOVE)


def _dispatches(folder: Path) -> list[Path]:
    return [place for place in folder.glob("*") if (place / "leases").exists()]


def _nowhere(_: Assignment) -> Place:
    raise AssertionError("nothing starts any more")


def watch(folder: Path, source: int, seconds: float) -> None:
    """Return at the end of the input, after ending what is left."""
    while True:
        ready, _, _ = select.select([source], [], [], seconds)
        if not ready or not os.read(source, 1 << 16):
            end_all(folder, grace=seconds / 4)
            if ready:
                return


if __name__ == "__main__":
    for name in (signal.SIGINT, *ending_signals()):
        signal.signal(name, signal.SIG_IGN)  # it ends with the node
    watch(Path(sys.argv[1]), 0, float(sys.argv[2]))
