"""Error answers, and 501 for unknown requests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    WsgiApp = Callable[[dict[str, Any], Any], Iterable[bytes]]


def reply(body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(
        json.dumps(body), status, headers, content_type="application/json; charset=utf-8"
    )


def nothing(status: int = 204) -> Response:
    return Response(b"", status)


# The key of a request's tracker; the routes have no state.
ADMIN = "unlatch_sandbox.face"


def served_by(app: Flask, admin: object) -> WsgiApp:
    def serve(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        environ[ADMIN] = admin
        return app(environ, start_response)

    return serve


def admin_of(environ: Mapping[str, Any]) -> Any:
    return environ[ADMIN]


class Refusal(Exception):
    """Ends a request with the tracker's own error answer; its transaction is rolled back."""

    def __init__(
        self, status: int, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(status, body)
        self.status = status
        self.body = body
        self.headers = headers

    def response(self) -> Response:
        if isinstance(self.body, str):
            return Response(self.body, self.status, self.headers, content_type="text/html")
        return reply(self.body, self.status, self.headers)


class NotKnownError(Exception):
    """A request that the sandbox does not support."""

    def __init__(self, part: str, name: str) -> None:
        super().__init__(f"the sandbox does not know the {part} {name!r}")
        self.part = part
        self.name = name

    def response(self) -> Response:
        body = {"sandbox": "not-known", "part": self.part, "name": self.name, "message": str(self)}
        return reply(body, 501)


def check_query(*names: str) -> None:
    for name in request.args:
        if name not in names:
            raise NotKnownError("query parameter", name)


def check_keys(part: str, given: Collection[str], allowed: Collection[str]) -> None:
    for name in given:
        if name not in allowed:
            raise NotKnownError(part, name)


def new_app(name: str) -> Flask:
    """An application without Flask's OPTIONS answers and redirects."""
    app = Flask(f"unlatch-sandbox-{name}", static_folder=None)
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.url_map.merge_slashes = False
    _answer_errors(app)
    return app


def _answer_errors(app: Flask) -> None:
    @app.errorhandler(Refusal)
    def refuse(refusal: Refusal) -> Response:
        return refusal.response()

    @app.errorhandler(NotKnownError)
    def not_known(error: NotKnownError) -> Response:
        return error.response()

    @app.errorhandler(HTTPException)
    def no_route(error: HTTPException) -> Response | HTTPException:
        if isinstance(error, NotFound | MethodNotAllowed):
            return NotKnownError("route", f"{request.method} {request.path}").response()
        return error
