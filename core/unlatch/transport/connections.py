"""Connections with limits for the size and time of answers, closed after an idle time.

`requests` has a time-out between two pieces of an answer, none for the whole of it, and no limit
on its size. Both are enforced where bytes come off the socket, so that headers, chunk sizes and
interim answers count as well as the body.
"""

import io
import math
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from http.client import HTTPException, HTTPResponse
from threading import Lock
from typing import Any

import requests
import urllib3
from requests.adapters import HTTPAdapter

from unlatch import __version__
from unlatch.transport.answer import MOST_BYTES, MOST_ERROR_BYTES

_POOL = 16
_NO_RETRIES = urllib3.Retry(0, read=False)
# GitHub refuses requests without one, and administrators look here for the sender.
USER_AGENT = f"unlatch/{__version__} (+https://pypi.org/project/unlatch/)"
# All that sending a request, or reading its answer, raises.
FAILURES = (requests.RequestException, urllib3.exceptions.HTTPError, OSError)

# The most of one answer on the wire: an incompressible body, its framing, headers.
MOST_ON_THE_WIRE = MOST_BYTES + 4 * 1024 * 1024
# http.client takes a hundred headers of 64 KiB each; trackers send a few KiB in all.
_MOST_HEADER_BYTES = 256 * 1024
_MOST_INTERIM = 16
_OK = 200
_ERRORS = 400
# A decoder may return a thousand times as much in one piece.
_PIECE = 16 * 1024
# The encodings we accept. Others decode without a limit in some versions of their library, and
# several in a row can keep a decoder busy for hours with a few KiB.
ENCODINGS = "gzip, deflate"
_DECODED = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})

# A server that closes an idle connection while a write is under way leaves an unknown outcome.
# Servers keep idle connections for 5 s at least (Apache and Node by default).
_LONGEST_IDLE = 4.0

_DEADLINE: ContextVar[float] = ContextVar("unlatch_deadline", default=math.inf)


class OutOfBounds(OSError):
    """An answer was cut because it is too large or took too long; a retry would be cut too."""


class TooLarge(OutOfBounds):
    """The body holds more than `MOST_BYTES` (an error: `MOST_ERROR_BYTES`), or the headers do."""


class TooSlow(OutOfBounds):
    """The answer was not complete at the deadline."""


class Malformed(OSError):
    """The framing or compression of the body cannot be read, or was not accepted."""


class IdleGuard:
    """Discards pooled connections after an idle time, never during a request."""

    def __init__(self, clock: Callable[[], float], discard: Callable[[], None]) -> None:
        self._clock = clock
        self._discard = discard
        self._lock = Lock()
        self._under_way = 0
        self._last = clock()

    @contextmanager
    def request(self) -> Iterator[None]:
        """Keep the connections for the time of one request."""
        with self._lock:
            if not self._under_way and self._clock() - self._last > _LONGEST_IDLE:
                self._discard()
            self._under_way += 1
        try:
            yield
        finally:
            with self._lock:
                self._under_way -= 1
                self._last = self._clock()


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Limit the answer to this thread's request to so many seconds from now."""
    token = _DEADLINE.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _DEADLINE.reset(token)


def read_whole(response: requests.Response) -> None:
    """Read the body for `response.content`; raises OutOfBounds, Malformed, or requests' errors."""
    try:
        # `content` alone would read without a limit, and requests has no public setter.
        response._content = _body_of(response)  # noqa: SLF001
    except ValueError as error:
        # http.client and urllib3 raise it bare for a chunk of negative size.
        response.close()
        raise Malformed(str(error)) from error
    except BaseException:
        response.close()
        raise


def _body_of(response: requests.Response) -> bytes:
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in _DECODED:
        raise Malformed(encoding)
    most = MOST_BYTES if response.status_code < _ERRORS else MOST_ERROR_BYTES
    body = bytearray()
    for piece in response.iter_content(_PIECE):
        if len(body) + len(piece) > most:
            raise TooLarge
        body += piece
    return bytes(body)


class _Wire(io.RawIOBase):
    """The bytes of one answer off the socket, up to its deadline and limit."""

    def __init__(self, sock: socket.socket, raw: io.RawIOBase) -> None:
        self._sock = sock
        self._raw = raw
        self._deadline = _DEADLINE.get()
        self.left = _MOST_HEADER_BYTES

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._raw.fileno()

    def readinto(self, buffer: Any, /) -> int | None:
        if self.left <= 0:
            raise TooLarge
        before, seconds = self._sock.gettimeout(), self._deadline - time.monotonic()
        if seconds <= 0:
            raise TooSlow
        # The connection may be used again: its own time-out is restored.
        self._sock.settimeout(seconds if before is None else min(before, seconds))
        try:
            count = self._raw.readinto(buffer)
        except TimeoutError as error:
            if time.monotonic() >= self._deadline:
                raise TooSlow from error
            raise
        finally:
            self._sock.settimeout(before)
        self.left -= count or 0
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Response(HTTPResponse):
    """http.client's answer within limits, after skipping interim ones."""

    fp: Any
    headers: Any
    msg: Any

    def __init__(self, sock: socket.socket, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        self._wire = _Wire(sock, self.fp.detach())
        self.fp = io.BufferedReader(self._wire)

    def begin(self) -> None:
        # http.client skips 100 alone. It would take another for the answer, and the answer for that
        # of the next request (RFC 9110, section 15.2 requires clients to skip them).
        for _ in range(_MOST_INTERIM):
            super().begin()
            if self.status >= _OK:
                self._wire.left = MOST_ON_THE_WIRE
                return
            self.headers = self.msg = None
        raise HTTPException("interim answers without an end")


@cache
def bounded(pool: type[urllib3.HTTPConnectionPool]) -> type[urllib3.HTTPConnectionPool]:
    """A class of connection pools whose answers are read within limits."""
    connection = type("Connection", (pool.ConnectionCls,), {"response_class": _Response})
    return type("Pool", (pool,), {"ConnectionCls": connection})


def limit_answers(manager: urllib3.PoolManager) -> None:
    """Let all further connections of a manager read within limits."""
    pools = manager.pool_classes_by_scheme
    manager.pool_classes_by_scheme = dict(zip(pools, map(bounded, pools.values()), strict=True))


class RedactedFailure(Exception):
    """The message of a library's exception, without secrets.

    The original holds the request with its token, and its address, so it is no cause of ours.
    """

    def __init__(self, message: str, *, timed_out: bool = False) -> None:
        super().__init__(message)
        self.timed_out = timed_out


class BoundedAdapter(HTTPAdapter):
    """Sends each request once, and limits every answer."""

    def __init__(self) -> None:
        super().__init__(pool_connections=_POOL, pool_maxsize=_POOL)
        limit_answers(self.poolmanager)

    def proxy_manager_for(self, proxy: str, **options: Any) -> urllib3.ProxyManager:
        """The manager of connections through a proxy."""
        if proxy not in self.proxy_manager:
            limit_answers(super().proxy_manager_for(proxy, **options))
        manager: urllib3.ProxyManager = self.proxy_manager[proxy]
        return manager

    @property
    def max_retries(self) -> urllib3.Retry:
        """No retries: msrest sets its own on every adapter that it finds."""
        return _NO_RETRIES

    @max_retries.setter
    def max_retries(self, value: object) -> None: ...
