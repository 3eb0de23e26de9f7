"""How much an answer may hold and how long it may take, whatever the tracker or a proxy sends.

`requests` has a time-out between two pieces of an answer and none for the whole of it, and no bound
on its size. Both are enforced where bytes come off the socket, so that headers, chunk sizes and
interim answers count as well as the body.
"""

from __future__ import annotations

import io
import math
import time
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from http.client import HTTPException, HTTPResponse
from typing import TYPE_CHECKING, Any

from unlatch.transport.answer import MOST_BYTES, MOST_ERROR_BYTES

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator

    import requests
    import urllib3

# All that one answer may be on the wire: a body that cannot be compressed, its framing, headers.
MOST_ON_THE_WIRE = MOST_BYTES + 4 * 1024 * 1024
# http.client takes a hundred headers of 64 KiB each; trackers send a few KiB in all.
_MOST_HEADER_BYTES = 256 * 1024
_MOST_INTERIM = 16
_OK = 200
_ERRORS = 400
# A thousand times as much may come out of a decoder in one piece.
_PIECE = 16 * 1024
# What we ask for. Others decode without a bound, depending on the version of their library, and
# several in a row can keep a decoder busy for hours within a few KiB.
ENCODINGS = "gzip, deflate"
_DECODED = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})

_DEADLINE: ContextVar[float] = ContextVar("unlatch_deadline", default=math.inf)


class OutOfBounds(OSError):
    """An answer was cut because it is too large or took too long; another would be cut too."""


class TooLarge(OutOfBounds):
    """It holds more than `MOST_BYTES` (an error: `MOST_ERROR_BYTES`), or its headers do."""


class TooSlow(OutOfBounds):
    """It was not there in whole at the deadline."""


class Malformed(OSError):
    """Its body is framed or compressed in a way that cannot be read, or was not asked for."""


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """For one request of this thread: its answer ends so long from now at the latest."""
    token = _DEADLINE.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _DEADLINE.reset(token)


def read_whole(response: requests.Response) -> None:
    """Read and decode the body, so that `response.content` has it.

    Raises:
        OutOfBounds: it is too large, or took too long.
        Malformed: it is framed or compressed in a way that cannot be read.
        requests.RequestException: it broke off, or its encoding is broken.
    """
    try:
        # `content` alone would hold whatever comes; requests has no other way to say that it is
        # read.
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
    """What comes off the socket for one answer, up to its deadline and its bound."""

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
        # The connection may be used again: its own time-out is put back.
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
    """http.client's answer, read within bounds, and without interim ones."""

    fp: Any
    headers: Any
    msg: Any

    def __init__(self, sock: socket.socket, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        self._wire = _Wire(sock, self.fp.detach())
        self.fp = io.BufferedReader(self._wire)

    def begin(self) -> None:
        # http.client skips 100 alone; any other would be taken for the answer, and the answer for
        # that of the next request (RFC 9110, section 15.2: a client has to be able to skip them).
        for _ in range(_MOST_INTERIM):
            super().begin()
            if self.status >= _OK:
                self._wire.left = MOST_ON_THE_WIRE
                return
            self.headers = self.msg = None
        raise HTTPException("interim answers without an end")


@cache
def bounded(pool: type[urllib3.HTTPConnectionPool]) -> type[urllib3.HTTPConnectionPool]:
    """A kind of connection pool whose answers are read within bounds."""
    connection = type("Connection", (pool.ConnectionCls,), {"response_class": _Response})
    return type("Pool", (pool,), {"ConnectionCls": connection})


def bind(manager: urllib3.PoolManager) -> None:
    """Let all further connections of a manager read within bounds."""
    pools = manager.pool_classes_by_scheme
    manager.pool_classes_by_scheme = dict(zip(pools, map(bounded, pools.values()), strict=True))
