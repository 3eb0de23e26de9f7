"""Commands of the coordinator: acceptance commands, the usage script and hooks.

A command is an argument list without a shell. It runs in its own process group, and its children
end with it. That is no sandbox: it can do all that the user can.
"""

from __future__ import annotations

import os
import selectors
import subprocess
import tempfile
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from unlatch.values import dataclass
from unlatch.worklog.disk.system import has_exited, set_blocking
from unlatch.worklog.search_path import find_program, search_path
from unlatch_runs.dispatch.processes import PAUSE, end_group

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

# Seconds between SIGTERM and SIGKILL.
_GRACE = 2.0
_CHUNK = 1 << 16
_MOST_CHUNKS_LEFT = 64
# Of the output, in bytes: the part that is kept of its end.
MOST_OUTPUT = 64 << 10
# The exit code of a shell for a program that is not there.
NOT_FOUND = 127


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The result of a command.

    Args:
        exit_code: negative for a signal; None if it took too long and was ended.
        output: the end of its standard output and error, in the order in which they were written.
    """

    exit_code: int | None
    output: str

    @property
    def is_success(self) -> bool:
        return self.exit_code == 0


def run_command(
    argv: Sequence[str],
    *,
    folder: Path,
    environ: Mapping[str, str],
    timeout: float,
    fed: str = "",
    with_errors: bool = True,
) -> CommandResult:
    """Run a command and wait for its end, at most `timeout` seconds.

    Args:
        argv: a program's name, which is searched on the PATH, or its path, which may be relative to
            `folder`; and its arguments.
        environ: its environment; PATH is made safe.
        fed: its standard input.
        with_errors: whether its standard error is part of the output.
    """
    program = find_command(argv[0], folder, environ.get("PATH"))
    if program is None:
        return CommandResult(NOT_FOUND, f"program not found: {argv[0]}")
    try:
        process = _start([program, *argv[1:]], folder, environ, fed, with_errors=with_errors)
    except OSError as error:
        return CommandResult(NOT_FOUND, f"{argv[0]} cannot be started: {error.strerror}")
    deadline, output = time.monotonic() + timeout, bytearray()
    with process:
        try:
            _read_until(process, output, deadline)
            is_late = not has_exited(process)
        finally:
            code = end_group(process, grace=_GRACE)
        _drain(process, output)
    text = output.decode("utf-8", errors="replace")
    return CommandResult(None if is_late else code, text)


def find_command(name: str, folder: Path, path: str | None) -> str | None:
    """The absolute path of a command's program; one with a slash is relative to `folder`."""
    if os.sep in name:
        return find_program(str((folder / name).absolute()))
    return find_program(name, path=path, apart=folder)


def _start(
    argv: Sequence[str],
    folder: Path,
    environ: Mapping[str, str],
    fed: str,
    *,
    with_errors: bool,
) -> subprocess.Popen[bytes]:
    with tempfile.TemporaryFile() as stdin:
        stdin.write(fed.encode("utf-8", errors="replace"))
        stdin.seek(0)
        return subprocess.Popen(  # noqa: S603  (the user agreed to this argument list)
            argv,
            cwd=folder,
            env={**environ, "PATH": search_path(environ.get("PATH"), apart=folder)},
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if with_errors else subprocess.DEVNULL,
            start_new_session=True,
        )


def _read_until(process: subprocess.Popen[bytes], output: bytearray, deadline: float) -> None:
    """Read the output of a command until it ends, or until the deadline."""
    with selectors.DefaultSelector() as selector:
        pipe = _pipe(process)
        set_blocking(pipe, blocking=False)
        selector.register(pipe, selectors.EVENT_READ)
        while not has_exited(process) and time.monotonic() < deadline:
            if not selector.get_map():
                time.sleep(PAUSE)
            elif selector.select(PAUSE) and not _read(pipe, output):
                selector.unregister(pipe)


def _drain(process: subprocess.Popen[bytes], output: bytearray) -> None:
    """Read the rest of the pipe; a process outside the group may continue to write."""
    with suppress(BlockingIOError):
        for _ in range(_MOST_CHUNKS_LEFT):
            if not _read(_pipe(process), output):
                return


def _read(pipe: int, output: bytearray) -> bool:
    """Read one piece and keep the end of all; whether there may be more."""
    piece = os.read(pipe, _CHUNK)
    output += piece
    del output[:-MOST_OUTPUT]
    return bool(piece)


def _pipe(process: subprocess.Popen[bytes]) -> int:
    if process.stdout is None:
        raise AssertionError("it was started with a pipe")
    return process.stdout.fileno()
