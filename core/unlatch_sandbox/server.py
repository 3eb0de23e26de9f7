"""One HTTP server on a thread of its own, bound to 127.0.0.1."""

from __future__ import annotations

import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from werkzeug.serving import WSGIRequestHandler, make_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

HOST = "127.0.0.1"
# How soon a stopping server notices, in seconds.
_POLL = 0.02


class _Handler(WSGIRequestHandler):
    # A small answer leaves at once instead of waiting for the client to acknowledge the headers.
    disable_nagle_algorithm = True

    def log(self, type: str, message: str, *args: Any) -> None:
        """The sandbox keeps its own log of requests."""


class Server:
    """The port is known, and taken, before the application exists."""

    def __init__(self, port: int) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind((HOST, port))
            self._socket.listen(128)
        except OSError:
            self._socket.close()
            raise
        self.port: int = self._socket.getsockname()[1]
        self.url = f"http://{HOST}:{self.port}"
        self._thread: threading.Thread | None = None

    def serve(self, app: Callable[[dict[str, Any], Any], Iterable[bytes]]) -> None:
        self._server = make_server(
            HOST,
            self.port,
            app,
            threaded=True,
            request_handler=_Handler,
            fd=self._socket.fileno(),
        )
        self._socket.close()
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(_POLL,), daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        if self._thread is None:
            self._socket.close()
            return
        self._server.shutdown()
        self._thread.join()
        self._thread = None


def stop_all(servers: Sequence[Server]) -> None:
    """Side by side, as each takes until its next look around."""
    with ThreadPoolExecutor(len(servers) or 1) as pool:
        list(pool.map(Server.stop, servers))
