from __future__ import annotations

import inspect
import shlex
from dataclasses import asdict
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, request

from unlatch_sandbox.answers import Refusal, check_query, new_app, nothing, reply
from unlatch_sandbox.console.commands import COMMANDS
from unlatch_sandbox.faults import Fault
from unlatch_sandbox.pages import ItemView, page
from unlatch_sandbox.playground import fill

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch_sandbox import Request, Sandbox

_SHOWN_REQUESTS = 40
_WRITES = ("POST", "PUT", "PATCH", "DELETE")


def create_app(sandbox: Sandbox) -> Flask:
    app = new_app("console")
    app.before_request(lambda: _guard(sandbox))
    _add_page(app, sandbox)
    _add_reading(app, sandbox)
    _add_faults(app, sandbox)
    _add_commands(app, sandbox)
    return app


def _bad(message: str, status: int = HTTPStatus.BAD_REQUEST) -> Refusal:
    return Refusal(status, {"message": message})


def _guard(sandbox: Sandbox) -> None:
    """Keep other web pages out: by the required host, and by a type that they cannot send."""
    port = sandbox.console_url.rpartition(":")[2]
    if request.host not in (f"127.0.0.1:{port}", f"localhost:{port}"):
        raise _bad("the console answers to 127.0.0.1 only", HTTPStatus.FORBIDDEN)
    if request.method in _WRITES and not request.is_json:
        raise _bad("send JSON, as application/json", HTTPStatus.UNSUPPORTED_MEDIA_TYPE)


def _items(sandbox: Sandbox) -> list[ItemView]:
    return [*sandbox.github.items(), *sandbox.ado.items(), *sandbox.jira.items()]


def _text(text: str) -> Response:
    return Response(text, content_type="text/plain; charset=utf-8")


def _request(entry: Request) -> dict[str, Any]:
    return {**asdict(entry), "at": entry.at.isoformat()}


def _add_page(app: Flask, sandbox: Sandbox) -> None:
    @app.get("/")
    def show() -> Response:
        check_query("live")
        return page(
            "console.html",
            live="live" in request.args,
            console=sandbox.console_url,
            items=_items(sandbox),
            requests=sandbox.requests.entries()[-_SHOWN_REQUESTS:][::-1],
            faults=sandbox.faults.waiting(),
            urls={
                "github": sandbox.github.web_url,
                "ado": sandbox.ado.web_url,
                "jira": sandbox.jira.site,
            },
        )


def _add_reading(app: Flask, sandbox: Sandbox) -> None:
    @app.get("/api/items")
    def items() -> Response:
        check_query("tracker")
        tracker = request.args.get("tracker")
        return reply([asdict(i) for i in _items(sandbox) if tracker in (None, i.tracker)])

    @app.get("/api/requests")
    def requests() -> Response:
        check_query("tracker")
        return reply([_request(e) for e in sandbox.requests.entries(request.args.get("tracker"))])

    @app.delete("/api/requests")
    def clear_requests() -> Response:
        sandbox.requests.clear()
        return nothing()

    @app.get("/api/settings")
    def settings() -> Response:
        """Addresses and tokens for another process to use the trackers."""
        return reply({"environ": sandbox.environ(), "config": sandbox.config()})

    @app.get("/config.toml")
    def config() -> Response:
        return _text(sandbox.config())

    @app.get("/environment.sh")
    def environment() -> Response:
        pairs = sandbox.shell_environ().items()
        return _text("".join(f"export {name}={shlex.quote(value)}\n" for name, value in pairs))


def _add_faults(app: Flask, sandbox: Sandbox) -> None:
    @app.get("/api/faults")
    def faults() -> Response:
        return reply([fault.describe() for fault in sandbox.faults.waiting()])

    @app.post("/api/faults")
    def add_fault() -> Response:
        fault = _fault(_object())
        sandbox.faults.add(fault)
        return reply(fault.describe(), 201)

    @app.delete("/api/faults")
    def clear_faults() -> Response:
        sandbox.faults.clear()
        return nothing()


def _object() -> dict[str, Any]:
    body = request.get_json(silent=True)
    if not isinstance(body, dict):
        raise _bad("send a JSON object")
    return body


def _fault(asked: dict[str, Any]) -> Fault:
    if asked.get("kind") == "human":
        raise _bad("a human fault runs a function, so it can only be added in the same process")
    _check_keys(Fault, asked)
    try:
        return Fault(**asked)
    except (TypeError, ValueError) as error:
        raise _bad(str(error)) from error


def _check_keys(call: Callable[..., Any], given: dict[str, Any]) -> None:
    """Refuse keys that a function does not have, and missing ones."""
    parameters = inspect.signature(call).parameters.values()
    names = [
        parameter.name for parameter in parameters if parameter.kind is not parameter.VAR_KEYWORD
    ]
    unknown = [key for key in given if key not in names]
    if unknown and len(names) == len(parameters):
        raise _bad(f"unknown key {unknown[0]!r}; the keys are {', '.join(names)}")
    missing = [
        parameter
        for parameter in parameters
        if parameter.name in names and parameter.default is parameter.empty
    ]
    if lacking := [parameter.name for parameter in missing if parameter.name not in given]:
        raise _bad(f"missing key {lacking[0]!r}; the keys are {', '.join(names)}")


def _add_commands(app: Flask, sandbox: Sandbox) -> None:
    @app.post("/api/reset")
    def reset() -> Response:
        sandbox.reset()
        return nothing()

    @app.post("/api/seed")
    def seed() -> Response:
        try:
            return reply({"result": fill(sandbox)}, HTTPStatus.CREATED)
        except ValueError as error:
            raise _bad(str(error), HTTPStatus.CONFLICT) from error

    @app.post("/api/<any(github, ado, jira):tracker>/<command>")
    def run(tracker: str, command: str) -> Response:
        """Call the Python API's function of this name with the JSON object's members."""
        if command not in COMMANDS[tracker]:
            raise _bad(f"no command {command!r}; there are {', '.join(COMMANDS[tracker])}", 404)
        call, given = getattr(getattr(sandbox, tracker), command), _object()
        _check_keys(call, given)
        try:
            return reply({"result": call(**given)})
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise _bad(str(error)) from error
