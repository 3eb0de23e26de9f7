"""The rows of a run, as its coordinators see and change them, over a connection that is open."""

from __future__ import annotations

import time
from contextlib import contextmanager
from datetime import datetime, timedelta
from shlex import quote
from typing import TYPE_CHECKING, Any

from unlatch_fleet.database.connect import Line, single
from unlatch_fleet.tasks.work import VERSION, dump_end
from unlatch_runs.dispatch.port import End, Ended, Lease, StaleEpoch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import psycopg

    Connection = psycopg.Connection[Any]


class Rows:
    """The rows of one run.

    Args:
        origin: the run's name among the rows; asked for at each use.
        owner: the dispatcher that uses them.
    """

    def __init__(self, line: Line, origin: Callable[[], str], name: str, owner: str) -> None:
        self.line, self._origin, self._name, self._owner = line, origin, name, owner

    @contextmanager
    def admitted(self, epoch: int) -> Iterator[Connection]:
        """Keep other coordinators of the run out; StaleEpoch if one with a higher number was in."""
        with self.line.open() as connection, connection.transaction():
            row = single(connection, _ADMIT, self._origin(), epoch)
            if row.epoch > epoch:
                message = "another coordinator has taken over this run"
                hint = f"unlatch run status {quote(self._name)}"
                raise StaleEpoch("run-taken-over", message, where=self._name, hint=hint)
            yield connection

    def find(self, connection: Connection, run_ids: Sequence[str]) -> list[Any]:
        """The rows of these run ids."""
        return connection.execute(_FIND, (list(run_ids),)).fetchall()

    def unfinished(self, connection: Connection) -> list[Any]:
        """The rows whose lease or worker has not ended, the oldest first."""
        return connection.execute(_UNFINISHED, (self._origin(),)).fetchall()

    def insert(self, connection: Connection, lease: Lease, *, repository: str, work: str) -> None:
        """Add a dispatch, which a node may take as soon as this is committed."""
        head = lease.run_id, VERSION, self._origin(), lease.task_id, self._owner
        connection.execute(_INSERT, (*head, lease.epoch, lease.until, repository, work))

    def extend(
        self, connection: Connection, lease: Lease, *, now: datetime, until: datetime
    ) -> bool:
        """Extend a lease, unless it has ended."""
        values = until, lease.run_id, now, lease.epoch, lease.epoch
        return connection.execute(_EXTEND, values).rowcount > 0

    def finish(self, connection: Connection, lease: Lease, *, now: datetime) -> bool:
        """End a lease and its worker, unless it has ended."""
        values = str(End.RELEASED), lease.run_id, now, lease.epoch, lease.epoch
        return connection.execute(_FINISH, values).rowcount > 0

    def take_over(self, connection: Connection, lease: Lease) -> None:
        """Write the epoch and the end of a lease that another coordinator had."""
        connection.execute(_TAKE_OVER, (lease.epoch, lease.until, self._owner, lease.run_id))

    def end(self, connection: Connection, leases: Sequence[Lease], how: End) -> None:
        """End leases and their workers, those that nobody took over."""
        ids, epochs = [lease.run_id for lease in leases], [lease.epoch for lease in leases]
        connection.execute(_END, (str(how), ids, epochs))

    def stop(self, connection: Connection, run_id: str, how: End) -> None:
        """End a worker; its lease goes on."""
        connection.execute(_STOP, (str(how), run_id))

    def close_idle(self, connection: Connection) -> None:
        """Close what no node will take, and what silent nodes had."""
        for how in (End.RELEASED, End.EXPIRED, End.TIMEOUT):
            values = dump_end(Ended(how), 0), self._origin(), str(how)
            connection.execute(_CLOSE_WAITING, values)
        connection.execute("SELECT run_sweep(%s::jsonb)", (SILENT,))

    def messages(self, connection: Connection, cursors: Mapping[str, int]) -> list[Any]:
        """The messages after these numbers, by run id in their order, or a part of them."""
        return connection.execute(_MESSAGES, ([*cursors], [*cursors.values()])).fetchall()

    def offers(self, connection: Connection) -> list[Any]:
        """Name and offer of each node that lives."""
        return connection.execute(_OFFERS).fetchall()


def database_clock(line: Line) -> Callable[[], datetime]:
    """The time of the database, asked for once; then seconds are counted."""
    origin: list[tuple[datetime, float]] = []

    def clock() -> datetime:
        if not origin:
            row = line.ask("SELECT clock_timestamp() AS now")
            origin.append((row.now, time.monotonic()))
        begin, at = origin[0]
        return begin + timedelta(seconds=time.monotonic() - at)

    return clock


# `run_sweep` adds the number of messages.
SILENT = dump_end(Ended(End.UNSEEN, errors="its node fell silent"), 0)
_ROW = """SELECT d.run_id, d.task, d.epoch, d.until, d.owner, d.over, d.closed, d.ended, d.refused,
    node.name AS node, node.ended IS NULL AND node.beat + node.lease > clock_timestamp() AS lives
    FROM run_dispatch d LEFT JOIN run_node node ON node.epoch = d.node"""
_FIND = f"{_ROW} WHERE d.run_id = ANY(%s)"
_UNFINISHED = f"""{_ROW} WHERE d.origin = %s AND (d.over IS NULL OR d.closed IS NULL)
    ORDER BY d.created"""
_ADMIT = """INSERT INTO run_origin AS old (origin, epoch) VALUES (%s, %s)
    ON CONFLICT (origin) DO UPDATE SET epoch = greatest(old.epoch, excluded.epoch),
      seen = clock_timestamp()
    RETURNING epoch"""
_INSERT = """INSERT INTO run_dispatch
    (run_id, v, origin, task, owner, epoch, until, repository, work)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)"""
# Only of leases that are held, and by the latest coordinator.
_EXTEND = """UPDATE run_dispatch d SET until = %s FROM run_origin o
    WHERE o.origin = d.origin AND d.run_id = %s AND d.over IS NULL AND d.until > %s
      AND d.epoch = %s AND o.epoch <= %s"""
_FINISH = """UPDATE run_dispatch d SET over = clock_timestamp(), how = coalesce(how, %s)
    FROM run_origin o
    WHERE o.origin = d.origin AND d.run_id = %s AND d.over IS NULL AND d.until > %s
      AND d.epoch = %s AND o.epoch <= %s"""
_TAKE_OVER = "UPDATE run_dispatch SET epoch = %s, until = %s, owner = %s WHERE run_id = %s"
_END = """UPDATE run_dispatch d
    SET over = coalesce(over, clock_timestamp()), how = coalesce(how, %s)
    FROM unnest(%s::text[], %s::bigint[]) AS mine (id, number)
    WHERE d.run_id = mine.id AND d.epoch = mine.number"""
_STOP = "UPDATE run_dispatch SET how = coalesce(how, %s) WHERE run_id = %s"
_CLOSE_WAITING = """UPDATE run_dispatch SET closed = clock_timestamp(), ended = %s
    WHERE origin = %s AND node IS NULL AND how = %s AND closed IS NULL"""
_MESSAGES = """SELECT m.run_id, m.number, m.message FROM run_message m
    JOIN unnest(%s::text[], %s::integer[]) AS mine (id, last)
      ON m.run_id = mine.id AND m.number > mine.last
    ORDER BY m.run_id, m.number LIMIT 5000"""
_OFFERS = """SELECT name, offer FROM run_node
    WHERE ended IS NULL AND beat + lease > clock_timestamp() ORDER BY name"""
