"""Webhooks of GitHub, signed and over HTTP, in bursts; a third are sent a second time."""

from __future__ import annotations

import http.client
import json
import random
import re
import subprocess
import threading
import time
from collections import Counter, defaultdict
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tests.fleet.many_repositories import HOOK
from tests.unlatch_fleet.serving import about, signature
from tests.warm.client import COLD, unlatch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from tests.fleet.many_repositories import ManyRepositories
    from tests.unlatch_fleet.repositories import Repository

BURST = 10
_START_SECONDS = 60.0


@contextmanager
def server(fleet: ManyRepositories, database: str, *, is_warm: bool) -> Iterator[str]:
    """The address of `unlatch fleet serve`, which runs as a process of its own."""
    environ = {**fleet.environ, "UNLATCH_FLEET_DATABASE": database}
    argv = [*(unlatch(environ) if is_warm else COLD), "fleet", "serve", str(fleet.file)]
    log = fleet.folder / "server.log"
    with (
        log.open("ab") as output,
        subprocess.Popen(
            [*argv, "--listen", "127.0.0.1:0"], env=environ, stdout=output, stderr=output
        ) as process,
    ):
        try:
            yield _address(log, process)
        finally:
            process.terminate()


def _address(log: Path, process: subprocess.Popen[bytes]) -> str:
    ends = time.monotonic() + _START_SECONDS
    while not (match := re.search(r"Listening on (\S+)", log.read_text(encoding="utf-8"))):
        assert process.poll() is None, log.read_text(encoding="utf-8")
        assert time.monotonic() < ends
        time.sleep(0.05)
    return match[1]


@dataclass
class Webhooks:
    """A thread that sends them; one that the server does not take is sent again.

    Args:
        address: of the server.
        share: the part of the work that is done, from 0 to 1; all are sent by `until` of it.
        answers: how many got which.
        bursts: the times of the first of each burst, by the path of the repository.
    """

    address: str
    fleet: ManyRepositories
    count: int
    share: Callable[[], float]
    seed: int
    until: float = 0.9
    answers: Counter[str] = field(default_factory=Counter)
    bursts: dict[str, list[datetime]] = field(default_factory=lambda: defaultdict(list))
    refused: int = 0
    _over: threading.Event = field(default_factory=threading.Event)

    def start(self) -> threading.Thread:
        thread = threading.Thread(target=self._send_all, daemon=True)
        thread.start()
        return thread

    def stop(self) -> None:
        self._over.set()

    def _send_all(self) -> None:
        chance = random.Random(self.seed)
        sent: list[tuple[str, bytes]] = []
        connection = self._connection()
        for number in range(self.count):
            if number % BURST == 0:
                while self.share() < self.until * number / self.count:
                    if self._over.wait(0.1):
                        return
                repository = chance.choice(self.fleet.repositories)
                self.bursts[str(repository.path)].append(datetime.now(UTC))
            if number % 3 == 2:
                message = chance.choice(sent)
            else:
                message = f"delivery-{number}", self._body(repository, number)
                sent.append(message)
            self.answers[self._send(connection, *message)] += 1
        connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(urlsplit(self.address).netloc, timeout=20)

    @staticmethod
    def _body(repository: Repository, number: int) -> bytes:
        issues: Sequence[str] = repository.due["github"]
        issue = int(issues[number % len(issues)])
        return json.dumps(about(issue, repository.name)).encode()

    def _send(self, connection: http.client.HTTPConnection, delivery: str, body: bytes) -> str:
        signed = signature(body, "X-Hub-Signature-256", self.fleet.secret.encode())
        headers = {**signed, "X-GitHub-Event": "issues", "X-GitHub-Delivery": delivery}
        while not self._over.is_set():
            with suppress(OSError, http.client.HTTPException):
                connection.request("POST", f"/webhooks/{HOOK}", body, headers)
                answer = connection.getresponse()
                text = answer.read().decode().strip()
                if answer.status == http.HTTPStatus.ACCEPTED:
                    return text
                if answer.status != http.HTTPStatus.SERVICE_UNAVAILABLE:
                    return f"{answer.status} {text}"
            connection.close()  # the next request opens it again
            self.refused += 1
            time.sleep(0.2)
        return "not sent"
