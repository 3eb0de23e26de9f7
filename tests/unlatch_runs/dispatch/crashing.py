"""A coordinator that claims, and is killed at one moment of the claim."""

import os
import signal
import time
from collections.abc import Callable
from typing import Any

from unlatch_runs.dispatch import local, starting
from unlatch_runs.dispatch.leases import LeaseStore
from unlatch_runs.dispatch.local import LocalDispatcher

# The owner of the function that is called at this moment, its name, and whether the coordinator
# dies after the call instead of before it.
POINTS: dict[str, tuple[Any, str, bool]] = {
    "before the epoch": (LeaseStore, "admit", False),
    "before the lease": (LeaseStore, "write", False),
    "after the lease": (LeaseStore, "write", True),
    "before the launcher": (starting, "launch", False),
    "after the launcher": (starting, "launch", True),
    "before go": (starting, "send_go", False),
    "after go": (starting, "send_go", True),
    "after the start": (local, "start", True),
    "after the claim": (LocalDispatcher, "claim", True),
    "while the worker runs": (LocalDispatcher, "poll", True),
}


def crash(claim: Callable[[], object], point: str) -> int:
    """Claim in a process of its own, which is killed at this moment; its exit code."""
    child = os.fork()
    if child == 0:
        try:
            dies_at(*POINTS[point])
            claim()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def dies_at(owner: Any, name: str, after: bool) -> None:
    """Kill this process when a function is called."""
    original: Callable[..., Any] = getattr(owner, name)

    def killing(*args: Any, **kwargs: Any) -> Any:
        if after:
            original(*args, **kwargs)
        os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(60)

    setattr(owner, name, killing)
