"""Tasks that run side by side, in threads that nobody has to wait for."""

from __future__ import annotations

import queue
import threading
import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping

Key = TypeVar("Key", bound="Hashable")
Value = TypeVar("Value")

MOST_AT_ONCE = 16


def side_by_side(
    tasks: Mapping[Key, Callable[[], Value]], *, within: float | None = None
) -> Iterator[tuple[Key, Value]]:
    """Run all tasks and yield each one's result as it comes.

    The threads are daemons: one that hangs in a request keeps neither the caller nor the process
    from ending. A task that raises ends the iteration with its error, so tasks return what they
    expect to go wrong.

    Args:
        within: seconds after which the iteration ends, whatever is still under way.
    """
    waiting: queue.SimpleQueue[tuple[Key, Callable[[], Value]]] = queue.SimpleQueue()
    for entry in tasks.items():
        waiting.put(entry)
    done: queue.SimpleQueue[tuple[Key, Value] | BaseException] = queue.SimpleQueue()
    for _ in range(min(len(tasks), MOST_AT_ONCE)):
        threading.Thread(target=_work, args=(waiting, done), daemon=True).start()
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
    waiting: queue.SimpleQueue[tuple[Key, Callable[[], Value]]],
    done: queue.SimpleQueue[tuple[Key, Value] | BaseException],
) -> None:
    while True:
        try:
            key, task = waiting.get_nowait()
        except queue.Empty:
            return
        try:
            done.put((key, task()))
        except BaseException as error:  # noqa: BLE001  # handed to the caller's thread
            done.put(error)
