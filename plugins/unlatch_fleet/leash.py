"""Ends the programs of a node's units when the node is dead, frozen or cut off from the database.

    python -I leash.py SECONDS

After its lease another node takes over, so until then the programs of this one must have ended. A
process of its own sees to it: what is killed or frozen cannot. It reads lines: `+PID` and `-PID`
for a process group that began or ended, `.` for a sign of life that reached the database. After
SECONDS without one, or at the end of the input, it kills all groups; then also each that begins
before the next sign.
"""

import os
import select
import signal
import sys
import time
from contextlib import suppress


def watch(source: int, seconds: float) -> None:
    """Return at the end of the input, after killing what is left."""
    groups: set[int] = set()
    rest, ends = b"", time.monotonic() + seconds
    while True:
        left = max(0.0, ends - time.monotonic()) if groups else None
        ready, _, _ = select.select([source], [], [], left)
        if time.monotonic() >= ends:
            _kill(groups)
        if not ready:
            continue
        text = os.read(source, 1 << 16)
        if not text:
            _kill(groups)
            return
        *lines, rest = (rest + text).split(b"\n")
        for line in lines:
            if line == b".":
                ends = time.monotonic() + seconds
            elif line.startswith(b"+"):
                groups.add(int(line[1:]))
            else:
                groups.discard(int(line[1:]))


def _kill(groups: set[int]) -> None:
    while groups:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(groups.pop(), signal.SIGKILL)


if __name__ == "__main__":
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)  # it ends with the node
    watch(0, float(sys.argv[1]))
