"""A server in a process group of its own: started on a free port, awaited, stopped for good."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import requests

START_SECONDS = 30.0
STOP_SECONDS = 5.0
POLL_SECONDS = 0.05
START_ATTEMPTS = 3


class Unavailable(Exception):
    """The server cannot run on this machine; the message says why, in words fit for a skip."""


class NotStarted(Exception):
    """The server is there but did not come up; the message ends with the tail of its log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    argv: Sequence[str]
    env: Mapping[str, str]


@contextmanager
def running(
    command: Callable[[int], Command], *, folder: Path, answers: Callable[[str], bool]
) -> Iterator[str]:
    """Run `command` with a port, in `folder`; yield its URL once `answers` is true.

    The log is `folder/server.log`. A server that ends by itself while starting has most likely
    lost its port to another process, so it gets another one.
    """
    log = folder / "server.log"
    for _ in range(START_ATTEMPTS):
        port = _free_port()
        url = f"http://127.0.0.1:{port}"
        with _process(command(port), folder=folder, log=log) as process:
            if _await_answer(process, partial(answers, url)):
                yield url
                return
    tail = log.read_text(encoding="utf-8", errors="replace")[-2000:]
    raise NotStarted(f"no answer after {START_ATTEMPTS} attempts; {log} ends with:\n{tail}")


def free_session() -> requests.Session:
    """A session that no proxy or netrc of the machine can touch."""
    session = requests.Session()
    session.trust_env = False
    return session


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _process(command: Command, *, folder: Path, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("ab") as output:
        process = subprocess.Popen(
            command.argv,
            cwd=folder,
            env=command.env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        _stop(process)


def _await_answer(process: subprocess.Popen[bytes], answers: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        with suppress(requests.RequestException):
            if answers():
                return process.poll() is None
        with suppress(subprocess.TimeoutExpired):
            process.wait(POLL_SECONDS)
            return False
    return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    _signal(process, signal.SIGTERM)
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        _signal(process, signal.SIGKILL)
        process.wait()


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)
