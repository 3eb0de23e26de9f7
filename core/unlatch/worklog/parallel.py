"""Run tasks in parallel, in threads that do not delay the end of the process."""

import queue
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any, TypeVar

Key = TypeVar("Key", bound="Hashable")
Value = TypeVar("Value")

MOST_AT_ONCE = 16


def run_parallel(
    tasks: Mapping[Key, Callable[[], Value]],
    *,
    within: float | None = None,
    lane_of: Callable[[Key], str] | None = None,
    limits: Mapping[str, int] | None = None,
) -> Iterator[tuple[Key, Value]]:
    """Run all tasks in a bounded number of threads and yield each one's result as it comes.

    The threads are daemons, unlike those of concurrent.futures: one that hangs in a request blocks
    neither the caller nor the end of the process. A task that raises ends the iteration with its
    error, so tasks return the errors that they expect.

    Args:
        within: seconds after which the iteration ends, even with tasks still running.
        lane_of: the lane of a task; each lane has threads of its own.
        limits: how many tasks of a lane run at the same time; `MOST_AT_ONCE` where none is named,
            and in all lanes together.
    """
    lanes: dict[str, queue.SimpleQueue[Any]] = defaultdict(queue.SimpleQueue)
    for key, task in tasks.items():
        lanes[lane_of(key) if lane_of else ""].put((key, task))
    done: queue.SimpleQueue[Any] = queue.SimpleQueue()
    room = threading.Semaphore(MOST_AT_ONCE)
    for lane, waiting in lanes.items():
        for _ in range(min(waiting.qsize(), (limits or {}).get(lane, MOST_AT_ONCE))):
            threading.Thread(target=_work, args=(waiting, done, room), daemon=True).start()
    end = None if within is None else time.monotonic() + within
    for _ in tasks:
        try:
            result = done.get(timeout=None if end is None else max(0.0, end - time.monotonic()))
        except queue.Empty:
            return
        if isinstance(result, BaseException):
            raise result
        yield result


def _work(
    waiting: queue.SimpleQueue[Any], done: queue.SimpleQueue[Any], room: threading.Semaphore
) -> None:
    while True:
        with room:
            try:
                key, task = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                done.put((key, task()))
            except BaseException as error:  # noqa: BLE001  # handed to the caller's thread
                done.put(error)
