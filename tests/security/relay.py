"""A tracker of the sandbox, with a server before it that answers one request badly.

On bare sockets: no HTTP library would send such answers.
"""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urlsplit

from tests.security.hostile_answers import SILENCE


class HostileTracker:
    """Passes requests on to `upstream`, and gives one of them a hostile answer.

    Args:
        upstream: where all other requests are answered.
        target: the number of the request that is answered badly, from 1; the same method and path
            again are the same request. 0 for none.
        answer: makes the pieces of the answer.
    """

    def __init__(
        self, upstream: str, *, target: int = 0, answer: Callable[[], Iterable[bytes]] | None = None
    ) -> None:
        self._upstream = urlsplit(upstream).netloc
        self._target = target
        self._answer = answer
        self.seen: list[tuple[str, str]] = []
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        # Closing alone does not wake the thread that accepts.
        socket.create_connection(self._listener.getsockname()).close()
        self._listener.close()

    def _accept(self) -> None:
        while not self._over.is_set():
            connection, _ = self._listener.accept()
            threading.Thread(target=self._converse, args=(connection,), daemon=True).start()

    def _converse(self, connection: socket.socket) -> None:
        try:
            with connection, connection.makefile("rb") as stream:
                while (request := _read(stream)) is not None:
                    if self._is_target(request):
                        self._mistreat(connection)
                        return
                    connection.sendall(self._passed_on(request))
        except OSError:
            return

    def _is_target(self, request: _Request) -> bool:
        with self._lock:
            identity = (request.method, request.path.partition("?")[0])
            if identity not in self.seen:
                self.seen.append(identity)
            return self.seen.index(identity) == self._target - 1

    def _mistreat(self, connection: socket.socket) -> None:
        assert self._answer is not None
        for piece in self._answer():
            if self._over.is_set():
                break
            if piece is SILENCE:
                self._over.wait(10)
            else:
                connection.sendall(piece)
        connection.shutdown(socket.SHUT_WR)

    def _passed_on(self, request: _Request) -> bytes:
        onward = http.client.HTTPConnection(self._upstream, timeout=10)
        onward.request(request.method, request.path, request.body, request.headers)
        with onward.getresponse() as answer:
            body = answer.read()
            headers = [
                f"{name}: {value}"
                for name, value in answer.getheaders()
                if name.lower() not in ("transfer-encoding", "content-length", "connection")
            ]
            length = (f"Content-Length: {len(body)}",)
        onward.close()
        lines = (f"HTTP/1.1 {answer.status} Said", *headers, *length, "", "")
        return "\r\n".join(lines).encode("latin-1") + body


@dataclass(frozen=True, slots=True)
class _Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


def _read(stream: Any) -> _Request | None:
    first = stream.readline().decode("latin-1").split()
    if len(first) < 2:
        return None
    headers: dict[str, str] = {}
    while line := stream.readline().decode("latin-1").strip():
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    body = stream.read(int(headers.get("content-length", "0")))
    return _Request(first[0], first[1], headers, body)
