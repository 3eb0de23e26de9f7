"""Context of requests: their number, whether they only read, and what they belong to.

All are context variables of one thread, which the threads that it starts do not inherit: open them
inside the worker.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock

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
