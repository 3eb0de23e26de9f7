"""The middleware of every API request: delay, faults, the lock, the log."""

from __future__ import annotations

import io
import socket
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlencode

from werkzeug.wrappers import Request as WsgiRequest
from werkzeug.wrappers import Response

from unlatch_sandbox import fault_rules
from unlatch_sandbox._requests import Request, RequestLog
from unlatch_sandbox.late import StaleReads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from unlatch_sandbox.answers import WsgiApp
    from unlatch_sandbox.faults import Fault, Faults
    from unlatch_sandbox.store import Store

Environ = dict[str, Any]
_OF_READS = ("api-version", "$expand")


class _RefusedError(Exception):
    """Rolls back a request that ends in an error or must have no effect."""

    def __init__(self, answer: Response) -> None:
        super().__init__(answer.status)
        self.answer = answer


def _keep_or_refuse(answer: Response, *, effect: bool) -> None:
    if not effect or answer.status_code >= HTTPStatus.BAD_REQUEST:
        raise _RefusedError(answer)


def _as_read(environ: Environ) -> Environ:
    """The request that reads the target of a write; a label is read with its siblings."""
    path: str = environ["PATH_INFO"]
    if environ["REQUEST_METHOD"] == "DELETE":
        path = path.rpartition("/")[0]
    reading = {"REQUEST_METHOD": "GET", "PATH_INFO": path, "CONTENT_LENGTH": "0"}
    # A read does not know a write's options.
    query = {name: value for name, value in WsgiRequest(environ).args.items() if name in _OF_READS}
    return {
        **environ,
        **reading,
        "QUERY_STRING": urlencode(query),
        "wsgi.input": io.BytesIO(),
    }


def _hang_up(environ: Environ) -> NoReturn:
    """Raise the error that Werkzeug ignores as a client's disconnect."""
    connection: socket.socket = environ["werkzeug.socket"]
    connection.shutdown(socket.SHUT_RDWR)
    raise ConnectionAbortedError("dropped by a fault")


class Middleware:
    def __init__(
        self,
        tracker: str,
        app: WsgiApp,
        *,
        store: Store,
        log: RequestLog,
        faults: Faults,
        around: fault_rules.Environment,
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
        self._stale = StaleReads()

    def __call__(self, environ: Environ, start_response: Any) -> Iterable[bytes]:
        request = WsgiRequest(environ)
        if not self._is_api(request.path):
            return self._serve(environ)(environ, start_response)
        # Read completely, so that an early answer leaves no unread body.
        environ["wsgi.input"] = io.BytesIO(request.get_data())
        return self._answer(request, environ)(environ, start_response)

    def _answer(self, request: WsgiRequest, environ: Environ) -> Response:
        target = request.full_path.rstrip("?")
        era = self._log.era
        faults = self._faults.take(self._tracker, request.method, target)
        try:
            answer = self._apply_faults(faults, environ, era)
        except fault_rules.DroppedError:
            # Recorded before the caller can notice the closed connection.
            self._note(request, None, era)
            _hang_up(environ)
        self._note(request, answer.status_code, era)
        return answer

    def _apply_faults(self, faults: list[Fault], environ: Environ, era: int) -> Response:
        self._around.wait(self._latency)
        for fault in faults:
            early = fault_rules.before(fault, self._around)
            if early is not None:
                return early
        if self._log.era != era:
            raise fault_rules.DroppedError
        answer = self._take_effect(faults, environ)
        for fault in faults:
            answer = fault_rules.after(fault, answer, self._around)
        return answer

    def _take_effect(self, faults: list[Fault], environ: Environ) -> Response:
        """The answer of the tracker; its effect comes now, later or never."""
        for fault in faults:
            if fault.kind == "shown-later":
                era, now = self._faults.era, self._around.clock()
                self._stale.begin(self._store.copy(), **fault.options, era=era, now=now)
            if fault.kind == "late":
                self._around.late.add(fault.options["seconds"], lambda: self._serve(environ))
                raise fault_rules.DroppedError
            if fault.kind == "no-effect":
                return self._pretend(environ, shows=fault.options["shows"])
        return self._serve_or_lag(environ)

    def _serve_or_lag(self, environ: Environ) -> Response:
        """The answer of the tracker; a read may not show the last write yet."""
        asked = self._asked(WsgiRequest(environ), None)
        if not asked.changes:
            kept = self._stale.take(self._faults.era, asked.at)
            if kept is not None:
                with self._store.looking_back(kept):
                    return self._serve(environ)
        return self._serve(environ)

    def _pretend(self, environ: Environ, *, shows: str) -> Response:
        answer = self._serve(environ.copy(), effect=False)
        if shows == "kept" and answer.get_data():
            kept = self._serve(_as_read(environ))
            answer.set_data(kept.get_data())
        return answer

    def _serve(self, environ: Environ, *, effect: bool = True) -> Response:
        try:
            with self._store.transaction():
                answer = Response.from_app(self._app, environ, buffered=True)
                _keep_or_refuse(answer, effect=effect)
        except _RefusedError as refused:
            return refused.answer
        return answer

    def _note(self, request: WsgiRequest, status: int | None, era: int) -> None:
        self._log.add(self._asked(request, status), era)

    def _asked(self, request: WsgiRequest, status: int | None) -> Request:
        query = request.query_string.decode("ascii", "replace")
        at = self._around.clock()
        return Request(self._tracker, request.method, request.path, status, at, query)
