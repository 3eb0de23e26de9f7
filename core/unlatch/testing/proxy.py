"""A proxy in front of a server that injects faults into requests.

It stands between a plugin and any working server, so no fake has to be written: the plugin gets the
proxy's address in place of the server's. Addresses are translated both ways: in headers on the way
there; in headers and bodies on the way back, because SDKs follow links in them.
"""

from __future__ import annotations

import http.client
import socket
import threading
from contextlib import suppress
from dataclasses import field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import urlsplit

from unlatch.testing.faults import Fault, NoAnswer, Reply, Request
from unlatch.values import dataclass

_PATIENCE = 30.0
_POLL = 0.02
# They concern the connection, not the message (RFC 9110, section 7.6.1), or are generated again.
_OF_THE_CONNECTION = frozenset(
    {
        "connection",
        "content-length",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_TEXTUAL = ("text/", "application/json", "+json", "application/xml")


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request that reached the proxy.

    Args:
        faulted: whether a fault was applied to it.
    """

    request: Request
    faulted: bool = False


@dataclass
class _Traffic:
    """The state that all connections share."""

    sent: list[SentRequest] = field(default_factory=list)
    fault: Fault | None = None
    counted: int = 0
    under_way: int = 0
    changed: threading.Condition = field(default_factory=threading.Condition)


class Proxy:
    """A server on 127.0.0.1 that forwards all requests, between start and stop.

    Args:
        server: the address of the server behind it; the proxy's address has the same path.
    """

    def __init__(self, server: str) -> None:
        self._server = urlsplit(server)
        self._traffic = _Traffic()
        self._listener = _Listener(self)
        self._thread = threading.Thread(
            target=self._listener.serve_forever, args=(_POLL,), daemon=True
        )

    @property
    def origin(self) -> str:
        """Scheme, host and port of the proxy."""
        return f"http://127.0.0.1:{self._listener.server_address[1]}"

    @property
    def url(self) -> str:
        """The proxy's address for the server's."""
        return f"{self.origin}{self._server.path}"

    @property
    def sent(self) -> tuple[SentRequest, ...]:
        """The requests that came since the last `clear`, in order."""
        with self._traffic.changed:
            return tuple(self._traffic.sent)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown()
        self._thread.join()
        self._listener.server_close()

    def arm(self, fault: Fault) -> None:
        """Apply a fault once, to one of the next requests."""
        with self._traffic.changed:
            self._traffic.fault = fault
            self._traffic.counted = 0

    def clear(self) -> None:
        """Forget requests, and an unused fault."""
        with self._traffic.changed:
            self._traffic.fault = None
            self._traffic.sent.clear()

    def settle(self) -> None:
        """Wait until the server behind has answered everything that was passed on to it."""
        with self._traffic.changed:
            self._traffic.changed.wait_for(lambda: not self._traffic.under_way, _PATIENCE)

    def answer(self, request: Request) -> Reply | NoAnswer:
        """Forward a request, or apply a fault to it."""
        fault = self._note(request)
        if fault is None:
            return self._forward(request)
        return fault.apply(request, self._forward, here=f"{self.origin}{request.target}")

    def _note(self, request: Request) -> Fault | None:
        """Record a request, and take the fault that matches it."""
        traffic = self._traffic
        with traffic.changed:
            fault = traffic.fault
            if fault is not None and fault.matches(request):
                traffic.counted += 1
                fault = fault if traffic.counted > fault.number else None
            else:
                fault = None
            if fault is not None:
                traffic.fault = None
            traffic.sent.append(SentRequest(request, faulted=fault is not None))
            return fault

    def _forward(self, request: Request) -> Reply:
        with self._traffic.changed:
            self._traffic.under_way += 1
        try:
            return self._exchange(request)
        finally:
            with self._traffic.changed:
                self._traffic.under_way -= 1
                self._traffic.changed.notify_all()

    def _exchange(self, request: Request) -> Reply:
        there = self._server
        secure = there.scheme == "https"
        connect = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        connection = connect(there.hostname or "", there.port, timeout=_PATIENCE)
        headers = {
            name: self._for_the_server(value)
            for name, value in request.headers.items()
            if name not in _OF_THE_CONNECTION
        }
        # Addresses in a body could not be found in a compressed one.
        headers |= {"host": there.netloc, "accept-encoding": "identity", "connection": "close"}
        try:
            connection.request(request.method, request.target, request.body or None, headers)
            answer = connection.getresponse()
            return self._reply(answer, answer.read())
        finally:
            connection.close()

    def _reply(self, answer: http.client.HTTPResponse, body: bytes) -> Reply:
        headers = tuple(
            (name, self._for_the_client(value))
            for name, value in answer.getheaders()
            if name.lower() not in _OF_THE_CONNECTION
        )
        if any(part in answer.headers.get("Content-Type", "") for part in _TEXTUAL):
            body = self._for_the_client(body.decode("latin-1")).encode("latin-1")
        return Reply(answer.status, headers, body)

    def _for_the_server(self, text: str) -> str:
        return text.replace(self.origin, f"{self._server.scheme}://{self._server.netloc}")

    def _for_the_client(self, text: str) -> str:
        there = f"{self._server.scheme}://{self._server.netloc}"
        # Some write JSON with \/ for each slash.
        escaped = there.replace("/", "\\/"), self.origin.replace("/", "\\/")
        return text.replace(there, self.origin).replace(*escaped)


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    # A client that hangs must not keep the proxy from stopping.
    block_on_close = False
    request_queue_size = 128

    def __init__(self, proxy: Proxy) -> None:
        self.proxy = proxy
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect, as with some faults."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Listener

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):  # every method
            return self._handle
        raise AttributeError(name)

    def log_message(self, format: str, *args: Any) -> None:
        """The proxy keeps its own log."""

    def _handle(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.command, self.path, headers, self.rfile.read(length))
        answer = self.server.proxy.answer(request)
        if isinstance(answer, Reply):
            self._send(answer)
            return
        if answer is NoAnswer.HANGING:
            self._wait_for_the_end()
        self.close_connection = True

    def _send(self, reply: Reply) -> None:
        self.send_response_only(reply.status)
        for name, value in reply.headers:
            self.send_header(name, value)
        if reply.status not in (204, 304):
            self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        if self.command == "HEAD":
            return
        self.wfile.write(reply.body[: len(reply.body) // 2] if reply.cut else reply.body)
        if reply.cut:
            self.close_connection = True

    def _wait_for_the_end(self) -> None:
        with suppress(OSError):
            self.connection.settimeout(_PATIENCE)
            self.connection.recv(1, socket.MSG_PEEK)
