"""A proxy that tunnels every CONNECT to one server, for any requested name."""

from __future__ import annotations

import selectors
import socket
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread
from typing import Self


class _Handler(StreamRequestHandler):
    rbufsize = 0  # what follows the request belongs to the tunnel
    server: _Server

    def handle(self) -> None:
        while self.rfile.readline().strip():
            pass
        with socket.create_connection(("127.0.0.1", self.server.target)) as there:
            self.connection.sendall(b"HTTP/1.1 200 Established\r\n\r\n")
            _pump(self.connection, there)


class _Server(ThreadingTCPServer):
    daemon_threads = True

    def __init__(self, target: int) -> None:
        self.target = target
        super().__init__(("127.0.0.1", 0), _Handler)


class Tunnel:
    """Runs while the block does; `url` is the value for HTTPS_PROXY."""

    def __init__(self, target: int) -> None:
        self._server = _Server(target)
        self._thread = Thread(target=self._server.serve_forever, args=(0.01,))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _pump(here: socket.socket, there: socket.socket) -> None:
    """Carry bytes both ways until one side ends."""
    with selectors.DefaultSelector() as ready:
        ready.register(here, selectors.EVENT_READ, there)
        ready.register(there, selectors.EVENT_READ, here)
        while True:
            for key, _ in ready.select():
                try:
                    piece = key.fileobj.recv(65536)  # type: ignore[union-attr]  # a socket
                except OSError:
                    return
                if not piece:
                    return
                key.data.sendall(piece)
