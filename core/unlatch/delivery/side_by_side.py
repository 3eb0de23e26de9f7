"""Tasks that run side by side, in threads that nothing has to wait for."""

from __future__ import annotations

import queue
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping

Key = TypeVar("Key", bound="Hashable")
Value = TypeVar("Value")

MOST_AT_ONCE = 16


def side_by_side(
    tasks: Mapping[Key, Callable[[], Value]],
    *,
    within: float | None = None,
    lane_of: Callable[[Key], str] | None = None,
    limits: Mapping[str, int] | None = None,
) -> Iterator[tuple[Key, Value]]:
    """Run all tasks in one bounded pool and yield each one's result as it comes.

    The threads are daemons: one that hangs in a request keeps neither the caller nor the process
    from ending. A task that raises ends the iteration with its error, so tasks return the errors
    that they expect.

    Args:
        within: seconds after which the iteration ends, whatever is still under way.
        lane_of: the lane of a task; a task of a full lane lets those of others pass.
        limits: how many tasks of a lane run at the same time; the pool's size where none is named.
    """
    waiting = _Waiting[Key, Value](tasks, lane_of or (lambda _key: ""), limits or {})
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


class _Waiting(Generic[Key, Value]):
    """The tasks that have not begun, and how many of each lane are running."""

    def __init__(
        self,
        tasks: Mapping[Key, Callable[[], Value]],
        lane_of: Callable[[Key], str],
        limits: Mapping[str, int],
    ) -> None:
        self._left = [(lane_of(key), key, task) for key, task in tasks.items()]
        self._limits = limits
        self._running: Counter[str] = Counter()
        self._changed = threading.Condition()

    def take(self) -> tuple[str, Key, Callable[[], Value]] | None:
        """The first task whose lane has room; waits for room, None if no task is left."""
        with self._changed:
            while self._left:
                for place, (lane, _, _) in enumerate(self._left):
                    if self._running[lane] < self._limits.get(lane, MOST_AT_ONCE):
                        self._running[lane] += 1
                        return self._left.pop(place)
                self._changed.wait()
            return None

    def give_back(self, lane: str) -> None:
        """A task of this lane has ended."""
        with self._changed:
            self._running[lane] -= 1
            self._changed.notify_all()


def _work(
    waiting: _Waiting[Key, Value], done: queue.SimpleQueue[tuple[Key, Value] | BaseException]
) -> None:
    while (taken := waiting.take()) is not None:
        lane, key, task = taken
        try:
            done.put((key, task()))
        except BaseException as error:  # noqa: BLE001  # handed to the caller's thread
            done.put(error)
        finally:
            waiting.give_back(lane)
