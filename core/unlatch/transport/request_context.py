"""Context of requests: their number, whether they only read, and what they belong to.

All are context variables of one thread, which the threads that it starts do not inherit: open them
inside the worker.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import Context, ContextVar, copy_context
from functools import partial
from threading import Lock
from typing import TypeVar

from unlatch.errors import TrackerError
from unlatch.values import dataclass

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(slots=True)
class Meter:
    """Counts requests; each attempt is one."""

    requests: int = 0


_COUNTING = Lock()  # threads may share a meter
_METERS: ContextVar[tuple[Meter, ...]] = ContextVar("unlatch_meters", default=())
_READING: ContextVar[bool] = ContextVar("unlatch_reading", default=False)
_FINISHING: ContextVar[bool] = ContextVar("unlatch_finishing", default=False)


@contextmanager
def measure() -> Iterator[Meter]:
    """Count the requests sent inside the block; an outer meter counts them too."""
    meter = Meter()
    token = _METERS.set((*_METERS.get(), meter))
    try:
        yield meter
    finally:
        _METERS.reset(token)


@contextmanager
def reading() -> Iterator[None]:
    """Mark all requests in the block as reads, also a POST (a GraphQL query)."""
    token = _READING.set(True)
    try:
        yield
    finally:
        _READING.reset(token)


@contextmanager
def finishing() -> Iterator[None]:
    """Mark all requests in the block as the rest of what has begun before the command's end."""
    token = _FINISHING.set(True)
    try:
        yield
    finally:
        _FINISHING.reset(token)


def is_finishing() -> bool:
    return _FINISHING.get()


def count_request() -> None:
    with _COUNTING:
        for meter in _METERS.get():
            meter.requests += 1


def is_write(method: str) -> bool:
    """Whether a request may change something at the tracker."""
    return method not in _SAFE_METHODS and not _READING.get()


Value = TypeVar("Value")

_AT_ONCE = 8


def side_by_side(tasks: Sequence[Callable[[], Value]]) -> list[Value | TrackerError]:
    """Run tasks at the same time, eight at most, and wait for all of them, also if one fails.

    Their requests count as the caller's own (`measure`, `reading`).

    Returns:
        What each task returned, or the TrackerError that it raised, in the order of the tasks.
    """
    jobs = {number: partial(_ended, copy_context(), task) for number, task in enumerate(tasks)}
    from unlatch.worklog.parallel import run_parallel  # noqa: PLC0415  (slow to load)

    ended = dict(run_parallel(jobs, limits={"": _AT_ONCE}))
    results: list[Value | TrackerError] = []
    for number in jobs:
        result = ended[number]
        if isinstance(result, BaseException) and not isinstance(result, TrackerError):
            raise result
        results.append(result)
    return results


def _ended(context: Context, task: Callable[[], Value]) -> Value | BaseException:
    try:
        return context.run(task)
    except BaseException as error:  # noqa: BLE001  (the caller's thread gets it)
        return error
