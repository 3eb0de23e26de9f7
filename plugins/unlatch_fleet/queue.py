"""The jobs of the queue: procrastinate runs them, and the rows of the repositories decide.

A job names a repository and the version of its arguments. Its queue has the version in its name,
so that a node leaves the jobs of newer ones alone.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from procrastinate import App, BaseRetryStrategy, JobContext, PsycopgConnector, RetryDecision
from procrastinate.exceptions import ConnectorException
from procrastinate.manager import JobManager
from psycopg import Error as DatabaseError
from psycopg_pool import PoolTimeout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from procrastinate.jobs import Job

# As in `fleet_defer`.
VERSION = 1
TASK, QUEUE = "unlatch_fleet.sync", "unlatch-fleet-v{}"
# Errors of a database that is away.
AWAY = (ConnectorException, PoolTimeout, DatabaseError)
# Seconds between two looks at the queue.
_POLL = 0.5


class _Jobs(JobManager):
    """The queue, for a worker that outlives a restart of the database: it asks again later."""

    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> Job | None:
        with suppress(*AWAY):
            return await super().fetch_job(queues, worker_id)
        return None

    async def update_heartbeat(self, worker_id: int) -> None:
        with suppress(*AWAY):
            await super().update_heartbeat(worker_id)


class NewerJob(Exception):
    """A job with arguments of a newer version."""

    def __init__(self, version: int) -> None:
        super().__init__(f"version {version}")
        self.version = version


class _Again(BaseRetryStrategy):
    """Whatever cut a job off, it goes back to the queue: the rows know whether it has to run."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        if isinstance(exception, NewerJob):
            return RetryDecision(queue=QUEUE.format(exception.version))
        if isinstance(exception, asyncio.CancelledError):
            return RetryDecision()
        return RetryDecision(retry_in={"seconds": 1 << min(job.attempts, 10)})


def open_queue(address: str, work: Callable[[str, int], None]) -> App:
    """The queue of a node, to open.

    Args:
        work: begins and ends the unit of a repository, for the id of a job; in a thread.
    """
    # What they say of failures is said by the node, once, and without addresses.
    for name in ("procrastinate", "psycopg"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    connector = PsycopgConnector(
        conninfo=address,
        min_size=1,
        max_size=4,
        timeout=5.0,
        reconnect_timeout=5.0,
        kwargs={"connect_timeout": 2, "application_name": "unlatch"},
    )
    app = App(connector=connector)
    app.job_manager = _Jobs(connector)

    @app.task(name=TASK, queue=QUEUE.format(VERSION), pass_context=True, retry=_Again())
    async def sync(context: JobContext, /, v: int, repository: str, **_newer: Any) -> None:
        if v > VERSION:
            raise NewerJob(v)
        assert context.job.id is not None  # noqa: S101  (it comes from the database)
        await asyncio.to_thread(work, repository, context.job.id)

    return app


async def run_worker(app: App, *, jobs: int, lease: float) -> None:
    """Carry out jobs until the worker is stopped, or ends by itself.

    Raises:
        Exception: of the connection to the database.
    """
    await app.run_worker_async(
        queues=[QUEUE.format(VERSION)],
        concurrency=jobs,
        fetch_job_polling_interval=_POLL,
        update_heartbeat_interval=lease / 6,
        stalled_worker_timeout=lease,
        delete_jobs="always",
        install_signal_handlers=False,
        # The listener ends with its connection, and is not renewed.
        listen_notify=False,
    )
