"""A node: takes jobs from the queue, carries out units, and records how they ended.

Each time a node enters the fleet it gets an *epoch*. While signs of life reach the database, its
units count; after its lease another node takes over, and nothing of the old epoch is recorded.
"""

from __future__ import annotations

import asyncio
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

from procrastinate.exceptions import ConnectorException

from unlatch.errors import Transient
from unlatch_fleet.database.connect import opened
from unlatch_fleet.database.setup import check_version
from unlatch_fleet.term import Term

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from unlatch_fleet.local import Machine
    from unlatch_fleet.node_file import Settings

# Seconds: the longest pause between two attempts to reach the database.
_LONGEST = 10.0


async def run_node(
    address: str,
    machine: Callable[[], Machine],
    settings: Settings,
    say: Callable[[str], None],
    ending: threading.Event,
) -> None:
    """Work until asked to stop (SIGTERM, SIGINT, `fleet drain`); units under way finish first.

    A second signal ends them; what they had under way is taken up again later. While the database
    is away, it tries again.

    Args:
        machine: the present one; its fleet.toml lists what may be synced here.
        say: gets what a person may want to know, a line at a time.
        ending: set as soon as the node is asked to stop.

    Raises:
        UnlatchError: `fleet-version`, `fleet-not-initialised`, `fleet-rights`.
    """
    loop, stopping = asyncio.get_running_loop(), asyncio.Event()
    # Each unit needs a thread, and so do signs of life and questions to the database.
    loop.set_default_executor(ThreadPoolExecutor(settings.jobs + 5))
    term: Term | None = None

    def stop() -> None:
        if stopping.is_set() and term is not None:
            term.cut_off()
        stopping.set()
        ending.set()

    loop.set_exception_handler(lambda _, context: _tell(context.get("exception"), say))
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    wait = 0.0
    while not stopping.is_set():
        try:
            await asyncio.to_thread(_check, address)
            term = Term(address, machine, settings, say, stopping)
            await term.run()
            wait = 0.0
        except Transient as error:
            if not wait:
                say(f"{error.message}; trying again")
            wait = min(_LONGEST, 2 * wait + 0.5)
            with suppress(TimeoutError):
                await asyncio.wait_for(stopping.wait(), wait)


def _check(address: str) -> None:
    with opened(address) as connection:
        check_version(connection)


def _tell(error: BaseException | None, say: Callable[[str], None]) -> None:
    """Tell what nothing waits for, other than the end of a job that was taken over meanwhile."""
    if error is not None and not isinstance(error, ConnectorException):
        say(f"unexpected {type(error).__name__} in the queue")
