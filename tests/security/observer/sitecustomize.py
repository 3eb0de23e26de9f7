"""Python loads this before unlatch: it writes down every program that the process starts."""

from __future__ import annotations

import json
import os
import sys

# Each with the position of the program among the arguments of the event.
_EVENTS = {
    "subprocess.Popen": 0,
    "os.exec": 0,
    "os.posix_spawn": 0,
    "os.spawn": 1,
    "os.startfile": 0,
    "os.system": 0,
    "pty.spawn": 0,
}
_LOG = os.environ["OBSERVED"]


def _observe(event: str, arguments: tuple[object, ...]) -> None:
    if event in _EVENTS:
        line = json.dumps([event, os.fsdecode(str(arguments[_EVENTS[event]]))])
        descriptor = os.open(_LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(descriptor, f"{line}\n".encode())
        os.close(descriptor)


sys.addaudithook(_observe)
