"""The rows that decide whether a unit may begin, and whether its end counts."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg import errors

from unlatch.transport.rate_limits import Kind, Pace, Turn
from unlatch_fleet.database import rows
from unlatch_fleet.database.budget import SharedRows
from unlatch_fleet.database.connect import Line, connect, single
from unlatch_fleet.database.rows import EVENT, SCHEDULE, Listed
from unlatch_fleet.queue import QUEUE, TASK, open_queue, run_worker

Connection = psycopg.Connection[Any]
API, WEB = "github.com/acme/api", "github.com/acme/web"
LEASE = 60.0
# The priority of units that a dead node left.
LOST = 11


@pytest.fixture(autouse=True)
def _listed(connection: Connection) -> None:
    rows.list_repositories(connection, [Listed(API, "acme", 3600), Listed(WEB, "acme", 3600)])
    connection.execute("UPDATE fleet_repository SET next_at = 'infinity'")


def _enter(connection: Connection, name: str = "one") -> int:
    query = "SELECT fleet_enter(%s, '1', 2, make_interval(secs => %s)) AS epoch"
    return int(single(connection, query, name, LEASE).epoch)


def _fetch(connection: Connection) -> Any:
    """A job, as a worker of procrastinate takes it."""
    worker = single(connection, "SELECT worker_id FROM procrastinate_register_worker_v1()")
    query = "SELECT * FROM procrastinate_fetch_job_v2(%s, %s)"
    return single(connection, query, [QUEUE.format(1)], worker.worker_id)


def _begin(connection: Connection, epoch: int, *, job: int = 1, repository: str = API) -> Any:
    return single(connection, "SELECT * FROM fleet_begin(%s, %s, %s)", repository, epoch, job)


def _end(
    connection: Connection,
    unit: int,
    epoch: int,
    result: str = "done",
    wait: float | None = None,
    *,
    is_limited: bool = False,
) -> bool:
    query = "SELECT fleet_end(%s, %s, %s, NULL, %s, %s) AS is_recorded"
    return bool(single(connection, query, unit, epoch, result, wait, is_limited).is_recorded)


def _fall_silent(connection: Connection, epoch: int) -> None:
    query = "UPDATE fleet_node SET beat = clock_timestamp() - lease WHERE epoch = %s"
    connection.execute(query, (epoch,))


def _sweep(connection: Connection) -> int:
    return int(single(connection, "SELECT fleet_sweep() AS lost").lost)


def _state(connection: Connection, repository: str = API) -> str:
    status = rows.read_status(connection)
    return next(row.state for row in status.repositories if row.repository == repository)


def _jobs(connection: Connection) -> list[tuple[str, str, int]]:
    query = "SELECT lock, status, priority FROM procrastinate_jobs"
    return sorted((row.lock, row.status, row.priority) for row in connection.execute(query))


def _unlist(connection: Connection) -> int:
    return rows.unlist(connection, [API])


def test_events_collapse_into_one_job_and_one_follow_up(connection: Connection) -> None:
    epoch = _enter(connection)
    assert ["enqueued"] * 3 == [rows.ask(connection, API, SCHEDULE) for _ in range(3)]
    rows.ask(connection, API, EVENT)
    assert _jobs(connection) == [(API, "todo", EVENT)]

    job = _fetch(connection)
    unit = _begin(connection, epoch, job=job.id)
    assert unit.is_event
    for _ in range(4):
        rows.ask(connection, API, EVENT)
    assert _jobs(connection) == [(API, "doing", EVENT), (API, "todo", EVENT)]
    assert _fetch(connection).id is None, "one at a time for a repository"

    connection.execute("DELETE FROM procrastinate_jobs WHERE status = 'todo'")
    assert _end(connection, unit.id, epoch)
    assert (API, "todo", EVENT) in _jobs(connection), "the row remembers the event"


def test_delivery_is_noted_only_where_it_was_enqueued(connection: Connection) -> None:
    answers = [
        rows.ask(connection, "github.com/other/x", EVENT, ["a"]),
        rows.ask(connection, API, EVENT, ["a"]),
        rows.ask(connection, API, EVENT, ["a"]),
        rows.ask(connection, API, EVENT, ["a", "b"]),
        rows.ask(connection, WEB, EVENT, ["a"]),  # it is about a project of both
    ]
    assert answers == ["unknown", "enqueued", "duplicate", "enqueued", "enqueued"]


def test_end_of_a_unit_counts_for_the_epoch_that_began_it_alone(connection: Connection) -> None:
    old, other = _enter(connection, "old"), _enter(connection, "new")
    rows.ask(connection, API, EVENT)
    job = _fetch(connection)
    unit = _begin(connection, old, job=job.id)
    assert _begin(connection, old, job=job.id).id == unit.id, "asked again, as after a lost answer"
    assert _begin(connection, other, job=99).refused == "busy"
    assert not _end(connection, unit.id, other)

    _fall_silent(connection, old)
    assert _begin(connection, other, job=99).refused == "busy", "not before the sweep"
    assert _begin(connection, old, job=100).refused == "fenced"
    assert _sweep(connection) == 1
    assert not list(connection.execute("SELECT fleet_beat(%s)", (old,)))
    again = _fetch(connection)
    assert again.id != job.id
    successor = _begin(connection, other, job=again.id)
    assert successor.is_event

    assert not _end(connection, unit.id, old)
    assert _state(connection) == "at-work"
    with pytest.raises(errors.RaiseException, match="not found"):  # what its worker would do
        connection.execute("SELECT procrastinate_finish_job_v1(%s, 'succeeded', true)", (job.id,))
    assert (API, "doing", LOST) in _jobs(connection), "the late end frees no key"
    assert _end(connection, successor.id, other)
    assert _state(connection) == "done"


def test_sweep_survives_a_job_that_waits_already(connection: Connection) -> None:
    epoch = _enter(connection)
    rows.ask(connection, API, SCHEDULE)
    _begin(connection, epoch, job=_fetch(connection).id)
    rows.ask(connection, API, SCHEDULE)
    _fall_silent(connection, epoch)
    assert _sweep(connection) == 1
    assert _jobs(connection) == [(API, "todo", LOST)]


def test_sweep_frees_jobs_that_were_fetched_and_never_begun(connection: Connection) -> None:
    _enter(connection)
    rows.ask(connection, API, EVENT)
    job = _fetch(connection)
    assert _sweep(connection) == 0
    assert [(API, "doing", EVENT)] == _jobs(connection), "it may begin yet"
    _let_pass(connection)
    _sweep(connection)
    assert _jobs(connection) == [(API, "todo", EVENT)]
    assert _fetch(connection).id != job.id


def test_sweep_frees_jobs_whose_end_did_not_reach_the_queue(connection: Connection) -> None:
    epoch = _enter(connection)
    rows.ask(connection, API, EVENT)
    job = _fetch(connection)
    unit = _begin(connection, epoch, job=job.id)
    _let_pass(connection)
    _sweep(connection)
    assert _jobs(connection) == [(API, "doing", EVENT)]
    _end(connection, unit.id, epoch)
    _sweep(connection)
    assert _jobs(connection) == []


def _let_pass(connection: Connection) -> None:
    """A lease since jobs were fetched."""
    connection.execute("UPDATE procrastinate_events SET at = at - interval '1 hour'")


def test_sweeps_of_several_nodes_take_a_unit_over_once(
    connection: Connection, database: str
) -> None:
    epoch = _enter(connection)
    for repository in (API, WEB):
        rows.ask(connection, repository, EVENT)
        _begin(connection, epoch, job=_fetch(connection).id, repository=repository)
    _fall_silent(connection, epoch)
    counts: list[int] = []

    def sweep() -> None:
        line = Line(database)
        counts.append(line.ask("SELECT fleet_sweep() AS lost").lost)
        line.close()

    threads = [threading.Thread(target=sweep) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(counts) == 2
    assert _jobs(connection) == [(API, "todo", LOST), (WEB, "todo", LOST)]


@pytest.mark.parametrize(
    ("result", "wait", "limited", "state", "asked", "other"),
    [
        ("done", None, False, "done", "enqueued", "enqueued"),
        ("later", 50.0, False, "later", "later", "enqueued"),
        ("later", 50.0, True, "later", "later", "later"),
        ("person", None, False, "person", "enqueued", "enqueued"),
        ("failed", None, False, "waiting", "enqueued", "enqueued"),
        ("failed", 70.0, False, "later", "later", "enqueued"),
    ],
)
def test_what_follows_from_the_result_of_a_unit(
    connection: Connection,
    *,
    result: str,
    wait: float | None,
    limited: bool,
    state: str,
    asked: str,
    other: str,
) -> None:
    """A limit holds up the repositories of the same tokens; what was cut off waits itself."""
    epoch = _enter(connection)
    rows.ask(connection, API, SCHEDULE)
    job = _fetch(connection).id
    unit = _begin(connection, epoch, job=job)
    assert _end(connection, unit.id, epoch, result, wait, is_limited=limited)
    connection.execute("DELETE FROM procrastinate_jobs WHERE id = %s", (job,))
    assert state == _state(connection)
    assert [] == _jobs(connection)
    assert asked == rows.ask(connection, API, EVENT)
    assert other == rows.ask(connection, WEB, EVENT)


def test_failures_come_later_and_later_and_then_need_a_person(connection: Connection) -> None:
    epoch, waits = _enter(connection), []
    for job in range(11):
        unit = _begin(connection, epoch, job=job)
        _end(connection, unit.id, epoch, "failed")
        status = rows.read_status(connection)
        row = next(row for row in status.repositories if row.repository == API)
        waits.append(row.next_at and (row.next_at - status.at).total_seconds())
    assert [30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600, None] == [
        wait and round(wait) for wait in waits
    ]
    assert _state(connection) == "person"
    assert rows.retry(connection, [API]) == {API: "enqueued"}


def test_pause_keeps_what_is_asked_for_until_it_ends(connection: Connection) -> None:
    rows.ask(connection, API, EVENT)
    assert rows.pause(connection, [API], ends=False) == 1
    assert rows.ask(connection, API, EVENT) == "paused"
    assert (_state(connection), _jobs(connection)) == ("paused", [])
    assert rows.pause(connection, [API], ends=True) == 1
    connection.execute("SELECT fleet_plan()")
    assert _jobs(connection) == [(API, "todo", EVENT)]


@pytest.mark.parametrize("act", [lambda c: rows.pause(c, [API], ends=False), _unlist])
def test_events_meanwhile_do_not_stop_a_pause(
    connection: Connection, database: str, act: Callable[[Connection], int]
) -> None:
    rows.ask(connection, API, EVENT)
    changed: list[int] = []

    def work() -> None:
        with connect(database) as other:
            changed.append(act(other))

    thread = threading.Thread(target=work)
    with connection.transaction():
        connection.execute("SELECT 1 FROM fleet_repository WHERE name = %s FOR UPDATE", (API,))
        thread.start()
        # pg_stat_activity would show the same until the end of this transaction.
        query = """SELECT FROM pg_locks
            WHERE NOT granted AND transactionid = pg_current_xact_id()::xid"""
        while not connection.execute(query).fetchall():
            time.sleep(0.01)
        assert rows.ask(connection, API, EVENT) == "enqueued"
    thread.join()
    assert (changed, _jobs(connection)) == ([1], [])


def test_plan_leaves_what_is_at_work_and_what_is_not_due(connection: Connection) -> None:
    epoch = _enter(connection)
    connection.execute("UPDATE fleet_repository SET next_at = now()")
    unit = _begin(connection, epoch)
    assert single(connection, "SELECT fleet_plan() AS count").count == 1
    assert _jobs(connection) == [(WEB, "todo", 0)]
    _end(connection, unit.id, epoch)
    assert single(connection, "SELECT fleet_plan() AS count").count == 0


def test_plan_repeats_a_request_whose_job_is_gone(connection: Connection) -> None:
    rows.ask(connection, API, EVENT)
    rows.ask(connection, WEB, EVENT)
    connection.execute("DELETE FROM procrastinate_jobs WHERE lock = %s", (API,))
    assert single(connection, "SELECT fleet_plan() AS count").count == 0
    connection.execute("UPDATE fleet_repository SET wanted_at = wanted_at - interval '2 min'")
    assert single(connection, "SELECT fleet_plan() AS count").count == 1
    assert _jobs(connection) == [(API, "todo", EVENT), (WEB, "todo", EVENT)]


@pytest.mark.parametrize("result", ["failed", "later"])
def test_plan_repeats_the_retry_of_a_unit_whose_job_is_gone(
    connection: Connection, result: str
) -> None:
    epoch = _enter(connection)
    rows.ask(connection, API, EVENT)
    connection.execute("DELETE FROM procrastinate_jobs")
    _end(connection, _begin(connection, epoch).id, epoch, result, 1)
    for planned in (1, 1):
        connection.execute("UPDATE fleet_repository SET next_at = next_at - interval '61 s'")
        connection.execute("UPDATE fleet_repository SET not_before = '-infinity'")
        assert single(connection, "SELECT fleet_plan() AS count").count == planned
        connection.execute("DELETE FROM procrastinate_jobs")


def test_old_rows_are_removed_and_others_stay(connection: Connection) -> None:
    epoch = _enter(connection)
    rows.ask(connection, API, EVENT, ["old"])
    unit = _begin(connection, epoch)
    _end(connection, unit.id, epoch)
    connection.execute("UPDATE fleet_unit SET ended = ended - interval '31 days'")
    connection.execute("UPDATE fleet_delivery SET at = at - interval '31 days'")
    rows.ask(connection, API, EVENT, ["new"])
    _begin(connection, epoch, job=2)
    connection.execute("SELECT fleet_clean('30 days')")
    deliveries = connection.execute("SELECT id FROM fleet_delivery").fetchall()
    units = connection.execute("SELECT job FROM fleet_unit").fetchall()
    assert ([(f"new {API}",)], [(2,)]) == (deliveries, units)


def test_worker_leaves_jobs_of_newer_versions_alone(connection: Connection, database: str) -> None:
    """A job of a newer version is in a queue of its own; one that is not is moved there."""
    begun, is_begun = list[str](), threading.Event()
    query = "INSERT INTO procrastinate_jobs (queue_name, task_name, args) VALUES (%s, %s, %s)"
    for queue, args in (
        (QUEUE.format(2), '{"v": 2, "repository": "a", "more": 1}'),
        (QUEUE.format(1), '{"v": 2, "repository": "b", "more": 1}'),
        (QUEUE.format(1), '{"v": 1, "repository": "c"}'),
    ):
        connection.execute(query, (queue, TASK, args))

    def begin(name: str, _: int) -> None:
        begun.append(name)
        is_begun.set()

    async def work() -> None:
        async with open_queue(database, begin).open_async() as app:
            worker = asyncio.create_task(run_worker(app, jobs=1, lease=LEASE))
            await asyncio.to_thread(is_begun.wait, 20)
            await asyncio.sleep(0.2)
            worker.cancel()

    asyncio.run(work())
    assert begun == ["c"]
    left = connection.execute(
        "SELECT queue_name, status, args->>'repository' AS name FROM procrastinate_jobs"
    )
    assert {(QUEUE.format(2), "todo", "a"), (QUEUE.format(2), "todo", "b")} == {*left}


PACE = Pace(limits=((10, 60.0), (100, 3600.0)), apart=0.0, free=0)


def _reserve(rows: SharedRows, account: str = "a", *, within: float = 1e9) -> Turn:
    return rows.reserve(account, Kind.COMMENT, 1, PACE, after=0, within=within)


def test_budget_keeps_a_fifth_of_each_limit_for_events(database: str) -> None:
    line = Line(database)
    plain, event = SharedRows(line, 0.2), SharedRows(line, 0.2, of_event=True)

    def waits(budget: SharedRows, count: int) -> list[float]:
        turns = [_reserve(budget) for _ in range(count)]
        return [round(turn.seconds) for turn in turns]

    assert [0] * 8 + [61] * 8 + [122] == waits(plain, 17)
    assert [0, 0, 61, 61, 122] == waits(event, 5), "reservations of others do not hold them up"
    refused = _reserve(plain, within=10)
    assert (False, True) == (refused.granted, refused.is_limit)
    again = _reserve(plain)
    assert round(again.seconds) == round(refused.seconds), "what was refused is not counted"
    assert _reserve(plain, "b", within=0).granted, "each account has its own"
    line.close()


def test_budget_holds_across_connections_at_once(database: str) -> None:
    moments: list[float] = []

    def reserve() -> None:
        line = Line(database)
        for _ in range(10):
            turn = _reserve(SharedRows(line, 0.2))
            moments.append(time.monotonic() + turn.seconds)
        line.close()

    threads = [threading.Thread(target=reserve) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    moments.sort()
    spans = [later - first for first, later in zip(moments, moments[8:], strict=False)]
    assert len(moments) == 40
    assert min(spans) > 60.5


def test_budget_grants_nothing_while_the_database_is_away() -> None:
    turn = _reserve(SharedRows(Line("host=/nowhere"), 0.2), within=1)
    assert (False, True) == (turn.granted, turn.is_limit)
    assert turn.seconds > 0
