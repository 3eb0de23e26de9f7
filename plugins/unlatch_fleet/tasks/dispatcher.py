"""The dispatcher on PostgreSQL: nodes take its rows, start the workers, and write what they say.

A row is the lease of one run id. A worker starts only on the node whose epoch is in its row, which
is written once. While the database is away, nothing starts, and what runs goes on.
"""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from unlatch.errors import Transient
from unlatch.values import dataclass
from unlatch.worklog.ids import new_ulid
from unlatch_fleet.tasks.rows import Rows, database_clock
from unlatch_fleet.tasks.work import Work, dump_work, load_end, load_message
from unlatch_runs.dispatch.port import (
    Assignment,
    End,
    Lease,
    LeaseLost,
    NoRoom,
    ObservedLease,
    Placed,
    Recovery,
    Report,
    TaskLeased,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from unlatch_fleet.database.connect import Line
    from unlatch_fleet.tasks.rows import Connection
    from unlatch_runs.dispatch.worker import Limits

T = TypeVar("T")
# Seconds between two looks at the rows, and between two for silent nodes.
_LOOK, _SWEEP = 0.1, 1.0
# Seconds for which a coordinator waits for a database that is away.
_AWAY = 120.0
# Seconds in which a node ends a worker and pushes its work, or counts as dead.
_PATIENCE = 180.0


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a run comes from.

    Args:
        name: the id of the run, for people.
        key: its name among the rows, a ULID; asked for at each use.
        repository: the key of its repository's address.
        folder: the place of the project in it; empty, or it ends with a slash.
        worker: the argument list of a developer.
    """

    name: str
    key: Callable[[], str]
    repository: str
    folder: str
    worker: Sequence[str]


@dataclass(slots=True)
class _Watch:
    """A run id of this dispatcher, until its end is reported.

    Args:
        cursor: the number of its messages that were reported.
        since: when it was first seen on a node, by the dispatcher's clock.
    """

    lease: Lease
    cursor: int = 0
    since: datetime | None = None
    is_stopped: bool = False
    is_closed: bool = False


class PostgresDispatcher:
    """A `Dispatcher` whose workers are on nodes.

    Args:
        clock: the time, for leases and time-outs; by default the database's.
    """

    def __init__(
        self,
        line: Line,
        origin: Origin,
        limits: Limits,
        *,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        self._line, self._origin, self._limits = line, origin, limits
        self._clock = clock or database_clock(line)
        self._owner = new_ulid()
        self._rows = Rows(line, origin.key, origin.name, self._owner)
        self._watched: dict[str, _Watch] = {}
        self._claimed: dict[str, Lease] = {}
        self._swept = 0.0

    def claim(self, assignment: Assignment, *, epoch: int) -> Lease:
        while True:
            claimed = self._insist(lambda: self._claim(assignment, epoch))
            if isinstance(claimed, Lease):
                return claimed
            # Their leases ran out; the task is free when their workers are dead.
            if stuck := self._wait_for_end(claimed):
                raise _leased(stuck[0])

    def room(self) -> int:
        return self._limits.jobs - sum(not watch.is_closed for watch in self._watched.values())

    def heartbeat(self, lease: Lease) -> Lease:
        now = self._clock()
        current = replace(lease, until=self._until(now))
        try:
            with self._line.open() as connection:
                if not self._rows.extend(connection, lease, now=now, until=current.until):
                    raise _lost(lease)
        except Transient:
            return lease  # its worker goes on, and so does the lease until its end
        self._claimed[lease.run_id] = current
        return current

    def complete(self, lease: Lease) -> None:
        def finish() -> None:
            with self._line.open() as connection:
                if not self._rows.finish(connection, lease, now=self._clock()):
                    raise _lost(lease)

        self._insist(finish)
        self._wait_for_end([lease])

    def poll(self, timeout: float) -> Sequence[Report]:
        deadline = time.monotonic() + timeout
        while True:
            reports = self._look()
            left = deadline - time.monotonic()
            if reports or left <= 0:
                return reports
            time.sleep(min(_LOOK, left))

    def release(self, lease: Lease) -> None:
        self._end([lease])

    def leases(self) -> Sequence[ObservedLease]:
        with self._line.open() as connection:
            self._rows.close_idle(connection)
            rows = self._rows.unfinished(connection)
        now = self._clock()
        observed = [ObservedLease(_lease(row), is_alive=_is_alive(row)) for row in rows]
        return [entry for entry in observed if entry.is_alive or entry.lease.until > now]

    def recover(self, epoch: int, keep: Collection[str] = ()) -> Recovery:
        kept, others = self._insist(lambda: self._recover(epoch, keep))
        stuck = self._wait_for_end(others)
        ended = tuple(lease for lease in others if lease not in stuck)
        return Recovery(ended, tuple(stuck), tuple(kept))

    def close(self) -> None:
        if self._claimed:
            self._end([*self._claimed.values()])
        self._line.close()

    def _claim(self, assignment: Assignment, epoch: int) -> Lease | list[Lease]:
        """The lease of a claim, or the leases whose workers have to be ended first."""
        with self._rows.admitted(epoch) as connection:
            now = self._clock()
            for row in self._rows.find(connection, [assignment.run_id]):
                return self._known(row, epoch, now)
            if self.room() < 1:
                raise NoRoom("no-room", f"{self._limits.jobs} workers are running already")
            unfinished = self._rows.unfinished(connection)
            before = [row for row in unfinished if row.task == assignment.task_id]
            for row in before:
                if row.over is None and row.until > now:
                    raise _leased(_lease(row))
            if before:
                leases = [*map(_lease, before)]
                self._rows.end(connection, leases, End.EXPIRED)
                return leases
            lease = Lease(assignment.run_id, assignment.task_id, epoch, self._until(now))
            self._insert(connection, lease, assignment)
        self._watch(lease)
        return lease

    def _known(self, row: Any, epoch: int, now: datetime) -> Lease:
        """The lease of a run id that has a row; LeaseLost if it is not this dispatcher's."""
        lease = _lease(row)
        is_held = row.over is None and lease.until > now
        if not is_held or lease.epoch != epoch or row.owner != self._owner:
            raise _lost(lease)
        # The answer to the first claim may have been lost.
        self._watch(lease)
        return lease

    def _insert(self, connection: Connection, lease: Lease, assignment: Assignment) -> None:
        work = Work(
            task=assignment.task_id,
            role=assignment.role,
            text=assignment.text,
            commit=assignment.commit,
            branch=assignment.branch,
            needs=assignment.needs,
            variables=assignment.variables,
            worker=tuple(self._origin.worker),
            folder=self._origin.folder,
            timeout=self._limits.timeout,
        )
        content, repository = dump_work(work), self._origin.repository
        self._rows.insert(connection, lease, repository=repository, work=content)

    def _recover(self, epoch: int, keep: Collection[str]) -> tuple[list[Lease], list[Lease]]:
        """Take over what is kept, and begin to end the others."""
        kept, others = [], []
        with self._rows.admitted(epoch) as connection:
            for row in self._rows.unfinished(connection):
                if row.epoch < epoch and row.over is None and row.run_id in keep:
                    lease = replace(_lease(row), epoch=epoch, until=self._until(self._clock()))
                    self._rows.take_over(connection, lease)
                    kept.append(lease)
                elif row.epoch < epoch:
                    others.append(_lease(row))
            self._rows.end(connection, others, End.RELEASED)
        for lease in kept:
            self._watch(lease)
        return kept, others

    def _watch(self, lease: Lease) -> None:
        self._claimed[lease.run_id] = lease
        self._watched.setdefault(lease.run_id, _Watch(lease))

    def _look(self) -> list[Report]:
        """The reports since the last look; none while the database is away."""
        watched = {**self._watched}
        if not watched:
            return []
        try:
            with self._line.open() as connection:
                if time.monotonic() - self._swept > _SWEEP:
                    self._rows.close_idle(connection)
                    self._swept = time.monotonic()
                rows = {row.run_id: row for row in self._rows.find(connection, [*watched])}
                for run_id, watch in watched.items():
                    self._limit(connection, rows[run_id], watch)
                cursors = {run_id: watch.cursor for run_id, watch in watched.items()}
                messages = self._rows.messages(connection, cursors)
        except Transient:
            return []
        reports = [
            Report(row.run_id, Placed(row.node))
            for row in rows.values()
            if row.node and self._is_new(row.run_id)
        ]
        for message in messages:
            watched[message.run_id].cursor = message.number
            reports.append(Report(message.run_id, load_message(message.message)))
        return [*reports, *self._ends(rows.values())]

    def _is_new(self, run_id: str) -> bool:
        """Whether a worker is seen on a node for the first time."""
        watch = self._watched[run_id]
        if watch.since is not None:
            return False
        watch.since = self._clock()
        return True

    def _limit(self, connection: Connection, row: Any, watch: _Watch) -> None:
        """End a worker that is over a limit, if no other dispatcher has it."""
        if row.closed or watch.is_stopped or row.owner != self._owner:
            return
        now, longest = self._clock(), timedelta(seconds=self._limits.timeout)
        is_late = watch.since is not None and now >= watch.since + longest
        if is_late or now >= row.until:
            self._rows.stop(connection, row.run_id, End.TIMEOUT if is_late else End.EXPIRED)
            watch.is_stopped = True

    def _ends(self, rows: Iterable[Any]) -> Iterator[Report]:
        """The ends of workers of which all messages are reported."""
        for row in rows:
            if row.closed:
                ended, messages = load_end(row.ended)
                watch = self._watched[row.run_id]
                watch.is_closed = True
                if watch.cursor >= messages:
                    del self._watched[row.run_id]
                    yield Report(row.run_id, ended)

    def _end(self, leases: Sequence[Lease]) -> None:
        def end() -> None:
            with self._line.open() as connection:
                self._rows.end(connection, leases, End.RELEASED)

        self._insist(end)
        self._wait_for_end(leases)

    def _wait_for_end(self, leases: Sequence[Lease]) -> list[Lease]:
        """Wait until no worker of these leases lives; returns those of which one does."""
        deadline = time.monotonic() + _PATIENCE
        while left := self._insist(lambda: self._living(leases)):
            if time.monotonic() > deadline:
                break
            time.sleep(_LOOK)
        for lease in leases:
            if lease not in left and (watch := self._watched.get(lease.run_id)):
                watch.is_closed = True
        return left

    def _living(self, leases: Sequence[Lease]) -> list[Lease]:
        """The leases of which a worker may live or start; one that was taken over is not meant."""
        epochs = {lease.run_id: lease.epoch for lease in leases}
        with self._line.open() as connection:
            self._rows.close_idle(connection)
            rows = self._rows.find(connection, [*epochs])
        left = {
            row.run_id for row in rows if row.closed is None and row.epoch == epochs[row.run_id]
        }
        return [lease for lease in leases if lease.run_id in left]

    def _until(self, now: datetime) -> datetime:
        return (now + timedelta(seconds=self._limits.lease)).replace(microsecond=0)

    def _insist(self, act: Callable[[], T]) -> T:
        """Do what may be done twice; a database that is away comes back within a while."""
        deadline = time.monotonic() + _AWAY
        while True:
            try:
                self._clock()  # it may ask the database, over the line that `act` holds
                return act()
            except Transient:
                if time.monotonic() > deadline:
                    raise
            time.sleep(_SWEEP)


def _lease(row: Any) -> Lease:
    return Lease(row.run_id, row.task, row.epoch, row.until)


def _is_alive(row: Any) -> bool:
    return bool(row.node and row.lives and row.closed is None)


def _leased(lease: Lease) -> TaskLeased:
    message = f"task {lease.task_id} is leased to the dispatch {lease.run_id}"
    return TaskLeased("task-leased", message, where=lease.task_id)


def _lost(lease: Lease) -> LeaseLost:
    message = f"the lease of task {lease.task_id} has ended, and its result does not count"
    return LeaseLost("lease-lost", message, where=lease.task_id)
