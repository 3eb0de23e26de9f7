"""The log of a run, and the one coordinator that may write it.

The log is the truth. An event is on disk before its effect begins. The writer holds the lock of the
run's folder; a writer that has lost it (the folder was moved, or its file system forgot the lock)
finds that the log has grown without it, and writes no more.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING, Any, TypeVar

from unlatch.errors import StoreError
from unlatch.worklog.disk.atomic import PRIVATE, append_lines, sweep
from unlatch.worklog.disk.folder_lock import folder_lock
from unlatch.worklog.disk.line_file import repair_ending
from unlatch.worklog.disk.own_texts import own_texts
from unlatch.worklog.disk.safe_open import exists, open_folder
from unlatch.worklog.disk.system import ending_signals
from unlatch_runs.dispatch.leases import LeaseStore
from unlatch_runs.event_base import RunEvent
from unlatch_runs.event_lines import line_of, parse_event
from unlatch_runs.events import CoordinatorStarted
from unlatch_runs.reducer import apply
from unlatch_runs.run_model import RunState
from unlatch_runs.state_file import STATE, saved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

LOG = "events.jsonl"
# Seconds. Commands that only add an answer hold the lock for a moment.
_PATIENCE = 1.0
# Who looks whether a run is held has it for less than this, and is no coordinator.
_BLINK = 0.05
_PAUSING = (signal.SIGINT, *ending_signals())
E = TypeVar("E", bound=RunEvent)


def read_events(folder: Path) -> Iterator[RunEvent]:
    """The events of a run, each once, in their order; a last line that was cut short is none.

    Raises:
        StoreError: `run-damaged`, with the line at which an event is missing.
    """
    last = 0
    for number, line in enumerate(_lines(folder), 1):
        event = parse_event(line.decode(errors="replace"))
        if event is not None and event.sequence <= last:
            continue  # it was applied already
        if event is None or event.sequence != last + 1:
            raise _damaged(folder, number, last + 1)
        last = event.sequence
        yield event


def _lines(folder: Path) -> Iterator[bytes]:
    with contextlib.suppress(FileNotFoundError), open_folder(folder) as opened:
        yield from opened.lines(LOG)


def read_state(folder: Path) -> RunState:
    """The state of a run, from its whole log; StoreError `run-damaged`."""
    state = RunState()
    for event in read_events(folder):
        apply(state, event)
    return state


def check_age(folder: Path, state: RunState) -> None:
    """Raise `run-damaged` for a log that is older than what was written from it."""
    _, sequence = saved(folder) or (None, 0)
    if not state.sequence and (sequence or LeaseStore(folder).epoch()):
        message = f"{LOG} has no event, but the run was begun"
        hint = "restore the file from a backup, or start the plan as a new run"
    elif sequence > state.sequence:
        message = f"{LOG} ends at event {state.sequence}, but {STATE} has event {sequence}"
        hint = f"restore {LOG} from a backup; to do what came later again, remove {STATE}"
    else:
        return
    raise StoreError("run-damaged", message, where=str(folder / LOG), hint=hint)


def is_held(folder: Path) -> bool:
    """Whether a process holds the lock of a run now: observed, not remembered."""
    try:
        with folder_lock(folder, patience=_BLINK):
            return False
    except StoreError as error:
        if error.id != "locked":
            raise
        return True


class Journal:
    """The log of a run, whose lock this process holds; `state` follows each event."""

    def __init__(self, folder: Path, clock: Callable[[], datetime]) -> None:
        self.folder, self._clock = folder, clock
        self.state = read_state(folder)
        self._size = self._measure()

    @staticmethod
    @contextlib.contextmanager
    def locked(
        folder: Path, *, clock: Callable[[], datetime], new_id: Callable[[], str]
    ) -> Iterator[Journal]:
        """Lock a run and repair the end of its log.

        Raises:
            StoreError: `run-active` if a coordinator has it; `run-damaged`, also for a log that is
                older than state.json; as `folder_lock`.
        """
        with contextlib.ExitStack() as held:
            try:
                held.enter_context(folder_lock(folder, patience=_PATIENCE))
            except StoreError as error:
                if error.id != "locked":
                    raise
                raise _active(folder) from error
            sweep(folder)
            with open_folder(folder) as opened:
                repair_ending(opened, folder, LOG, new_id)
            journal = Journal(folder, clock)
            check_age(folder, journal.state)
            yield journal

    def take_over(self, session: str) -> None:
        """Begin a new epoch: later writes of an earlier coordinator do not count."""
        previous = self.state.session or None
        epoch = max(self.state.epoch, LeaseStore(self.folder).epoch()) + 1
        event = self._made(CoordinatorStarted, epoch=epoch, previous_session_id=previous)
        self._write(_with_session(event, session))

    def record(self, kind: type[E], **facts: Any) -> E:
        """Add an event, on disk when this returns.

        Raises:
            StoreError: `run-taken-over` if another process writes this log; `not-writable`.
        """
        event = self._made(kind, **facts)
        self._write(event)
        return event

    def _made(self, kind: type[E], **facts: Any) -> E:
        return kind(
            timestamp=self._clock(),
            sequence=self.state.sequence + 1,
            session_id=self.state.session,
            **facts,
        )

    def _write(self, event: RunEvent) -> None:
        if self._measure() != self._size:
            raise _taken_over(self.folder)
        line = line_of(event)
        with _uninterrupted():
            with own_texts(self.folder / LOG):
                append_lines(self.folder / LOG, line, mode=PRIVATE)
            self._size = self._measure()
            apply(self.state, event)

    def _measure(self) -> int:
        with open_folder(self.folder) as opened:
            return opened.lstat(LOG).st_size if opened.has(LOG) else 0


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let a signal that pauses the run interrupt after the block."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals interrupt the main thread alone
        return
    numbers: list[int] = []
    handlers = {signum: signal.getsignal(signum) for signum in _PAUSING}
    try:
        for signum in handlers:
            signal.signal(signum, lambda number, _: numbers.append(number))
        yield
    finally:
        for signum, handler in handlers.items():
            signal.signal(signum, handler)
        for number in numbers:
            signal.raise_signal(number)


def _with_session(event: CoordinatorStarted, session: str) -> CoordinatorStarted:
    return replace(event, session_id=session)


def _active(folder: Path) -> StoreError:
    message = f"a coordinator has the run '{folder.name}'"
    hint = f"unlatch run status {quote(folder.name)}"
    return StoreError("run-active", message, where=str(folder), hint=hint)


def _taken_over(folder: Path) -> StoreError:
    message = f"another process writes the log of the run '{folder.name}'"
    hint = f"unlatch run status {quote(folder.name)}"
    if not exists(folder / LOG):
        message, hint = f"the log of the run '{folder.name}' was removed", "unlatch run list"
    return StoreError("run-taken-over", message, where=str(folder / LOG), hint=hint)


def _damaged(folder: Path, line: int, sequence: int) -> StoreError:
    return StoreError(
        "run-damaged",
        f"line {line} of {LOG} is not event {sequence}",
        where=str(folder / LOG),
        hint="restore the file from a backup; the run cannot be continued without it",
    )
