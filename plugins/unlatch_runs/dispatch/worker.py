"""A worker on this machine: its process group, its output, and its end."""

from __future__ import annotations

import time
from dataclasses import field
from typing import TYPE_CHECKING, Protocol

from unlatch.values import dataclass
from unlatch.worklog.disk.system import has_exited, signal_all, signal_group
from unlatch_runs.dispatch.output import Output
from unlatch_runs.dispatch.port import End, Ended
from unlatch_runs.dispatch.processes import PAUSE, marked_processes
from unlatch_runs.dispatch.recovery import has_ended, signal_recorded

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path
    from subprocess import Popen

    from unlatch_runs.dispatch.protocol import Message
    from unlatch_runs.dispatch.worker_files import Written

# At one look, so that one worker does not keep the others waiting.
_MOST_CHUNKS = 64
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
        most_output: bytes of standard output, and of standard error; a worker that prints more is
            ended.
        most_errors: bytes of standard error that are kept after its end.
    """

    jobs: int = 4
    timeout: float = 900.0
    lease: float = 3600.0
    settle: float = 10.0
    grace: float = 5.0
    most_output: int = 256 << 20
    most_errors: int = 1 << 20


class Process(Protocol):
    """The process that became a worker."""

    def has_exited(self) -> bool: ...

    def signal(self, *, forced: bool) -> None:
        """Send SIGTERM, or SIGKILL, to its group."""

    def code(self) -> int | None:
        """Its exit code, as `Popen.wait`, once it has exited; None if nobody can know it."""


@dataclass(frozen=True, slots=True)
class Child:
    """A worker that this coordinator started."""

    process: Popen[bytes]

    def has_exited(self) -> bool:
        return has_exited(self.process)

    def signal(self, *, forced: bool) -> None:
        signal_group(self.process.pid, forced=forced)

    def code(self) -> int:
        return self.process.wait()


@dataclass(frozen=True, slots=True)
class Survivor:
    """A worker whose coordinator died, by its lock."""

    lock: Path

    def has_exited(self) -> bool:
        return has_ended(self.lock)

    def signal(self, *, forced: bool) -> None:
        signal_recorded(self.lock, forced=forced)

    def code(self) -> None:
        return None


@dataclass(slots=True)
class Worker:
    """A worker that was started or taken over; `started` is by the dispatcher's clock."""

    run_id: str
    process: Process
    out: Written
    err: Written
    lock: Path
    started: datetime
    limits: Limits
    output: Output = field(default_factory=Output)
    ending: End | None = None
    answered: float | None = None  # when the answer arrived, by the system's monotonic clock
    _kill_at: float = 0.0

    def read(self) -> list[Message]:
        """The messages that were written since the last look, or a part of them."""
        messages: list[Message] = []
        for _ in range(_MOST_CHUNKS):
            if not (piece := self.out.read()):
                break
            if self.out.at <= self.limits.most_output:
                messages += self.output.feed(piece)
        if self.output.answer is not None and self.answered is None:
            self.answered = time.monotonic()
        return messages

    @property
    def prints_too_much(self) -> bool:
        return max(self.out.size, self.err.size) > self.limits.most_output

    def end(self, how: End) -> None:
        """Ask it to end; `press` ends it after the grace. The first cause counts."""
        if self.ending is None:
            self.ending = how
            # What prints too much fills the disk meanwhile.
            is_forced = how is End.OUTPUT
            self._kill_at = time.monotonic() + (0 if is_forced else self.limits.grace)
            self._signal(forced=is_forced)

    def press(self) -> None:
        """Kill it if its grace is over."""
        if self.ending is not None and time.monotonic() >= self._kill_at:
            self._kill_at = time.monotonic() + PAUSE
            self._signal(forced=True)

    def kill(self) -> None:
        """End it at once."""
        self._signal(forced=True)

    def _signal(self, *, forced: bool) -> None:
        self.process.signal(forced=forced)
        signal_all(marked_processes(self.run_id, self.lock), forced=forced)

    def finish(self) -> tuple[list[Message], Ended]:
        """End all that an exited worker left behind; its last messages, and its end."""
        self.process.signal(forced=True)
        deadline = time.monotonic() + _PATIENCE
        while left := marked_processes(self.run_id, self.lock):
            signal_all(left, forced=True)
            if time.monotonic() > deadline:
                break
            time.sleep(PAUSE)
        messages, size = [], min(self.out.size, self.limits.most_output)
        while self.out.at < size:
            messages += self.read()
        messages += self.output.finish()
        code = self.process.code()
        self.out.close()
        errors = self.err.close(most=self.limits.most_errors)
        if self.ending is not None:
            how, code = self.ending, None
        elif code is None:
            how = End.UNSEEN
        else:
            how, code = End.EXIT if code >= 0 else End.SIGNAL, abs(code)
        return messages, Ended(how, code, errors, self.output.noise)

    @property
    def has_exited(self) -> bool:
        return self.process.has_exited()
