"""The paths of the server. It only enqueues; each answer about a webhook is a fixed text."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, Router

from unlatch.errors import PluginBroken, UnlatchError
from unlatch.values import dataclass
from unlatch_fleet.serve.events import delivery_of, read_place
from unlatch_fleet.serve.hooks import Hook, is_authentic, is_token
from unlatch_fleet.serve.intake import Intake
from unlatch_fleet.serve.listening import is_loopback
from unlatch_fleet.serve.metrics import CONTENT_TYPE, write_metrics
from unlatch_fleet.serve.page import POLICY, render_page

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request

    from unlatch.project.registry import Registry
    from unlatch_fleet.serve.directory import Directory
    from unlatch_fleet.serve.ports import Queue

# Messages about issues have some 30 KiB; GitHub sends up to 25 MiB, of pushes with many commits.
LARGEST = 1024 * 1024
_READERS = 2
_REALM = {"WWW-Authenticate": 'Basic realm="unlatch fleet", charset="UTF-8"'}
_AGAIN = {"Retry-After": "60"}
# A proxy on this machine passes on what comes from others.
_PASSED_ON = ("forwarded", "via", "x-forwarded-for")

_NOTHING = "nothing to do"
# What the database answered, the most important first, and what the sender and the metrics read.
_RESULTS = {
    "enqueued": "queued",
    "later": "queued for later",
    "paused": "paused",
    "duplicate": "known already",
    "unknown": "not listed",
}

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Service:
    """What the server serves.

    Args:
        hooks: by their names.
        directory: of the repositories.
        queue: of the database.
        registry: of the plugins, which read messages.
        token: for the page and the metrics; None if only this machine reaches the server.
        is_local: whether only this machine does. Then the Host header has to name it, too: a page
            of another site may send a browser here.
        tell: called with a sentence for the operator.
    """

    hooks: Mapping[str, Hook]
    directory: Directory
    queue: Queue
    registry: Registry
    token: bytes | None
    is_local: bool
    tell: Callable[[str], None]


def build_app(service: Service) -> Starlette:
    """The application."""
    paths = _Paths(service)
    routes = [
        Route("/webhooks/{path:path}", paths.webhook, methods=["GET", "POST", "PUT"]),
        Route("/healthz", paths.health),
        Route("/metrics", paths.metrics),
        Route("/", paths.page),
    ]
    handlers = {UnlatchError: paths.fail, TimeoutError: paths.fail}
    app = Starlette(exception_handlers=handlers)
    # A redirect would repeat the path.
    app.router = Router(routes, redirect_slashes=False)
    return app


class _Paths:
    def __init__(self, service: Service) -> None:
        self._service = service
        self._intake = Intake(service.queue)
        self._readers = CapacityLimiter(_READERS)
        self._is_away = False

    async def webhook(self, request: Request) -> Response:
        self._check_host(request)
        body = await _body(request)
        headers = request.headers
        name, slash, rest = request.path_params["path"].partition("/")
        hook = self._service.hooks.get(name)
        secret = rest if slash else None
        if not is_authentic(hook, headers=headers, rest=secret, body=body) or not hook:
            raise HTTPException(401, headers=_REALM)
        result = await self._take(hook, headers, body)
        self._intake.counts[hook.name, result] += 1
        return PlainTextResponse(f"{result}\n", 202)

    async def _take(self, hook: Hook, headers: Mapping[str, str], body: bytes) -> str:
        try:
            place = read_place(hook, headers, body, registry=self._service.registry)
        except ValueError as error:
            raise HTTPException(400, "not a message of this tracker, in JSON") from error
        if place is None:
            return _NOTHING
        names = self._service.directory.concerned(place)
        if not names:
            return "not listed" if names is None else _NOTHING
        delivery = delivery_of(hook, headers, body)
        # One after the other: a message about a shared project takes one writer.
        answers = {await self._intake.add(name, delivery) for name in names}
        self._note(is_away=False)
        return next(word for answer, word in _RESULTS.items() if answer in answers)

    async def page(self, request: Request) -> Response:
        self._check_reader(request)
        text = render_page(await self._read(self._service.queue.status))
        return HTMLResponse(text, headers={"Content-Security-Policy": POLICY})

    async def metrics(self, request: Request) -> Response:
        self._check_reader(request)
        status = await self._read(self._service.queue.status)
        counts = self._intake.counts
        return Response(write_metrics(status, counts), headers={"Content-Type": CONTENT_TYPE})

    async def health(self, request: Request) -> Response:
        self._check_host(request)
        await self._read(self._service.queue.check)
        return PlainTextResponse("ok\n")

    async def fail(self, _request: Request, error: Exception) -> Response:
        """Answer for the database that is away, so that the sender shows the failure."""
        if isinstance(error, PluginBroken):
            self._service.tell(f"{error.id}: {error.message}")
            return PlainTextResponse("failed\n", 500)
        self._note(is_away=True, why=str(error) or "no answer in time")
        return PlainTextResponse("the database is away\n", 503, headers=_AGAIN)

    async def _read(self, read: Callable[[], _T]) -> _T:
        result = await run_sync(read, limiter=self._readers)
        self._note(is_away=False)
        return result

    def _note(self, *, is_away: bool, why: str = "") -> None:
        """Tell the operator once that the database is away, and once that it is back."""
        if is_away != self._is_away:
            self._is_away = is_away
            self._service.tell(f"The database is away: {why}" if is_away else "It is back.")

    def _check_reader(self, request: Request) -> None:
        self._check_host(request)
        token, headers = self._service.token, request.headers
        if token is None and not any(name in headers for name in _PASSED_ON):
            return
        if token is None or not is_token(headers.get("authorization"), token):
            raise HTTPException(401, headers=_REALM)

    def _check_host(self, request: Request) -> None:
        if self._service.is_local and not _names_this_machine(request.headers.get("host", "")):
            raise HTTPException(421)


def _names_this_machine(host: str) -> bool:
    try:
        return is_loopback(urlsplit(f"//{host}").hostname or "")
    except ValueError:
        return False


async def _body(request: Request) -> bytes:
    """The bytes of a request, as they came."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST:
            raise HTTPException(413)
    return bytes(body)
