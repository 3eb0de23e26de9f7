"""One dispatch on a node: its checkout, its worker under a local dispatcher, and what it says."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from dataclasses import replace
from threading import Event
from typing import TYPE_CHECKING

from unlatch.errors import Transient, UnlatchError
from unlatch_fleet.tasks.work import Work, dump_end, dump_message
from unlatch_runs.dispatch.local import LocalDispatcher, steady_clock
from unlatch_runs.dispatch.port import (
    Assignment,
    DispatchRefused,
    End,
    Ended,
    Lease,
    Place,
    Placed,
    Role,
)
from unlatch_runs.dispatch.processes import marked
from unlatch_runs.dispatch.protocol import Answer, Message

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from unlatch_fleet.database.connect import Line
    from unlatch_fleet.tasks.checkout import Checkout, Mirror
    from unlatch_runs.dispatch.worker import Limits

_AUDITOR = (sys.executable, "-I", "-m", "unlatch_runs.audit")
# Seconds between two looks at a worker's output.
_LOOK = 0.1
# The exit code of git for what it could not do.
_GIT_FAILED = 128
# In the folder of a dispatch whose work is nowhere else.
KEPT = "kept"


class Fenced(Exception):
    """The node counts as dead; nothing of this dispatch is recorded any more."""


class Carrying:
    """Carries out a dispatch that the node took, in a thread.

    Args:
        epoch: of the node.
        folder: of this dispatch alone.
        environ: of workers, without the marks of one.
        last_sign: the number of the node's last sign of life that reached the database.
        limits: `lease` is the time after which the worker ends without such a sign.
    """

    def __init__(
        self,
        run_id: str,
        work: Work,
        *,
        epoch: int,
        line: Line,
        mirror: Mirror,
        folder: Path,
        environ: Mapping[str, str],
        last_sign: Callable[[], int],
        limits: Limits,
    ) -> None:
        self._run_id, self._work, self._epoch, self._line = run_id, work, epoch, line
        self._mirror, self._folder, self._environ = mirror, folder, environ
        self._last_sign, self._limits = last_sign, limits
        self._sent = 0
        self._messages: list[Message] = []
        self._how: End | None = None
        self._is_cut_off = Event()

    def stop(self, how: End) -> None:
        """End the worker, and report that it ended so."""
        self._how = self._how or how

    def cut_off(self) -> None:
        """End the worker; the node counts as dead, or is told to end at once."""
        self._is_cut_off.set()

    def carry_out(self) -> None:
        """Start the worker, and write what it says until it has ended."""
        with suppress(Fenced, Transient):
            try:
                ended = self._ended()
            except Transient:
                raise
            except (UnlatchError, OSError) as error:
                reason = error.message if isinstance(error, UnlatchError) else str(error)
                ended = Ended(End.EXIT, _GIT_FAILED, reason)
            self._report(ended)
        if not (self._folder / KEPT).exists():
            shutil.rmtree(self._folder, ignore_errors=True)

    def _ended(self) -> Ended:
        place = self._folder / "checkout"
        checkout = self._mirror.check_out(self._work, place)
        ended = self._run(place / self._work.folder)
        if self._work.role is Role.DEVELOPER and self._work.branch:
            return self._pushed(checkout, ended)
        return ended

    def _pushed(self, checkout: Checkout, ended: Ended) -> Ended:
        """Push the work; an end of the worker alone is no success without it."""
        self._write(())  # Fenced, unless this dispatch still counts
        try:
            return replace(ended, commit=checkout.push(self._work))
        except UnlatchError as error:
            (self._folder / KEPT).touch()
            reason = f"its work is in {checkout.place} and could not be pushed: {error.message}"
            return replace(ended, end=End.EXIT, code=_GIT_FAILED, errors=reason)

    def _run(self, folder: Path) -> Ended:
        """Start the worker, and wait for its end."""
        work = self._work
        marks = marked(self._environ, run_id=self._run_id, task_id=work.task)
        place = Place(folder, marks)
        commands: dict[Role, Sequence[str]] = {Role.DEVELOPER: work.worker, Role.AUDITOR: _AUDITOR}
        with LocalDispatcher(
            self._folder, commands, place=lambda _: place, clock=steady_clock(), limits=self._limits
        ) as local:
            assignment = Assignment(self._run_id, work.task, work.role, work.text)
            return self._follow(local, local.claim(assignment, epoch=1))

    def _follow(self, local: LocalDispatcher, lease: Lease) -> Ended:
        seen = self._last_sign()
        while True:
            for report in local.poll(_LOOK):
                if isinstance(report.message, Ended):
                    return self._as_asked(report.message)
                if not isinstance(report.message, Placed):  # it is here
                    self._messages.append(report.message)
            with suppress(DispatchRefused):
                if self._last_sign() != seen:
                    seen = self._last_sign()
                    lease = local.heartbeat(lease)
            if self._how is not None or self._is_cut_off.is_set():
                local.release(lease)
            with suppress(Transient):
                self._send()

    def _as_asked(self, ended: Ended) -> Ended:
        if ended.end is End.RELEASED and self._how is not None:
            return replace(ended, end=self._how)
        # The lease of the local dispatcher ran out without signs of life, or the node is ending.
        is_lost = ended.end in (End.RELEASED, End.EXPIRED)
        return replace(ended, end=End.UNSEEN, code=None) if is_lost else ended

    def _send(self) -> None:
        """Write what was said; from the answer on, it waits for the end, and for the push."""
        answers = (
            place for place, message in enumerate(self._messages) if isinstance(message, Answer)
        )
        count = next(answers, len(self._messages))
        if count:
            self._write(self._messages[:count])
            self._sent += count
            del self._messages[:count]

    def _report(self, ended: Ended) -> None:
        """Write the end with what was said before it, however long the database is away."""
        messages = self._messages
        if ended.end is End.UNSEEN:  # an answer without its work is none
            messages = [message for message in messages if not isinstance(message, Answer)]
        content = dump_end(ended, self._sent + len(messages))
        while True:
            try:
                return self._write(messages, content)
            except Transient:
                if self._is_cut_off.wait(1.0):
                    raise

    def _write(self, messages: Sequence[Message], ended: str | None = None) -> None:
        """Write messages, which may be there already; Fenced, Transient."""
        texts = [*map(dump_message, messages)]
        query = "SELECT run_report(%s, %s, %s, %s::text[], %s) AS is_recorded"
        values = self._run_id, self._epoch, self._sent + 1, texts, ended
        if not self._line.ask(query, *values).is_recorded:
            raise Fenced


def worker_environment(base: Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    """The environment of a worker: of this process, what programs need and what was named."""
    kept = {name: value for name, value in base.items() if not name.startswith(("GIT_", "SSH_"))}
    return kept | {name: os.environ[name] for name in names if name in os.environ}
