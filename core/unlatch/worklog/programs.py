"""Starting programs: git, a vendor's command line, the user's tasks command and editor."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import IO, TYPE_CHECKING

from unlatch.values import dataclass
from unlatch.worklog.disk import system
from unlatch.worklog.search_path import search_path

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from subprocess import Popen

_CHUNK = 65_536
# Seconds for a program to remove its lock files; its children may hold a pipe even longer.
_GRACE = 2.0
_MOST_ERRORS = 1_000_000


class TooMuchOutput(OSError):
    """A program printed more than allowed and was ended."""


class TookTooLong(OSError):
    """A program ran longer than allowed and was ended."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A program that ended; `code` is negative for a signal, `err` the beginning of its errors."""

    code: int
    out: bytes
    err: bytes


def run(
    argv: Sequence[str],
    *,
    cwd: Path,
    environ: Mapping[str, str],
    seconds: float,
    most: int,
    fed: bytes = b"",
) -> Finished:
    """Run a program without a shell and without a terminal, and wait for its end.

    Args:
        argv: the absolute path of the program, and its arguments.
        environ: its environment; PATH is made safe.
        most: the bytes that it may print.
        fed: its standard input.

    Raises:
        TookTooLong, TooMuchOutput: it was ended.
        OSError: it could not be started.
    """
    deadline = monotonic() + seconds
    process = _start(argv, cwd, environ, fed)
    out, err = bytearray(), bytearray()
    pipes = ((process.stdout, out, most), (process.stderr, err, _MOST_ERRORS))
    readers = [Thread(target=_read, args=(process, *pipe), daemon=True) for pipe in pipes]
    for reader in readers:
        reader.start()
    try:
        # A pipe is closed as soon as the program ends; waiting for that costs no polling.
        readers[0].join(seconds)
        code = _wait(process, deadline, seconds)
    except BaseException:
        _end(process)
        raise
    readers[1].join(_GRACE)
    for _, content, limit in pipes:
        if len(content) > limit:
            raise TooMuchOutput(f"it printed more than {limit:,} bytes")
    return Finished(code, bytes(out), bytes(err))


def _read(process: Popen[bytes], pipe: IO[bytes], content: bytearray, most: int) -> None:
    """Read a pipe to its end, and end the program that prints too much."""
    with pipe:
        while len(content) <= most and (chunk := os.read(pipe.fileno(), _CHUNK)):
            content += chunk
    if len(content) > most:
        _signal(process, forced=True)


def _start(argv: Sequence[str], cwd: Path, environ: Mapping[str, str], fed: bytes) -> Popen[bytes]:
    import subprocess  # noqa: PLC0415  (most commands start no program)

    with _input(fed) as stdin:
        return subprocess.Popen(  # noqa: S603  (an argument list; no caller takes it from a project)
            argv,
            cwd=cwd,
            env={**environ, "PATH": search_path(environ.get("PATH"), apart=cwd)},
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # A group of its own, so that its children end with it; and no terminal for prompts.
            start_new_session=True,
        )


def _input(fed: bytes) -> IO[bytes]:
    if not fed:
        return Path(os.devnull).open("rb")
    from tempfile import TemporaryFile  # noqa: PLC0415  (slow to load, and rarely needed)

    stdin: IO[bytes] = TemporaryFile()  # noqa: SIM115  (the caller closes it)
    stdin.write(fed)
    stdin.seek(0)
    return stdin


def _wait(process: Popen[bytes], deadline: float, seconds: float) -> int:
    from subprocess import TimeoutExpired  # noqa: PLC0415

    try:
        return process.wait(max(0.0, deadline - monotonic()))
    except TimeoutExpired as error:
        raise TookTooLong(f"it did not end within {seconds:g} s") from error


def _end(process: Popen[bytes]) -> None:
    """End a program and its children, with time to remove its lock files."""
    from subprocess import TimeoutExpired  # noqa: PLC0415

    _signal(process, forced=False)
    with suppress(TimeoutExpired):
        process.wait(_GRACE)
    _signal(process, forced=True)
    process.wait()


def _signal(process: Popen[bytes], *, forced: bool) -> None:
    # The group may outlive the program.
    if not system.signal_group(process.pid, forced=forced) and process.poll() is None:
        process.kill()
