"""A worker that follows the steps in its assignment; run as `python worker.py FOLDER`.

It imports nothing of unlatch, so that it can be copied to another machine. Each start leaves a file
in FOLDER, named by run id and process id. The steps are a JSON list of lists:

    ["say", MESSAGE]     print a message
    ["raw", TEXT]        print a text as it is, in Latin-1
    ["flood", BYTES]     print lines that are no messages
    ["ignore"]           ignore SIGTERM
    ["child"]            start a child that never ends by itself
    ["hang"]             never end
    ["exit", CODE]       end
    ["signal", NUMBER]   end by a signal
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

_LINE = b"flood" * 20 + b"\n"
_CHILD = "--child"


def main(folder: Path, *, is_child: bool) -> None:
    """Follow the steps on standard input."""
    run_id = os.environ["UNLATCH_RUN_ID"]
    kind = "child" if is_child else "worker"
    (folder / f"{run_id}.{os.getpid()}.{kind}").touch()
    for name, *arguments in [["hang"]] if is_child else json.load(sys.stdin):
        step(name, arguments, folder)


def step(name: str, arguments: list[Any], folder: Path) -> None:
    """Follow one step."""
    out = sys.stdout.buffer
    if name == "say":
        out.write(json.dumps(arguments[0]).encode() + b"\n")
    elif name == "raw":
        out.write(arguments[0].encode("latin-1"))
    elif name == "flood":
        out.write(_LINE * (arguments[0] // len(_LINE)))
    elif name == "ignore":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    elif name == "child":
        start_child(folder)
    elif name == "hang":
        while True:
            time.sleep(60)
    elif name == "exit":
        sys.exit(arguments[0])
    elif name == "signal":
        os.kill(os.getpid(), arguments[0])
    out.flush()


def start_child(folder: Path) -> None:
    """Start a child, and wait until it is there."""
    argv = [sys.executable, "-I", "-S", __file__, str(folder), _CHILD]
    child = subprocess.Popen(argv)  # noqa: S603
    while not any(folder.glob(f"*.{child.pid}.child")):
        time.sleep(0.01)


if __name__ == "__main__":
    main(Path(sys.argv[1]), is_child=_CHILD in sys.argv)
