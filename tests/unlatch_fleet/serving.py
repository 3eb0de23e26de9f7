"""The server over real HTTP, with a queue in memory."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import socket
import ssl
import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from unlatch.errors import Transient
from unlatch.project.registry import Registry
from unlatch_fleet.database.rows import Status
from unlatch_fleet.serve.app import Service, build_app
from unlatch_fleet.serve.directory import Directory, Listed
from unlatch_fleet.serve.hooks import Hook, Proof
from unlatch_fleet.serve.listening import Certificate, bind, build_server, parse_address

SECRET = b"a secret of the tests"
WIDGETS, GADGETS = "github.com/octo/widgets", "github.com/octo/gadgets"
HOOKS = [
    Hook("acme", "github", Proof.SIGNATURE, SECRET),
    Hook("site", "jira", Proof.SIGNATURE, SECRET),
    Hook("rule", "jira", Proof.PATH, SECRET),
    Hook("fabrikam", "ado", Proof.PASSWORD, SECRET),
]
LISTED = [
    Listed(
        WIDGETS,
        ("github", "octo/widgets"),
        None,
        {"github": ["octo/widgets"], "jira": ["SCRUM"], "ado": ["fabrikam/widgets"]},
    ),
    Listed(
        GADGETS,
        ("github", "octo/gadgets"),
        "release",
        {"github": ["octo/Gadgets", "octo/plans"], "jira": ["SCRUM"], "ado": ["fabrikam/other"]},
    ),
]
EMPTY = Status(datetime(2026, 11, 29, 20, tzinfo=UTC), (), (), (), {})


@dataclass
class Queue:
    """As the database answers; `is_away` and `may_write` disturb it."""

    shown: Status = EMPTY
    is_away: bool = False
    writes: list[str] = field(default_factory=list)
    noted: set[str] = field(default_factory=set)
    # Writes about a repository wait for its event.
    may_write: Mapping[str, threading.Event] = field(default_factory=dict)

    def enqueue(self, repository: str, deliveries: Collection[str]) -> str:
        self.check()
        self.writes.append(repository)
        if event := self.may_write.get(repository):
            assert event.wait(30)
        noted = {f"{delivery} {repository}" for delivery in deliveries}
        if noted and self.noted.issuperset(noted):
            return "duplicate"
        self.noted.update(noted)
        return "enqueued"

    def status(self) -> Status:
        self.check()
        return self.shown

    def check(self) -> None:
        if self.is_away:
            raise Transient("fleet-database-away", "the fleet's database cannot be reached")


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def timeless(self) -> tuple[int, dict[str, str], bytes]:
        """All of it but the time."""
        return self.status, {k: v for k, v in self.headers.items() if k != "date"}, self.body


@dataclass
class Serving:
    """A server that runs."""

    place: tuple[Any, ...] | str
    queue: Queue
    told: list[str]
    tls: ssl.SSLContext | None = None

    @property
    def port(self) -> tuple[str, int]:
        assert isinstance(self.place, tuple)
        host, port = self.place[:2]
        return host, port

    def ask(
        self,
        path: str,
        body: bytes | Iterator[bytes] | None = None,
        method: str | None = None,
        **headers: str,
    ) -> Answer:
        """Send a request; an iterator sends its body in parts of unknown length."""
        connection = self.connection()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            verb = method or ("GET" if body is None else "POST")
            connection.request(verb, path, body, {"Host": "localhost", **named})
            response = connection.getresponse()
            received = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, received, response.read())
        finally:
            connection.close()

    def connection(self) -> http.client.HTTPConnection:
        if isinstance(self.place, str):
            return _UnixConnection(self.place)
        host, port = self.place[:2]
        if self.tls:
            return http.client.HTTPSConnection(host, port, timeout=20, context=self.tls)
        return http.client.HTTPConnection(host, port, timeout=20)

    def deliver(self, message: object, **headers: str) -> Answer:
        """Send a message of GitHub to its hook."""
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        given = {"X_GitHub_Event": "issues", **headers}
        return self.ask("/webhooks/acme", body, **signature(body), **given)


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=20)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self._path)


def signature(
    body: bytes, header: str = "X_Hub_Signature_256", key: bytes = SECRET
) -> dict[str, str]:
    return {header: f"sha256={hmac.new(key, body, hashlib.sha256).hexdigest()}"}


def about(number: int = 4, repository: str = "octo/widgets", action: str = "reopened") -> Any:
    """GitHub's message about an issue."""
    url = f"https://github.com/{repository}/issues/{number}"
    return {"action": action, "issue": {"html_url": url, "state": "open"}, "sender": {"login": "m"}}


@contextmanager
def serving(
    queue: Queue | None = None,
    address: str = "127.0.0.1:0",
    *,
    token: bytes | None = None,
    certificate: Certificate | None = None,
    tls: ssl.SSLContext | None = None,
) -> Iterator[Serving]:
    """A server in a thread of its own."""
    told: list[str] = []
    queue = queue or Queue()
    where = parse_address(address)
    hooks = {hook.name: hook for hook in HOOKS}
    service = Service(
        hooks, Directory(LISTED), queue, Registry(), token, where.is_loopback, told.append
    )
    listening = bind(where, certificate)
    server = build_server(build_app(service), certificate)
    place = listening.getsockname()
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield Serving(place, queue, told, tls)
    finally:
        server.should_exit = True
        thread.join()
        Path(place).unlink(missing_ok=True) if isinstance(place, str) else None
