"""Forks a process for each command, with every module that commands import loaded already.

    python server.py LISTENER CLIENT

LISTENER is the file descriptor of a listening socket. CLIENT is the program that a command starts
for `python -P -m unlatch.cli`; it passes other modules on to Python. A client sends its working
directory, arguments, environment and standard streams, and gets the number of the process, then its
status as waitpid has it. If the client leaves before that, the process is killed. The server loads
the modules when the first client comes, and ends when its standard input does.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import gc
import importlib
import io
import os
import pkgutil
import runpy
import select
import selectors
import signal
import socket
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

PACKAGES = (
    "unlatch",
    "unlatch_sandbox",
    *("unlatch_github", "unlatch_ado", "unlatch_jira"),
    *(
        "unlatch_audit",
        "unlatch_ci",
        "unlatch_layouts",
        "unlatch_demo",
        "unlatch_mcp",
        "unlatch_merge",
        "unlatch_runs",
    ),
)
# Commands load these when they open a tracker, show something, or serve the sandbox.
LIBRARIES = (
    "azure.devops.v7_1.work_item_tracking",
    "azure.devops.v7_1.work_item_tracking_process",
    "cryptography.hazmat.primitives.asymmetric.rsa",
    "encodings.idna",
    "github",
    "github.GithubObject",
    "github.Issue",
    "github.IssueComment",
    "github.Label",
    "github.Repository",
    "hypothesis.stateful",
    "jira",
    "jsonschema",
    "keyring",
    "msrest.authentication",
    "rich.console",
    "rich.markup",
    "rich.progress",
    "rich.prompt",
    "rich.table",
    "tomlkit",
    "yaml",
)
_CLIENT = sys.argv[2]
_HUGE, _COLLAPSE = 2**21, 25  # MADV_COLLAPSE of Linux 6.1
_LEFT_OUT = ("unlatch.testing", "unlatch.cli.__main__")


@dataclass(frozen=True)
class Request:
    """The set-up of a forked process: `unlatch ARGUMENTS`."""

    folder: bytes
    arguments: list[bytes]
    environ: list[bytes]
    streams: list[int]


def main() -> None:
    """Serve until the standard input ends."""
    sys.path.pop(0)  # the folder of this file
    # Processes run on any core, where their worker keeps to one.
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    with socket.socket(fileno=int(sys.argv[1])) as listener:
        if sys.stdin in select.select([listener, sys.stdin], [], [])[0]:
            return  # nobody came
        gc.disable()  # modules stay
        _load_modules()
        gc.freeze()
        _use_huge_pages()
        gc.set_threshold(20_000, 20, 50)  # for scripts; commands set their own
        gc.enable()
        request = Server(listener).serve()
    if request:
        _become(request)


def _load_modules() -> None:
    for name in (*PACKAGES, *LIBRARIES):
        importlib.import_module(name)
    for package in PACKAGES:
        for module in pkgutil.walk_packages(sys.modules[package].__path__, f"{package}."):
            if not module.name.startswith(_LEFT_OUT):
                importlib.import_module(module.name)


def _use_huge_pages() -> None:
    """Collapse what was loaded into huge pages: a fork has little to copy then.

    A kernel that cannot leaves it as it is.
    """
    madvise = ctypes.CDLL(None).madvise
    for line in Path("/proc/self/maps").read_text().splitlines():
        places, rights, _, _, file, *_ = line.split()
        begin, end = (int(one, 16) for one in places.split("-"))
        begin = -(-begin // _HUGE) * _HUGE
        length = end // _HUGE * _HUGE - begin
        if rights == "rw-p" and file == "0" and length > 0:
            madvise(ctypes.c_void_p(begin), ctypes.c_size_t(length), _COLLAPSE)


class Server:
    """Takes requests, forks, and says how the processes ended."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._clients: dict[int, socket.socket] = {}
        self._woken, self._waker = socket.socketpair()
        self._waker.setblocking(False)
        self._selector = selectors.DefaultSelector()

    def serve(self) -> Request | None:
        """Serve until the standard input ends; returns the set-up in each forked process."""
        signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for file in (self._listener, self._woken, sys.stdin):
            self._selector.register(file, selectors.EVENT_READ)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is sys.stdin:
                    return None
                if key.fileobj is self._listener:
                    if request := self._fork():
                        return request
                elif key.fileobj is self._woken:
                    self._woken.recv(4096)
                else:  # a client says nothing more: it has gone
                    self._selector.unregister(key.fileobj)
                    os.kill(key.data, signal.SIGKILL)
            for child, status in _ended():
                self._report(child, status)

    def _fork(self) -> Request | None:
        client, _ = self._listener.accept()
        request = _received(client)
        if request is None:
            client.close()
            return None
        child = os.fork()
        if child == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self._selector.close()
            for one in (self._woken, self._waker, client, *self._clients.values()):
                one.close()
            return request
        for stream in request.streams:
            os.close(stream)
        self._clients[child] = client
        self._selector.register(client, selectors.EVENT_READ, child)
        _tell(client, child)
        return None

    def _report(self, child: int, status: int) -> None:
        client = self._clients.pop(child)
        if client.fileno() in self._selector.get_map():
            self._selector.unregister(client)
        _tell(client, status)
        client.close()


