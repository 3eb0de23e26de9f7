"""A dispatcher whose storage and workers are objects: the reference for the conformance kit."""

import json
import time
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from unlatch_runs.dispatch.output import Output
from unlatch_runs.dispatch.port import (
    Assignment,
    Dispatcher,
    End,
    Ended,
    Lease,
    LeaseLost,
    NoRoom,
    ObservedLease,
    Recovery,
    Report,
    StaleEpoch,
    TaskLeased,
)
from unlatch_runs.dispatch.protocol import Message
from unlatch_runs.testing import DispatchHarness

LEASE, TIMEOUT, JOBS = 60.0, 600.0, 3


class Crash(BaseException):
    """The coordinator died."""


@dataclass
class Worker:
    """A worker that did all its steps at once; its processes are counted."""

    started: datetime
    processes: set[str] = field(default_factory=lambda: {"worker"})
    said: list[Message] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    output: Output = field(default_factory=Output)
    end: Ended | None = None

    def follow(self, steps: list[list[Any]]) -> None:
        for name, *arguments in steps:
            if name == "hang":
                return
            if name == "child":
                self.processes.add("child")
            elif name in ("exit", "signal"):
                self.exit(End(name), arguments[0])
                return
            elif name != "ignore":
                self.print(name, arguments[0])
        self.exit(End.EXIT, 0)

    def print(self, name: str, value: Any) -> None:
        if name == "say":
            text = json.dumps(value).encode() + b"\n"
        else:
            text = value.encode("latin-1") if name == "raw" else b"flood\n" * 1000
        self.said += self.output.feed(text)
        self.messages = list(self.said)

    def exit(self, end: End, code: int | None = None) -> None:
        self.processes.clear()
        self.end = self.end or Ended(end, code, noise=self.output.noise)


@dataclass
class Row:
    """A row of the storage."""

    lease: Lease
    worker: Worker | None = None
    is_active: bool = True


@dataclass
class Storage:
    now: datetime = datetime(2026, 3, 2, 9, tzinfo=UTC)
    epoch: int = 0
    rows: dict[str, Row] = field(default_factory=dict)
    starts: Counter[str] = field(default_factory=Counter)


