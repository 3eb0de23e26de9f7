"""Starts a worker through the launcher, so that it starts at most once."""

from __future__ import annotations

import os
import selectors
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from unlatch.values import dataclass
from unlatch.worklog.disk.system import signal_group
from unlatch.worklog.search_path import search_path
from unlatch_runs.dispatch import launcher
from unlatch_runs.dispatch.commands import find_command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch_runs.dispatch.port import Place

# Seconds for an interpreter to start on a busy machine.
_PATIENCE = 60.0


class NotStarted(OSError):
    """A worker could not be started."""


@dataclass(frozen=True, slots=True)
class Gate:
    """The coordinator's ends of the two pipes to a launcher."""

    ready: int
    go: int

    def close(self) -> None:
        for descriptor in (self.ready, self.go):
            with suppress(OSError):
                os.close(descriptor)


@dataclass(frozen=True, slots=True)
class Files:
    """The files of one worker: its lock, its lease, and where its output and errors go.

    They are no pipes, so that a worker whose coordinator died can go on.
    """

    lock: Path
    lease: Path
    out: IO[bytes]
    err: IO[bytes]


def start(text: str, place: Place, argv: Sequence[str], files: Files) -> subprocess.Popen[bytes]:
    """Start the worker of a lease that is on disk; `text` is its standard input.

    Raises:
        NotStarted: nothing runs.
    """
    program = find_command(argv[0], place.folder, place.environment.get("PATH"))
    if program is None:
        raise NotStarted(f"program not found: {argv[0]}")
    process, gate = launch(text, place, [program, *argv[1:]], files)
    try:
        if await_ready(gate):
            send_go(gate)
    except BaseException:
        signal_group(process.pid, forced=True)
        process.wait()
        raise
    finally:
        gate.close()
    return process


def launch(
    text: str, place: Place, argv: Sequence[str], files: Files
) -> tuple[subprocess.Popen[bytes], Gate]:
    """Start the launcher, which waits."""
    ready, its_ready = os.pipe()
    its_go, go = os.pipe()
    gate = Gate(ready, go)
    # Isolated, and without the user's packages: it needs none, and starts in half the time.
    own = [sys.executable, "-I", "-S", str(Path(launcher.__file__).absolute())]
    places = [
        *(str(path.absolute()) for path in (files.lock, files.lease)),
        str(its_ready),
        str(its_go),
    ]
    environment = {**place.environment}
    environment["PATH"] = search_path(environment.get("PATH"), apart=place.folder)
    try:
        with tempfile.TemporaryFile() as stdin:
            stdin.write(text.encode("utf-8", errors="replace"))
            stdin.seek(0)
            process = subprocess.Popen(  # noqa: S603  (the user's command line named the program)
                [*own, *places, *argv],
                cwd=place.folder,
                env=environment,
                stdin=stdin,
                stdout=files.out,
                stderr=files.err,
                start_new_session=True,
                pass_fds=(its_ready, its_go),
            )
    except BaseException as error:
        gate.close()
        if isinstance(error, OSError):
            raise NotStarted(f"{argv[0]} cannot be started: {error.strerror}") from error
        raise
    finally:
        os.close(its_ready)
        os.close(its_go)
    return process, gate


def await_ready(gate: Gate) -> bool:
    """Wait until the launcher holds the lock; False if it ended without it."""
    with selectors.DefaultSelector() as selector:
        selector.register(gate.ready, selectors.EVENT_READ)
        return bool(selector.select(_PATIENCE)) and os.read(gate.ready, 1) == b"r"


def send_go(gate: Gate) -> None:
    """Let the launcher become the worker."""
    with suppress(BrokenPipeError):
        os.write(gate.go, b"g")
