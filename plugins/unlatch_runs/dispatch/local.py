"""The dispatcher for this machine: each worker is a process group of its own.

The leases are files in the run's folder (`leases`). A lease is on disk before its worker starts; a
launcher becomes the worker, and only while the coordinator lives and the lease is active
(`launcher`). The worker and all processes that it starts hold a lock and carry the run id in their
environment, by which they are found when the coordinator has died (`recovery`). Its output goes to
a file, `workers/ULID.out`, which the next coordinator reads.
"""

from __future__ import annotations

import os
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Self

from unlatch.worklog.disk.atomic import PRIVATE, writing
from unlatch.worklog.disk.safe_open import open_folder
from unlatch_runs.dispatch.commands import NOT_FOUND
from unlatch_runs.dispatch.leases import LeaseStore, State
from unlatch_runs.dispatch.port import (
    Assignment,
    End,
    Ended,
    Lease,
    LeaseLost,
    NoRoom,
    ObservedLease,
    Place,
    Recovery,
    Report,
    Role,
    TaskLeased,
)
from unlatch_runs.dispatch.processes import PAUSE
from unlatch_runs.dispatch.recovery import end_workers, is_alive
from unlatch_runs.dispatch.starting import Files, NotStarted, start
from unlatch_runs.dispatch.worker import Child, Limits, Process, Survivor, Worker
from unlatch_runs.dispatch.worker_files import WorkerFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path


# Seconds beyond the grace in which a killed worker is waited for.
_PATIENCE = 10.0


def steady_clock() -> Callable[[], datetime]:
    """A clock that shows the time now, and then counts seconds: no change of the time moves it."""
    begin, origin = datetime.now(UTC), time.monotonic()
    return lambda: begin + timedelta(seconds=time.monotonic() - origin)


