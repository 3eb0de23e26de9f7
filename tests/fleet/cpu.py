"""CPU seconds of the processes of a load, each kind by itself."""

from __future__ import annotations

import ctypes
import os
import resource
import socket
import struct
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.servers.postgres import Postgres

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER, linux/prctl.h


def adopt_orphans() -> None:
    """Become the parent of programs whose node was killed, so that their CPU counts, too."""
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def reap_orphans() -> None:
    """Wait for all children that have ended; only where nobody else waits for them."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def of_children() -> float:
    """Of the processes that this one waited for, and of theirs: nodes, units and the server."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def of_stand_ins() -> float:
    """Of this process: the stand-ins, proxies, webhooks and blows."""
    return time.process_time()


def of_database(server: Postgres) -> float:
    """Of PostgreSQL since its start; 0 where it is not the test's own."""
    if server.keeper is None:
        return 0.0
    size = struct.calcsize("3i")
    option = server.keeper.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    return _of_tree(struct.unpack("3i", option)[0])


def _of_tree(root: int) -> float:
    """Of a process, its children, and those that they waited for."""
    below: dict[int, list[int]] = {}
    times: dict[int, int] = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            words = place.read_text(encoding="utf-8").rpartition(")")[2].split()
            pid = int(place.parent.name)
            below.setdefault(int(words[1]), []).append(pid)
            times[pid] = sum(map(int, words[11:15]))
    ticks, rest = 0, [root]
    while rest:
        pid = rest.pop()
        ticks += times.get(pid, 0)
        rest += below.get(pid, [])
    return float(ticks / os.sysconf("SC_CLK_TCK"))
