"""A server that answers, or fails to, exactly as a test says.

Written on bare sockets: the faults that matter here are those that no HTTP library would make.
"""

import json
import socket
import ssl
import struct
import threading
from collections import deque
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it arrived; header names in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    connection: int


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to one request.

    Args:
        raw: the bytes to send.
        ending: "keep" the connection, "close" it, "reset" it, or leave the caller in "silence".
        drip: seconds before each byte; 0 to send all at once.
    """

    raw: bytes = b""
    ending: str = "keep"
    drip: float = 0.0


def reply(
    status: int = 200,
    body: bytes | dict[str, Any] | list[Any] = b"",
    *,
    headers: dict[str, str] | None = None,
    ending: str = "keep",
) -> Reply:
    """An answer with a correct length; a dict or list becomes JSON."""
    lines = {"Content-Type": "text/plain"}
    if not isinstance(body, bytes):
        body, lines = json.dumps(body).encode(), {"Content-Type": "application/json"}
    lines |= {"Content-Length": str(len(body))} | (headers or {})
    head = f"HTTP/1.1 {status} Said\r\n" + "".join(f"{k}: {v}\r\n" for k, v in lines.items())
    return Reply(head.encode("latin-1") + b"\r\n" + body, ending)


OK = reply(200, {"ok": True})
CLOSED = Reply(ending="close")
RESET = Reply(ending="reset")
SILENCE = Reply(ending="silence")
TRUNCATED = reply(200, b'{"o', headers={"Content-Length": "400"}, ending="close")
BROKEN_JSON = reply(200, b'{"ok": tr', headers={"Content-Type": "application/json"})
CHUNK_CUT = Reply(
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    b'5\r\n{"ok"\r\n',
    ending="close",
)
GARBAGE = Reply(b"SMTP ready\r\n\r\n", ending="close")


class Faulty:
    """Serves the given replies in order; a request beyond them gets `otherwise`, or 599."""

    def __init__(
        self,
        *replies: Reply,
        otherwise: Reply | None = None,
        tls: ssl.SSLContext | None = None,
        port: int = 0,
    ) -> None:
        self._tls = tls
        self.requests: list[Received] = []
        self._replies = deque(replies)
        self._otherwise = otherwise or reply(599, b"not in the script")
        self._listener = socket.create_server(("127.0.0.1", port))
        self.port: int = self._listener.getsockname()[1]
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._sockets: list[socket.socket] = []

    @property
    def url(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    @property
    def patience(self) -> float:
        """The seconds to wait for its answers: short only where one of them never comes."""
        replies = (*self._replies, self._otherwise)
        return 0.5 if any(one.ending == "silence" for one in replies) else 30.0

    @property
    def methods(self) -> list[str]:
        return [request.method for request in self.requests]

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        # Wakes the accepting thread, which closing alone does not.
        socket.create_connection(("127.0.0.1", self.port)).close()
        for connection in self._sockets:
            _shut(connection)
        for thread in self._threads:
            thread.join()
        self._listener.close()

    def _start(self, target: Any, *args: Any) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        number = 0
        while not self._over.is_set():
            connection, _ = self._listener.accept()
            self._sockets.append(connection)
            self._start(self._converse, connection, number)
            number += 1

    def _converse(self, connection: socket.socket, number: int) -> None:
        if self._tls is not None:
            try:
                connection = self._tls.wrap_socket(connection, server_side=True)
            except OSError:
                return
        with connection, connection.makefile("rb") as stream:
            ending = "keep"
            while ending == "keep":
                try:
                    request = _read(stream, number)
                except OSError:
                    return
                if request is None:
                    return
                ending = self._answer(connection, request)

    def _answer(self, connection: socket.socket, request: Received) -> str:
        with self._lock:
            self.requests.append(request)
            answer = self._replies.popleft() if self._replies else self._otherwise
        if answer.ending == "silence":
            self._over.wait()
        if answer.ending == "reset":
            linger = struct.pack("ii", 1, 0)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        try:
            if answer.drip:
                self._drip(connection, answer)
            else:
                connection.sendall(answer.raw)
        except OSError:
            return "close"
        return answer.ending

    def _drip(self, connection: socket.socket, answer: Reply) -> None:
        for byte in answer.raw:
            self._over.wait(answer.drip)
            connection.sendall(bytes([byte]))


def _read(stream: Any, number: int) -> Received | None:
    first = stream.readline().decode("latin-1").split()
    if not first:
        return None
    headers: dict[str, str] = {}
    while line := stream.readline().decode("latin-1").strip():
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    body = stream.read(int(headers.get("content-length", "0")))
    return Received(first[0], first[1], headers, body, number)


def _shut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return