class MemoryDispatcher:
    def __init__(self, storage: Storage, crashes: str = "") -> None:
        self.storage, self.crashes = storage, crashes
        self.claimed: list[str] = []
        self.epoch = 0
        self.reported: set[str] = set()

    def claim(self, assignment: Assignment, *, epoch: int) -> Lease:
        self.admit(epoch)
        self.epoch = epoch
        found = self.storage.rows.get(assignment.run_id)
        if found is not None:
            if self.is_own(found) and self.is_valid(found):
                return found.lease
            raise LeaseLost("lease-lost", "used up")
        self.check_free(assignment.task_id)
        self.crash("before the lease")
        lease = Lease(assignment.run_id, assignment.task_id, epoch, self.until())
        self.storage.rows[lease.run_id] = Row(lease)
        self.claimed.append(lease.run_id)
        self.crash("after the lease")
        self.start(assignment)
        self.crash("after the start")
        return lease

    def is_own(self, row: Row) -> bool:
        return row.lease.run_id in self.claimed

    def start(self, assignment: Assignment) -> None:
        self.storage.starts[assignment.run_id] += 1
        worker = Worker(self.storage.now)
        self.storage.rows[assignment.run_id].worker = worker
        worker.follow(json.loads(assignment.text))

    def room(self) -> int:
        rows = (self.storage.rows[one] for one in self.claimed)
        return JOBS - sum(bool(row.worker and row.worker.processes) for row in rows)

    def heartbeat(self, lease: Lease) -> Lease:
        row = self.check(lease)
        row.lease = replace(row.lease, until=self.until())
        return row.lease

    def complete(self, lease: Lease) -> None:
        self.check(lease)
        self.end(lease.run_id, End.RELEASED)

    def release(self, lease: Lease) -> None:
        if self.storage.rows[lease.run_id].lease.epoch == lease.epoch:
            self.end(lease.run_id, End.RELEASED)

    def poll(self, timeout: float) -> Sequence[Report]:
        reports = [report for one in self.claimed for report in self.reports_of(one)]
        if not reports:
            time.sleep(min(timeout, 0.01))
        return reports

    def reports_of(self, run_id: str) -> list[Report]:
        worker = self.storage.rows[run_id].worker
        if worker is None or run_id in self.reported:
            return []
        self.limit(self.storage.rows[run_id], worker)
        messages: list[Message | Ended] = [*worker.messages]
        worker.messages = []
        if worker.end is not None:
            messages.append(worker.end)
            self.reported.add(run_id)
        return [Report(run_id, one) for one in messages]

    def limit(self, row: Row, worker: Worker) -> None:
        """End a worker that is over a limit."""
        if worker.end is not None:
            return
        if worker.output.answer:
            worker.exit(End.LINGERED)
        elif self.storage.now >= worker.started + timedelta(seconds=TIMEOUT):
            worker.exit(End.TIMEOUT)
        elif self.is_expired(row):
            worker.exit(End.EXPIRED)

    def leases(self) -> Sequence[ObservedLease]:
        return [
            ObservedLease(row.lease, bool(row.worker and row.worker.processes))
            for row in self.storage.rows.values()
            if row.is_active and not self.is_expired(row)
        ]

    def recover(self, epoch: int, keep: Collection[str] = ()) -> Recovery:
        self.admit(epoch)
        self.epoch = epoch
        rows = [row for row in self.storage.rows.values() if row.is_active]
        earlier = [row for row in rows if row.lease.epoch < epoch]
        kept = [row for row in earlier if row.lease.run_id in keep]
        ended = [row.lease for row in earlier if row not in kept]
        for lease in ended:
            self.end(lease.run_id, End.RELEASED)
        return Recovery(tuple(ended), (), tuple(self.take_over(row, epoch) for row in kept))

    def take_over(self, row: Row, epoch: int) -> Lease:
        row.lease = replace(row.lease, epoch=epoch, until=self.until())
        self.claimed.append(row.lease.run_id)
        if row.worker is not None:
            row.worker.messages = list(row.worker.said)
            row.worker.started = self.storage.now
            if row.worker.end is not None:
                row.worker.end = Ended(End.UNSEEN, noise=row.worker.output.noise)
        return row.lease

    def close(self) -> None:
        for run_id in self.claimed:
            if self.storage.rows[run_id].lease.epoch == self.epoch:
                self.end(run_id, End.RELEASED)

    def crash(self, point: str) -> None:
        if self.crashes == point:
            raise Crash

    def admit(self, epoch: int) -> None:
        if epoch < self.storage.epoch:
            raise StaleEpoch("run-taken-over", "taken over")
        self.storage.epoch = epoch

    def check_free(self, task_id: str) -> None:
        if not self.room():
            raise NoRoom("no-room", "no room")
        for run_id, row in self.storage.rows.items():
            if row.is_active and row.lease.task_id == task_id:
                if not self.is_expired(row):
                    raise TaskLeased("task-leased", "leased")
                self.end(run_id, End.EXPIRED)

    def check(self, lease: Lease) -> Row:
        row = self.storage.rows[lease.run_id]
        if not self.is_valid(row) or row.lease.epoch != lease.epoch:
            raise LeaseLost("lease-lost", "lost")
        return row

    def is_valid(self, row: Row) -> bool:
        is_latest = row.lease.epoch == self.storage.epoch
        return row.is_active and not self.is_expired(row) and is_latest

    def is_expired(self, row: Row) -> bool:
        return row.lease.until <= self.storage.now

    def until(self) -> datetime:
        return self.storage.now + timedelta(seconds=LEASE)

    def end(self, run_id: str, how: End) -> None:
        row = self.storage.rows[run_id]
        row.is_active = False
        if row.worker is not None:
            row.worker.exit(how)


class MemoryHarness(DispatchHarness):
    jobs, lease_seconds, timeout_seconds = JOBS, LEASE, TIMEOUT
    crash_points = ("before the lease", "after the lease", "after the start")

    def __init__(self, kind: type[MemoryDispatcher] = MemoryDispatcher) -> None:
        self.kind, self.storage = kind, Storage()

    def dispatcher(self) -> MemoryDispatcher:
        return self.kind(self.storage)

    def advance(self, seconds: float) -> None:
        self.storage.now += timedelta(seconds=seconds)

    def starts(self, run_id: str) -> int:
        return self.storage.starts[run_id]

    def is_alive(self, run_id: str) -> bool:
        row = self.storage.rows.get(run_id)
        return bool(row and row.worker and row.worker.processes)

    def abandon(self, dispatcher: Dispatcher) -> None:
        """Nothing of it runs."""

    def crash_in_claim(self, assignment: Assignment, *, epoch: int, point: str) -> None:
        try:
            self.kind(self.storage, point).claim(assignment, epoch=epoch)
        except Crash:
            return
        raise AssertionError(f"the coordinator survived {point}")
