"""Faults of the requests with which a command writes its comments, on all three trackers."""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tests.machines.cells import KILL, LATE, LOST

from unlatch_sandbox import Fault, Sandbox

# Where a person opened the issue, its labels are all that is written.
WRITES: Mapping[str, Mapping[str, Any]] = {
    "github": {"method": "POST", "path": r"/issues/\d+/(comments|labels)$"},
    "ado": {"method": "PATCH", "path": "(?i)/workitems/"},
    "jira": {"method": "PUT", "path": "/issue/"},
}
# In seconds: a late effect comes within the settle time of another command, which may begin just
# when the requests are held. They are held for so long after its first request, or in all.
SETTLE, LATENESS, _MET, _HELD = 1.0, 0.4, 0.2, 0.4


class Strike:
    """Holds the requests, and lets them meet with a fault when they are released.

    Args:
        held: how many came.
    """

    def __init__(self, box: Sandbox, fault: str) -> None:
        self._box, self._fault, self.held = box, fault, 0
        self._arrived, self._released = threading.Event(), threading.Event()
        self._lock = threading.Lock()
        effects: dict[str, dict[str, Any]] = {
            LOST: {"kind": "drop-after"},
            LATE: {"kind": "late", "seconds": LATENESS},
        }
        for tracker, which in WRITES.items():
            box.faults.add(Fault(tracker, "human", action=self._hold, **which))
            if fault in effects:
                box.faults.add(Fault(tracker, **which, **effects[fault]))

    def _hold(self) -> None:
        with self._lock:
            self.held += 1
        self._arrived.set()
        self._released.wait(60)

    def await_requests(self, process: subprocess.Popen[str]) -> None:
        """Wait until all trackers hold one, or the process ends.

        A process that is to be killed is killed then.
        """
        while self.held < len(WRITES) and process.poll() is None:
            self._arrived.wait(0.02)
            self._arrived.clear()
        self._box.faults.clear()
        if self._fault == KILL:
            process.kill()
            process.communicate(timeout=60)
            self.release()

    @contextmanager
    def released_after(self) -> Iterator[None]:
        """Release them when another command has ended, or soon after it began to read."""
        thread = threading.Thread(target=self._release_soon)
        thread.start()
        try:
            yield
        finally:
            self.release()
            thread.join()

    def _release_soon(self) -> None:
        until, seen = time.monotonic() + _HELD, self._box.requests.count()
        while not self._released.wait(0.01) and (now := time.monotonic()) < until:
            if self._box.requests.count() > seen:
                until, seen = now + _MET, sys.maxsize
        self.release()

    def release(self) -> None:
        self._released.set()
