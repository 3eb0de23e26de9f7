"""Run a command line as a person at a terminal does."""

import contextlib
import fcntl
import io
import os
import pty
import re
import select
import shlex
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping
from pathlib import Path

import keyring
import pytest
from tests.docs.transcript import Step, constant

from unlatch.cli import main
from unlatch.errors import known_secrets

_PATIENCE = 60.0
# Without a sign of the shell. Demos, fleets and runs start processes that know their program.
_PLAIN = re.compile(r"unlatch (?!demo|\w+ demo|fleet|run |sandbox)[^]|&;<>$`()*?[{}~#\\\n]+")


def run(step: Step, *, cwd: Path, environ: Mapping[str, str], last_code: int) -> tuple[int, str]:
    """Run a command line; its exit code and its output.

    Args:
        last_code: the exit code of the command before, for `$?`.
    """
    if _PLAIN.fullmatch(step.command) and not (step.typed or step.is_interrupted):
        return _in_this_process(shlex.split(step.command)[1:], cwd=cwd, environ=environ)
    argv = ["sh", "-c", f"(exit {last_code}); {step.command}"]
    if step.typed or step.is_interrupted:
        return _at_terminal(argv, step, cwd=cwd, environ=environ)
    done = subprocess.run(
        argv,
        cwd=cwd,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=_PATIENCE,
        check=False,
    )
    return done.returncode, done.stdout.decode()


def _in_this_process(
    arguments: list[str], *, cwd: Path, environ: Mapping[str, str]
) -> tuple[int, str]:
    """Run unlatch as a shell does, in a third of the time."""
    screen = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with pytest.MonkeyPatch.context() as patch, Path(os.devnull).open(encoding="utf-8") as nothing:
        for name in os.environ:
            patch.delenv(name)
        for name, value in environ.items():
            patch.setenv(name, value)
        patch.chdir(cwd)
        patch.setattr(sys, "stdin", nothing)
        # A process chooses its keyring once, and knows the secrets that it used.
        patch.setattr(keyring.core, "_keyring_backend", None)
        patch.setattr(known_secrets, "_forms", set())
        with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(screen):
            code = main.run(arguments)
    screen.seek(0)
    return code, screen.read()


def _at_terminal(
    argv: list[str], step: Step, *, cwd: Path, environ: Mapping[str, str]
) -> tuple[int, str]:
    ours, theirs = pty.openpty()
    # Pages show each line whole.
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 200, 0, 0))
    process = subprocess.Popen(
        argv,
        cwd=cwd,
        env={**environ, "NO_COLOR": "1", "TERM": "dumb"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        screen = _Screen(ours)
        for prompt, answer in step.typed:
            screen.read_until(prompt)
            os.write(ours, f"{answer}\n".encode())
        if step.is_interrupted:
            screen.read_until(step.shown[step.shown.index("^C") - 1])
            _interrupt(process)
        screen.read_until(None)
        return process.wait(timeout=_PATIENCE), screen.text
    finally:
        os.close(ours)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _interrupt(process: subprocess.Popen[bytes]) -> None:
    """Press Ctrl-C until that ends a process; one that comes just before it waits can be lost."""
    for _ in range(5):
        os.killpg(process.pid, signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(4.0)
            return


class _Screen:
    """The output on a terminal so far."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._raw = b""

    @property
    def text(self) -> str:
        return self._raw.decode(errors="ignore").replace("\r\n", "\n")

    def read_until(self, wanted: str | None) -> None:
        """Read until `wanted` appears in new output; None reads to the end."""
        seen = len(self.text)
        end = time.monotonic() + _PATIENCE
        while wanted is None or constant(wanted) not in constant(self.text[seen:]):
            if not select.select([self._file], [], [], max(0.0, end - time.monotonic()))[0]:
                raise AssertionError(f"{wanted!r} never came; there is:\n{self.text}")
            try:
                more = os.read(self._file, 65_536)
            except OSError:  # Linux raises this when the other end is closed
                more = b""
            if not more:
                assert wanted is None, f"it ended before {wanted!r} came:\n{self.text}"
                return
            self._raw += more
