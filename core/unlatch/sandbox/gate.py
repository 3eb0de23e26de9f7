"""What every API request passes on its way in and out: delay, faults, the lock, the log."""

from __future__ import annotations

import io
import socket
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NoReturn

from werkzeug.wrappers import Request as WsgiRequest
from werkzeug.wrappers import Response

from unlatch.sandbox import strikes
from unlatch.sandbox._requests import Request, RequestLog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from unlatch.sandbox.answers import WsgiApp
    from unlatch.sandbox.faults import Fault, Faults
    from unlatch.sandbox.store import Store

Environ = dict[str, Any]


class _RefusedError(Exception):
    """Rolls back whatever was begun by a request that ends in an error."""

    def __init__(self, answer: Response) -> None:
        super().__init__(answer.status)
        self.answer = answer


def _keep_or_refuse(answer: Response) -> None:
    if answer.status_code >= HTTPStatus.BAD_REQUEST:
        raise _RefusedError(answer)


def _hang_up(environ: Environ) -> NoReturn:
    """Werkzeug takes this error for a client that left, and says nothing."""
    connection: socket.socket = environ["werkzeug.socket"]
    connection.shutdown(socket.SHUT_RDWR)
    raise ConnectionAbortedError("dropped by a fault")


class Gate:
    def __init__(
        self,
        tracker: str,
        app: WsgiApp,
        *,
        store: Store,
        log: RequestLog,
        faults: Faults,
        around: strikes.Surroundings,
        latency: float,
        is_api: Callable[[str], bool],
    ) -> None:
        self._tracker = tracker
        self._app = app
        self._store = store
        self._log = log
        self._faults = faults
        self._around = around
        self._latency = latency
        self._is_api = is_api

    def __call__(self, environ: Environ, start_response: Any) -> Iterable[bytes]:
        request = WsgiRequest(environ)
        if not self._is_api(request.path):
            return self._served(environ)(environ, start_response)
        # Taken in whole, so that an answer given early leaves no half-read body behind.
        environ["wsgi.input"] = io.BytesIO(request.get_data())
        return self._answer(request, environ)(environ, start_response)

    def _answer(self, request: WsgiRequest, environ: Environ) -> Response:
        target = request.full_path.rstrip("?")
        faults = self._faults.take(self._tracker, request.method, target)
        try:
            answer = self._struck(faults, environ)
        except strikes.DroppedError:
            # Noted before the caller can tell that the connection is gone.
            self._note(request, None)
            _hang_up(environ)
        self._note(request, answer.status_code)
        return answer

    def _struck(self, faults: list[Fault], environ: Environ) -> Response:
        self._around.wait(self._latency)
        for fault in faults:
            early = strikes.before(fault, self._around)
            if early is not None:
                return early
        answer = self._served(environ)
        for fault in faults:
            answer = strikes.after(fault, answer, self._around)
        return answer

    def _served(self, environ: Environ) -> Response:
        try:
            with self._store.transaction():
                answer = Response.from_app(self._app, environ, buffered=True)
                _keep_or_refuse(answer)
        except _RefusedError as refused:
            return refused.answer
        return answer

    def _note(self, request: WsgiRequest, status: int | None) -> None:
        query = request.query_string.decode("ascii", "replace")
        at = self._around.clock()
        self._log.add(Request(self._tracker, request.method, request.path, status, at, query))
