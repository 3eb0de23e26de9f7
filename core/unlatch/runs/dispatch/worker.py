"""A worker on this machine: its process group, its output, and its end."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import field
from typing import TYPE_CHECKING

from unlatch.runs.dispatch.output import Output
from unlatch.runs.dispatch.port import End, Ended
from unlatch.runs.dispatch.processes import (
    PAUSE,
    has_exited,
    marked_processes,
    signal_all,
    signal_group,
)
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path
    from subprocess import Popen
    from typing import IO

    from unlatch.runs.dispatch.protocol import Message

_CHUNK = 1 << 16
# Chunks that a pipe holds, and more; a process that got away may go on to write.
_MOST_CHUNKS_LEFT = 64
_TAIL = 4096
# Seconds for the system to end a process after SIGKILL.
_PATIENCE = 5.0


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of workers.

    Args:
        jobs: workers at the same time.
        timeout: seconds for one dispatch.
        lease: seconds to which `heartbeat` extends a lease. `recover` does not wait for its end, so
            it may be long: a coordinator that is stopped and continued keeps its workers.
        settle: seconds to exit after an answer.
        grace: seconds between SIGTERM and SIGKILL.
        most_output: bytes of standard output; a worker that prints more is ended.
        most_errors: bytes of standard error that are kept.
    """

    jobs: int = 4
    timeout: float = 900.0
    lease: float = 3600.0
    settle: float = 10.0
    grace: float = 5.0
    most_output: int = 256 << 20
    most_errors: int = 1 << 20


@dataclass(slots=True)
class Errors:
    """The standard error of a worker: its beginning goes to a file, its end is remembered."""

    file: IO[bytes]
    most: int
    tail: bytearray = field(default_factory=bytearray)
    _written: int = 0

    def feed(self, piece: bytes) -> None:
        self.tail += piece
        del self.tail[:-_TAIL]
        part = piece[: self.most - self._written]
        self._written += len(part)
        with suppress(OSError):  # a full disk ends no run
            self.file.write(part)

    @property
    def text(self) -> str:
        return self.tail.decode("utf-8", errors="replace")


@dataclass(slots=True)
class Worker:
    """A worker that was started; `started` is by the dispatcher's clock."""

    run_id: str
    process: Popen[bytes]
    errors: Errors
    lock: Path
    started: datetime
    limits: Limits
    output: Output = field(default_factory=Output)
    ending: End | None = None
    answered: float | None = None  # when the answer arrived, by the system's monotonic clock
    _kill_at: float = 0.0
    _size: int = 0

    def pipes(self) -> Iterator[IO[bytes]]:
        """Its standard output and error, as far as they are open."""
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None and not pipe.closed:
                yield pipe

    def read(self, pipe: IO[bytes]) -> list[Message] | None:
        """The messages of one piece of output; None at its end."""
        piece = os.read(pipe.fileno(), _CHUNK)
        if not piece:
            return None
        if pipe is self.process.stderr:
            self.errors.feed(piece)
            return []
        self._size += len(piece)
        return self._noted(list(self.output.feed(piece)) if not self.prints_too_much else [])

    @property
    def prints_too_much(self) -> bool:
        return self._size > self.limits.most_output

    def _noted(self, messages: list[Message]) -> list[Message]:
        if self.output.answer is not None and self.answered is None:
            self.answered = time.monotonic()
        return messages

    def end(self, how: End) -> None:
        """Ask it to end; `press` ends it after the grace. The first cause counts."""
        if self.ending is None:
            self.ending = how
            self._kill_at = time.monotonic() + self.limits.grace
            self._signal(forced=False)

    def press(self) -> None:
        """Kill it if its grace is over."""
        if self.ending is not None and time.monotonic() >= self._kill_at:
            self._kill_at = time.monotonic() + PAUSE
            self._signal(forced=True)

    def kill(self) -> None:
        """End it at once."""
        self._signal(forced=True)

    def _signal(self, *, forced: bool) -> None:
        signal_group(self.process.pid, forced=forced)
        signal_all(marked_processes(self.run_id, self.lock), forced=forced)

    def finish(self) -> tuple[list[Message], Ended]:
        """End all that an exited worker left behind; its last messages, and its end."""
        signal_group(self.process.pid, forced=True)
        deadline = time.monotonic() + _PATIENCE
        while left := marked_processes(self.run_id, self.lock):
            signal_all(left, forced=True)
            if time.monotonic() > deadline:
                break
            time.sleep(PAUSE)
        messages = [message for pipe in self.pipes() for message in self._rest(pipe)]
        messages += self.output.finish()
        code = self.process.wait()
        self.errors.file.close()
        if self.ending is None:
            ended = End.EXIT if code >= 0 else End.SIGNAL
            return messages, Ended(ended, abs(code), self.errors.text, self.output.noise)
        return messages, Ended(self.ending, None, self.errors.text, self.output.noise)

    def _rest(self, pipe: IO[bytes]) -> Iterator[Message]:
        with pipe, suppress(BlockingIOError):
            for _ in range(_MOST_CHUNKS_LEFT):
                messages = self.read(pipe)
                if messages is None:
                    return
                yield from messages

    @property
    def has_exited(self) -> bool:
        return has_exited(self.process)