class LocalDispatcher:
    """A `Dispatcher` with processes on this machine; for Linux and macOS.

    Args:
        folder: the folder of the run.
        commands: the argument list of each role's workers, from the user's command line.
        place: the place of a worker, asked for when its lease is on disk.
        clock: the time, for leases and time-outs.
    """

    def __init__(
        self,
        folder: Path,
        commands: Mapping[Role, Sequence[str]],
        *,
        place: Callable[[Assignment], Place],
        clock: Callable[[], datetime],
        limits: Limits | None = None,
    ) -> None:
        self._place = place
        self._store, self._commands, self._clock = LeaseStore(folder), commands, clock
        self._limits = limits or Limits()
        self._files = WorkerFiles(folder / "workers")
        self._workers: dict[str, Worker] = {}
        self._claimed: dict[str, Lease] = {}
        self._reports: list[Report] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def claim(self, assignment: Assignment, *, epoch: int) -> Lease:
        with self._store.locked():
            self._store.admit(epoch)
            if (claimed := self._known(assignment.run_id, epoch)) is not None:
                return claimed
            self._check_free(assignment.task_id)
            lease = Lease(assignment.run_id, assignment.task_id, epoch, self._until())
            self._store.write(lease)
        self._claimed[lease.run_id] = lease
        try:
            self._start(assignment)
        except NotStarted as error:
            ended = Ended(End.EXIT, NOT_FOUND, str(error))
            self._reports.append(Report(lease.run_id, ended))
        except BaseException:
            self.release(lease)
            raise
        return lease

    def room(self) -> int:
        return max(0, self._limits.jobs - len(self._workers))

    def heartbeat(self, lease: Lease) -> Lease:
        with self._store.locked():
            current = replace(self._check(lease), until=self._until())
            self._store.write(current)
        self._claimed[lease.run_id] = current
        return current

    def complete(self, lease: Lease) -> None:
        with self._store.locked():
            self._check(lease)
            self._end([lease], End.RELEASED)
        self._files.remove_output(lease.run_id)

    def release(self, lease: Lease) -> None:
        with self._store.locked():
            if self._is_held(lease):
                self._end([lease], End.RELEASED)

    def poll(self, timeout: float) -> Sequence[Report]:
        deadline = time.monotonic() + timeout
        while True:
            self._step(min(PAUSE, max(0.0, deadline - time.monotonic())))
            if self._reports or time.monotonic() >= deadline:
                reports, self._reports = self._reports, []
                return reports

    def leases(self) -> Sequence[ObservedLease]:
        observed = [
            ObservedLease(lease, is_alive(lease.run_id, self._store.lock(lease.run_id)))
            for lease in self._store.list(State.ACTIVE, State.ENDING)
        ]
        return [entry for entry in observed if entry.is_alive or not self._is_expired(entry.lease)]

    def recover(self, epoch: int, keep: Collection[str] = ()) -> Recovery:
        with self._store.locked():
            self._store.admit(epoch)
            self._store.sweep()
            leases = self._store.list(State.ACTIVE, State.ENDING)
            earlier = [lease for lease in leases if lease.epoch < epoch]
            kept = [lease for lease in earlier if lease.run_id in keep and self._can_be_kept(lease)]
            others = [lease for lease in earlier if lease not in kept]
            stuck = self._end(others, End.RELEASED)
            taken = tuple(self._take_over(lease, epoch) for lease in kept)
            # What they said is recorded, or does not count.
            for run_id in self._files.outputs():
                if self._store.state(run_id) in (State.ENDED, None):
                    self._files.remove_output(run_id)
        ended = tuple(lease for lease in others if lease.run_id not in stuck)
        return Recovery(ended, tuple(lease for lease in others if lease.run_id in stuck), taken)

    def close(self) -> None:
        with self._store.locked():
            own = [lease for lease in self._claimed.values() if self._is_held(lease)]
            try:
                self._end(own, End.RELEASED)
            except BaseException:  # a second interruption ends the grace
                for worker in self._workers.values():
                    worker.kill()
                raise

    def _known(self, run_id: str, epoch: int) -> Lease | None:
        """The lease that this coordinator claimed for a run id; None if it never had one."""
        entry = self._store.find(run_id)
        if entry is None:
            return None
        lease, state = entry
        is_own = lease.epoch == epoch and run_id in self._claimed
        if not is_own or state is not State.ACTIVE or self._is_expired(lease):
            raise _lost(lease.task_id)
        return lease

    def _check_free(self, task_id: str) -> None:
        if not self.room():
            raise NoRoom("no-room", f"{self._limits.jobs} workers are running already")
        for state in (State.ACTIVE, State.ENDING):
            for lease in [*self._store.list(state)]:
                if lease.task_id != task_id:
                    continue
                is_over = state is State.ENDING or self._is_expired(lease)
                if not is_over or self._end([lease], End.EXPIRED):
                    message = f"task {task_id} is leased to the dispatch {lease.run_id}"
                    raise TaskLeased("task-leased", message, where=task_id)

    def _check(self, lease: Lease) -> Lease:
        """The lease as it is on disk; LeaseLost if it has ended."""
        entry = self._store.find(lease.run_id)
        if entry is None or entry[1] is not State.ACTIVE or self._is_expired(entry[0]):
            raise _lost(lease.task_id)
        if self._store.epoch() > lease.epoch:
            raise _lost(lease.task_id)
        return entry[0]

    def _is_held(self, lease: Lease) -> bool:
        """Whether a lease is the one that was claimed, and has not ended."""
        entry = self._store.find(lease.run_id)
        return entry is not None and entry[1] is not State.ENDED and entry[0].epoch == lease.epoch

    def _can_be_kept(self, lease: Lease) -> bool:
        """Whether nothing ended a lease, and its worker writes to a file."""
        is_active = self._store.state(lease.run_id) is State.ACTIVE
        return is_active and self._files.is_readable(lease.run_id)

    def _take_over(self, lease: Lease, epoch: int) -> Lease:
        lease = replace(lease, epoch=epoch, until=self._until())
        self._store.write(lease)
        self._claimed[lease.run_id] = lease
        self._add_worker(lease.run_id, Survivor(self._store.lock(lease.run_id)))
        return lease

    def _is_expired(self, lease: Lease) -> bool:
        return lease.until <= self._clock()

    def _until(self) -> datetime:
        return (self._clock() + timedelta(seconds=self._limits.lease)).replace(microsecond=0)

    def _start(self, assignment: Assignment) -> None:
        run_id = assignment.run_id
        lock = self._store.lock(run_id)
        with writing(lock), open_folder(lock.parent) as locks:
            os.close(locks.file(run_id, os.O_RDWR | os.O_CREAT, mode=PRIVATE))
        argv = self._commands[assignment.role]
        with self._files.created(run_id) as (out, err):
            files = Files(lock, self._store.active(run_id), out, err)
            process = start(assignment.text, self._place(assignment), argv, files)
        self._add_worker(run_id, Child(process))

    def _add_worker(self, run_id: str, process: Process) -> None:
        out, err = self._files.open(run_id)
        lock, now = self._store.lock(run_id), self._clock()
        self._workers[run_id] = Worker(run_id, process, out, err, lock, now, self._limits)

    def _step(self, seconds: float) -> None:
        """Read the output of workers, and end those over a limit; waits if nothing arrived."""
        before = len(self._reports)
        for worker in [*self._workers.values()]:
            self._reports += [Report(worker.run_id, message) for message in worker.read()]
            self._look_at(worker)
        if len(self._reports) == before:
            time.sleep(seconds)

    def _look_at(self, worker: Worker) -> None:
        if worker.has_exited:
            self._finish(worker)
        elif worker.ending is None:
            if (how := self._over_limit(worker)) is not None:
                worker.end(how)
        else:
            worker.press()

    def _over_limit(self, worker: Worker) -> End | None:
        now, limits = self._clock(), self._limits
        if now >= worker.started + timedelta(seconds=limits.timeout):
            return End.TIMEOUT
        if worker.prints_too_much:
            return End.OUTPUT
        if worker.answered is not None and time.monotonic() >= worker.answered + limits.settle:
            return End.LINGERED
        return End.EXPIRED if self._is_expired(self._claimed[worker.run_id]) else None

    def _finish(self, worker: Worker) -> None:
        del self._workers[worker.run_id]
        messages, ended = worker.finish()
        self._reports += [Report(worker.run_id, message) for message in (*messages, ended)]

    def _end(self, leases: Sequence[Lease], how: End) -> set[str]:
        """End leases and their workers; returns the run ids of those with a live process."""
        for lease in leases:
            self._store.move(lease.run_id, State.ENDING)
            if (worker := self._workers.get(lease.run_id)) is not None:
                worker.end(how)
        deadline = time.monotonic() + self._limits.grace + _PATIENCE
        names = {lease.run_id for lease in leases}
        while not names.isdisjoint(self._workers) and time.monotonic() < deadline:
            self._step(PAUSE)
        others = {run_id: self._store.lock(run_id) for run_id in names}
        stuck = set(end_workers(others, grace=self._limits.grace))
        for run_id in names - stuck:
            self._store.move(run_id, State.ENDED)
        return stuck


def _lost(task_id: str) -> LeaseLost:
    message = f"the lease of task {task_id} has ended, and its result does not count"
    return LeaseLost("lease-lost", message, where=task_id)
