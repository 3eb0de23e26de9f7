from __future__ import annotations

import threading
from contextlib import ExitStack
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Self

from unlatch_sandbox import ado as ado_part
from unlatch_sandbox import github as github_part
from unlatch_sandbox import jira as jira_part
from unlatch_sandbox._requests import RequestLog
from unlatch_sandbox.answers import served_by
from unlatch_sandbox.clock import Clock, utc_now
from unlatch_sandbox.console import create_app as create_console
from unlatch_sandbox.fault_rules import Environment
from unlatch_sandbox.faults import Faults
from unlatch_sandbox.late import LateEffects
from unlatch_sandbox.middleware import Middleware
from unlatch_sandbox.server import Server, stop_all
from unlatch_sandbox.store import Store

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from pathlib import Path

    from unlatch_sandbox.answers import WsgiApp


@dataclass(frozen=True, slots=True)
class Ports:
    """0 takes any free port."""

    github: int = 0
    ado: int = 0
    jira: int = 0
    console: int = 0


class Sandbox:
    """Three trackers and a console, each on its own port of 127.0.0.1, between start and stop.

    Args:
        state: the SQLite file that keeps everything; memory if not given.
        ports: where to listen.
        latency: seconds added to every API request.
        clock: the trackers' clock.
    """

    github: github_part.GithubAdmin
    ado: ado_part.AdoAdmin
    jira: jira_part.JiraAdmin
    console_url: str

    def __init__(
        self,
        state: Path | None = None,
        *,
        ports: Ports | None = None,
        latency: float = 0.0,
        clock: Clock = utc_now,
    ) -> None:
        self._state = state
        self._ports = ports or Ports()
        self._latency = latency
        self._clock = clock
        self._stack = ExitStack()
        self._stopping = threading.Event()
        self.requests = RequestLog()
        self.faults = Faults()
        self._late = LateEffects()

    def start(self) -> Self:
        self._stopping.clear()
        with ExitStack() as stack:
            self._store = self._open_store(stack)
            servers: list[Server] = []
            stack.callback(lambda: stop_all(servers))
            for port in astuple(self._ports):
                servers.append(Server(port))  # noqa: PERF401 (those before a busy port must stop)
            self._serve(*servers)
            # Requests that hang or wait end before the servers stop.
            stack.callback(self._stopping.set)
            stack.callback(self._late.cancel)
            self._stack = stack.pop_all()
        return self

    def stop(self) -> None:
        self._stack.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def reset(self) -> None:
        """Remove all items, faults and requests, and start again with empty projects.

        A request that a fault still delays is dropped later.
        """
        self.faults.clear()
        self._late.cancel()
        self.requests.begin_anew()
        with self._store.transaction():
            self._store.clear()
            self._furnish()

    def snapshot(self) -> sqlite3.Connection:
        """A copy of all items, for `restore`."""
        return self._store.copy()

    def restore(self, snapshot: sqlite3.Connection) -> None:
        """Return to the items of a snapshot of this sandbox; as `reset` for everything else."""
        self.faults.clear()
        self._late.cancel()
        self.requests.begin_anew()
        self._store.restore(snapshot)

    def settle(self) -> None:
        """Wait until all faults of kind `late` have taken effect."""
        self._late.settle()

    def environ(self) -> dict[str, str]:
        """The environment with these servers' credentials and trust."""
        urls = {
            "github": self.github.web_url,
            "ado": self.ado.organization_url,
            "jira": self.jira.site,
        }
        hosts = (f"{name}={url.split('/')[2]}" for name, url in urls.items())
        return {
            "GITHUB_TOKEN": self.github.token,
            "AZURE_DEVOPS_EXT_PAT": self.ado.token,
            **self.jira.environ(),
            "UNLATCH_TRUSTED_HOSTS": ",".join(hosts),
        }

    def shell_environ(self) -> dict[str, str]:
        """The same for a person's shell, where #4, octo/widgets#4 and SCRUM-28 name items here."""
        return {
            "GITHUB_SERVER_URL": self.github.web_url,
            "GH_REPO": f"{self.github.web_url}/octo/widgets",
            "JIRA_URL": self.jira.site,
            **self.environ(),
        }

    def config(self) -> str:
        """The text of a `.unlatch/config.toml` that points at these servers."""
        # Nothing here acts after its connection ended, so no settle time is needed.
        trackers = f"{self.github.config()}\n{self.ado.config()}\n{self.jira.config()}"
        return f"settle = 0\n\n{trackers}"

    def _open_store(self, stack: ExitStack) -> Store:
        store = Store(self._state)
        stack.callback(store.close)
        return store

    def _serve(self, hub: Server, boards: Server, tracks: Server, board: Server) -> None:
        self.github = github_part.GithubAdmin(self._store, hub.url, self._clock)
        self.ado = ado_part.AdoAdmin(self._store, boards.url, self._clock)
        self.jira = jira_part.JiraAdmin(self._store, tracks.url, self._clock)
        self.console_url = board.url
        self._furnish()
        parts = (
            (hub, "github", served_by(github_part.create_app(), self.github), github_part.is_api),
            (boards, "ado", served_by(ado_part.create_app(), self.ado), ado_part.is_api),
            (tracks, "jira", served_by(jira_part.create_app(), self.jira), jira_part.is_api),
        )
        for server, tracker, app, is_api in parts:
            server.serve(self._gate(tracker, app, is_api))
        board.serve(create_console(self))

    def _furnish(self) -> None:
        with self._store.transaction():
            for admin in (self.github, self.ado, self.jira):
                admin.furnish()

    def _gate(self, tracker: str, app: WsgiApp, is_api: Callable[[str], bool]) -> Middleware:
        return Middleware(
            tracker,
            app,
            store=self._store,
            log=self.requests,
            faults=self.faults,
            around=Environment(self._clock, self._stopping, self._late),
            latency=self._latency,
            is_api=is_api,
        )


def serve(sandbox: Sandbox) -> None:
    """Keeps a started sandbox up until Ctrl-C, then stops it."""
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        pass
    finally:
        sandbox.stop()
