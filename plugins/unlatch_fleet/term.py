"""The time of one epoch of a node: from entering the fleet until it leaves or counts as dead."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unlatch import __version__
from unlatch.errors import Transient, UnlatchError, unexpected
from unlatch_fleet.children import Children
from unlatch_fleet.database.budget import SharedRows
from unlatch_fleet.database.connect import Line
from unlatch_fleet.queue import AWAY, open_queue, run_worker
from unlatch_fleet.unit import Outcome, Result, outcome_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch_fleet.local import Machine
    from unlatch_fleet.node_file import Settings

_LEASH = Path(__file__).with_name("leash.py")
# Errors of programs that did not end by themselves: a request may be under way.
_CUT_OFF = frozenset({"unit-failed", "unit-too-slow", "stopped"})
_HOUR = 3600.0


class LeashedChildren(Children):
    """Programs that a process of its own ends if this one cannot.

    Args:
        seconds: without a sign of life, after which it does.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._writing = threading.Lock()
        self._leash = subprocess.Popen(  # noqa: S603  (a script of this package)
            [sys.executable, "-I", str(_LEASH), str(seconds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )

    def beat(self) -> None:
        """A sign of life reached the database."""
        self._write(".")

    def began(self, pid: int) -> None:
        self._write(f"+{pid}")

    def ended(self, pid: int) -> None:
        self._write(f"-{pid}")

    def close(self) -> None:
        """End what still runs."""
        with self._writing, suppress(OSError):
            self._leash.communicate()

    def _write(self, line: str) -> None:
        pipe = self._leash.stdin
        with self._writing:
            try:
                if pipe is not None and not pipe.closed:
                    pipe.write(f"{line}\n".encode())
                    pipe.flush()
            except OSError:  # without it no program may go on
                self.stop()


class Term:
    """One epoch of a node; the arguments are those of `run_node`."""

    def __init__(
        self,
        address: str,
        machine: Callable[[], Machine],
        settings: Settings,
        say: Callable[[str], None],
        stopping: asyncio.Event,
    ) -> None:
        self._address = address
        self._settings = settings
        self._say = say
        self._stopping = stopping
        self._over = asyncio.Event()  # this epoch, or the node
        self._loop = asyncio.get_running_loop()
        self._line, self._requests, self._life = Line(address), Line(address), Line(address)
        self._children = LeashedChildren(2 / 3 * settings.lease)
        self._machine = machine
        self._epoch = 0
        self._at_work: set[int] = set()
        self._cleaned = -_HOUR

    async def run(self) -> None:
        """Carry out units until the node stops, or this epoch counts as dead.

        Raises:
            Transient: `fleet-database-away`.
        """
        try:
            self._epoch = await asyncio.to_thread(self._enter)
            ended = threading.Event()
            life = asyncio.create_task(asyncio.to_thread(self._live, ended))
            try:
                await self._take_jobs()
            finally:
                ended.set()
                await life
            with suppress(Transient):
                await asyncio.to_thread(self._life.ask, "SELECT fleet_leave(%s)", self._epoch)
        finally:
            await asyncio.to_thread(self._children.close)
            for line in (self._line, self._requests, self._life):
                line.close()

    def cut_off(self) -> None:
        """End the units under way."""
        self._children.stop()

    def _enter(self) -> int:
        settings, query = self._settings, "SELECT fleet_enter(%s, %s, %s, %s) AS epoch"
        lease = timedelta(seconds=settings.lease)
        row = self._life.ask(query, settings.name, __version__, settings.jobs, lease)
        return int(row.epoch)

    async def _take_jobs(self) -> None:
        jobs, lease = self._settings.jobs, self._settings.lease
        ends = [asyncio.create_task(event.wait()) for event in (self._stopping, self._over)]
        try:
            async with open_queue(self._address, self._work).open_async() as app:
                worker = asyncio.create_task(run_worker(app, jobs=jobs, lease=lease))
                done, _ = await asyncio.wait({worker, *ends}, return_when=asyncio.FIRST_COMPLETED)
                worker.cancel()  # units under way finish first
                with suppress(asyncio.CancelledError):
                    await worker
                if done == {worker}:  # as after a restart of the database
                    raise Transient("fleet-database-away", "the queue was interrupted")
        except AWAY as error:
            raise Transient("fleet-database-away", "the database cannot be reached") from error
        finally:
            for end in ends:
                end.cancel()

    def _live(self, ended: threading.Event) -> None:
        """Give signs of life, and do what any node does for all; without them, the epoch is over.

        Raises:
            UnlatchError: as `run_node`.
        """
        try:
            while not ended.wait(self._settings.tick):
                with suppress(Transient):
                    row = self._life.ask("SELECT fleet_beat(%s) AS drains", self._epoch)
                    if row is None:
                        self._say("this node was taken for dead; its units are cut off")
                        break
                    self._children.beat()
                    if row.drains:
                        self._loop.call_soon_threadsafe(self._stopping.set)
                    self._care()
        finally:
            if not ended.is_set():
                self._children.stop()
                self._loop.call_soon_threadsafe(self._over.set)

    def _care(self) -> None:
        """Plan what is due, take over from the dead, and remove old rows."""
        self._end_forgotten()
        if lost := self._life.ask("SELECT fleet_sweep() AS units").units:
            self._say(f"{lost} units of nodes that fell silent begin again")
        self._life.ask("SELECT fleet_plan()")
        if time.monotonic() - self._cleaned >= _HOUR:
            age = timedelta(days=self._settings.keep_days)
            self._life.ask("SELECT fleet_clean(%s)", age)
            self._cleaned = time.monotonic()

    def _end_forgotten(self) -> None:
        """End a unit of this epoch that is not at work: the database lost its end.

        As after a crash of one that does not wait for its disk, or a change to a replica.
        """
        values = self._epoch, timedelta(seconds=self._settings.lease), [*self._at_work]
        if row := self._life.ask(_FORGOTTEN, *values):
            lost = UnlatchError("unit-forgotten", "the database lost the end of a unit")
            query = "SELECT fleet_end(%s, %s, 'later', %s, 0, false)"
            self._life.ask(query, row.id, self._epoch, lost.id)
            self._say(f"{row.repository}: {lost.message}; it begins again")

    def _work(self, name: str, job: int) -> None:
        """Carry out the unit of a job, unless the rows say that it must not begin."""
        row = self._insist("SELECT * FROM fleet_begin(%s, %s, %s)", name, self._epoch, job)
        if row.refused == "fenced":
            raise UnlatchError("stopped", "this node counts as dead")  # the job is for another
        if row.id is None:
            return
        self._at_work.add(row.id)
        try:
            self._end(name, row.id, self._outcome(name, is_event=row.is_event))
        finally:
            self._at_work.discard(row.id)

    def _end(self, name: str, unit: int, outcome: Outcome) -> None:
        """Record the end of a unit, unless this node counts as dead."""
        wait = self._wait(outcome)
        values = str(outcome.result), outcome.error, wait, outcome.is_limited and wait is not None
        query = "SELECT fleet_end(%s, %s, %s, %s, %s, %s) AS is_recorded"
        if self._insist(query, unit, self._epoch, *values).is_recorded:
            self._say(
                f"{name}: {outcome.result}" + (f" [{outcome.error}]" if outcome.error else "")
            )

    def _outcome(self, name: str, *, is_event: bool) -> Outcome:
        machine = self._machine()
        listed = (each for each in machine.fleet.repositories if each.address.key == name)
        if (repository := next(listed, None)) is None:
            message = "fleet.toml of the node does not list it"
            return Outcome(Result.PERSON, error="fleet-repository-unknown", message=message)
        try:
            rows = SharedRows(self._requests, self._settings.kept, is_event)
            return replace(machine, rows=rows, children=self._children).sync(repository)
        except UnlatchError as error:
            if error.id != "stopped":
                return outcome_of(error)
            at = datetime.now(UTC) + timedelta(seconds=self._settings.pause)
            return Outcome(Result.LATER, at=at, error=error.id, message=error.message)
        except Exception as error:  # noqa: BLE001  # a fault of this unit, not of the others
            return outcome_of(unexpected(error))

    def _wait(self, outcome: Outcome) -> float | None:
        """Seconds until the next unit may begin, if there is a reason to wait."""
        if outcome.result is Result.LATER and outcome.at is not None:
            return max(0.0, (outcome.at - datetime.now(UTC)).total_seconds())
        is_cut_off = outcome.result is Result.FAILED and outcome.error in _CUT_OFF
        return self._settings.pause if is_cut_off else None

    def _insist(self, query: str, *values: object) -> Any:
        """The answer, however long the database is away; its functions may be asked twice.

        Raises:
            Transient: the node's units are cut off.
        """
        while True:
            try:
                return self._line.ask(query, *values)
            except Transient:
                if self._children.is_stopped:
                    raise
                time.sleep(self._settings.tick)


# A unit is noted as at work a moment after its row begins.
_FORGOTTEN = """SELECT id, repository FROM fleet_unit WHERE epoch = %s AND ended IS NULL
    AND began + %s < clock_timestamp() AND NOT id = ANY(%s) ORDER BY id LIMIT 1"""
