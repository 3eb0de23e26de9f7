"""unlatch, or a shell, at a terminal: a pseudo-terminal, and a person who types."""

import contextlib
import errno
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Sequence
from typing import Self

from tests.cli.project import Project
from tests.warm.client import unlatch

_PATIENCE = 30.0
_BETWEEN_KEYS = 4.0
# Colours, and the marks around a line that readline edits.
_ANSI = re.compile(r"\x1b\[[0-9;]*m|\x1b\[\?2004h|\x1b\[\?2004l\r")
CTRL_C = "\x03"


class Terminal:
    """A run of unlatch with a terminal as its standard streams.

    Args:
        columns: how wide the terminal is.
        lines: how high it is.
        extra: further environment variables.
        stdout: a file descriptor that takes the place of the terminal as standard output.
        program: another program in the place of unlatch.
    """

    def __init__(
        self,
        project: Project,
        *arguments: str,
        columns: int = 120,
        lines: int = 40,
        extra: dict[str, str] | None = None,
        stdout: int | None = None,
        program: Sequence[str] = (),
    ) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        environ = {**project.environ, "TERM": "xterm", **(extra or {})}
        # Its shell opens the terminal, so that Ctrl-C reaches the process as from a keyboard; to do
        # that in a fork of this process takes ten times as long.
        shell = ("/bin/sh", "-c", ': < "$0" && exec "$@"', os.ttyname(slave))
        self._process = subprocess.Popen(
            [*shell, *(program or unlatch(environ)), *arguments],
            cwd=project.root,
            env=environ,
            stdin=slave,
            stdout=slave if stdout is None else stdout,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        self._raw = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
        os.close(self._master)

    @property
    def raw(self) -> str:
        """Everything on the terminal so far, colours included."""
        return self._raw.replace("\r\n", "\n")

    @property
    def text(self) -> str:
        """Everything on the terminal so far, without colours."""
        return _ANSI.sub("", self.raw)

    def expect(self, wanted: str, *, times: int = 1) -> None:
        """Wait until the terminal shows `wanted`."""
        end = time.monotonic() + _PATIENCE
        while self.text.count(wanted) < times:
            assert time.monotonic() < end, f"never saw {wanted!r} in:\n{self.text}"
            assert self._read(), f"it ended without {wanted!r}:\n{self.text}"

    def type(self, keys: str) -> None:
        """Type, as soon as there is a question."""
        os.write(self._master, keys.encode())

    def answer(self, question: str, keys: str, *, times: int = 1) -> None:
        """Wait for a question, and type."""
        self.expect(question, times=times)
        self.type(keys)

    def interrupt(self, wanted: str) -> None:
        """Press Ctrl-C until the terminal shows `wanted`.

        A signal that comes between Python's last look and its read() waits for the next one; just
        after a prompt on a busy machine this is common.
        """
        for _ in range(5):
            self.type(CTRL_C)
            end = time.monotonic() + _BETWEEN_KEYS
            while (left := end - time.monotonic()) > 0:
                if wanted in self.text:
                    return
                if select.select([self._master], [], [], left)[0]:
                    assert self._read(), f"it ended without {wanted!r}:\n{self.text}"
        raise AssertionError(f"never saw {wanted!r} in:\n{self.text}")

    def leave(self, key: str) -> int:
        """Press a key until that ends it, as in `interrupt`; the exit code."""
        for _ in range(5):
            self.type(key)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_BETWEEN_KEYS)
                break
        return self.end()

    def end(self) -> int:
        """Wait for the end; the exit code."""
        end = time.monotonic() + _PATIENCE
        while self._read():
            assert time.monotonic() < end, f"it never ended:\n{self.text}"
        return self._process.wait(_PATIENCE)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._master], [], [], _PATIENCE)
        try:
            chunk = os.read(self._master, 65_536) if ready else b""
        except OSError as error:
            if error.errno != errno.EIO:  # Linux says so when the other side is closed
                raise
            chunk = b""
        self._raw += chunk.decode("utf-8", "replace")
        return bool(chunk)