def _received(client: socket.socket) -> Request | None:
    """The request of a client; None if it was killed before it had sent the whole."""
    first, streams, _, _ = socket.recv_fds(client, 4, 3)
    length, text = int.from_bytes(first), b""
    while more := client.recv(length - len(text)):
        text += more
    if not text or len(text) < length:
        for stream in streams:
            os.close(stream)
        return None
    folder, count, *words = text.split(b"\0")
    return Request(folder, words[: int(count)], words[int(count) :], streams)


def _tell(client: socket.socket, number: int) -> None:
    with contextlib.suppress(OSError):  # it may have gone
        client.sendall(number.to_bytes(4))


def _ended() -> list[tuple[int, int]]:
    found = []
    with contextlib.suppress(ChildProcessError):  # none is left
        while (one := os.waitpid(-1, os.WNOHANG))[0]:
            found.append(one)
    return found


def _become(request: Request) -> None:
    """Run the command as a process of its own does."""
    for number, stream in enumerate(request.streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(request.folder)
    os.environ.clear()
    for name, _, value in (word.partition(b"=") for word in request.environ):
        os.environb[name] = value
    sys.argv = ["unlatch", *map(os.fsdecode, request.arguments)]
    _open_streams()
    # As the start of Python does.
    sys.path[:0] = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    sys.modules.pop("sitecustomize", None)  # the system's own: Debian has one
    with contextlib.suppress(ModuleNotFoundError):
        importlib.import_module("sitecustomize")
    try:
        if sys.argv[1:2] == ["-m"]:  # a script of the tests, from their root
            sys.path.insert(0, str(Path.cwd()))
            sys.argv[:2] = []
            runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
        else:
            sys.executable = _CLIENT
            importlib.import_module("unlatch.cli.main").main()
    except SystemExit as end:
        _end(end.code if isinstance(end.code, int) else 0)
    _end(0)


def _end(code: int) -> None:
    """End as Python does, except that it does not take down every module: that takes longest."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        code = 120
    os._exit(code)


def _open_streams() -> None:
    for number, (name, errors) in enumerate(
        (
            ("stdin", "surrogateescape"),
            ("stdout", "surrogateescape"),
            ("stderr", "backslashreplace"),
        )
    ):
        raw = io.FileIO(number, "w" if number else "r", closefd=False)
        buffer = io.BufferedWriter(raw) if number else io.BufferedReader(raw)
        lines = number == 2 or raw.isatty()
        stream = io.TextIOWrapper(buffer, encoding="utf-8", errors=errors, line_buffering=lines)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


if __name__ == "__main__":
    main()
