"""One HTTP server in its own thread, bound to 127.0.0.1."""

from __future__ import annotations

import contextlib
import socket
import threading
import traceback
from contextlib import closing
from typing import TYPE_CHECKING, Any

from werkzeug.exceptions import InternalServerError
from werkzeug.serving import WSGIRequestHandler, make_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from _typeshed.wsgi import WSGIApplication

HOST = "127.0.0.1"


class _Handler(WSGIRequestHandler):
    """Sends each answer as a whole.

    Werkzeug's own handler writes it part by part, and waits for a rest of the request.
    """

    # Send a small answer at once, without waiting for the client to acknowledge the headers.
    disable_nagle_algorithm = True

    def run_wsgi(self) -> None:
        self.close_connection = True
        self.environ = self.make_environ()
        try:
            answer = self._answer(self.server.app)
        except ConnectionError:  # a fault dropped the connection
            return
        except Exception:  # noqa: BLE001  (a mistake of the sandbox is an answer, too)
            self.server.log("error", traceback.format_exc())
            answer = self._answer(InternalServerError())
        self.wfile.write(answer)

    def log(self, type: str, message: str, *args: Any) -> None:
        """The sandbox keeps its own log of requests."""

    def _answer(self, app: WSGIApplication) -> bytes:
        lines: list[str] = []

        def start_response(status: str, headers: list[tuple[str, str]], *_: object) -> Any:
            lines.append(f"HTTP/1.1 {status}")
            lines.extend(f"{name}: {value}" for name, value in headers)

        with closing(app(self.environ, start_response)) as parts:  # type: ignore[type-var]
            body = b"".join(parts)
        if not any(line.startswith("Date: ") for line in lines):
            lines.append(f"Date: {self.date_time_string()}")
        head = "\r\n".join((*lines, f"Server: {self.server_version}", "Connection: close", "\r\n"))
        return head.encode("latin-1") + body


class Server:
    """The port is bound before the application exists."""

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
        self._stopping = threading.Event()

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
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def _accept(self) -> None:
        # serve_forever would poll while the server is idle.
        while not self._stopping.is_set():
            self._server.handle_request()

    def stop(self) -> None:
        if self._thread is None:
            self._socket.close()
            return
        self._stopping.set()
        # An empty connection ends the wait for one.
        with contextlib.suppress(OSError):
            socket.create_connection((HOST, self.port), timeout=5).close()
        self._thread.join()
        self._server.server_close()
        self._thread = None


def stop_all(servers: Sequence[Server]) -> None:
    for server in servers:
        server.stop()
