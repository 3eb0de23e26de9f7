"""Every write, fsync, rename and request of a process, counted; and death at any one of them.

A file that is opened for writing is watched: there is a boundary before each of its writes, one in
the middle of it (half of the bytes are on their way to the disk), one before each fsync, one before
and one after each rename, removal, start of a process and request. Between two boundaries nothing
happens that anybody else could see.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import IO, Any, Self

import requests

from unlatch.transport.adapter import TrackerAdapter
from unlatch.worklog.disk import atomic, line_file
from unlatch.worklog.disk.folder import OpenFolder


def die(_name: str) -> None:
    """A power cut during a process."""
    os.kill(os.getpid(), signal.SIGKILL)


def in_fork(action: Callable[[], object]) -> int:
    """Run something in a child of this process; its exit status as waitpid tells it."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            action()
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1]


class Boundaries:
    """Counts boundaries in all threads; at number `at` something strikes the process.

    Args:
        strike: called with the boundary's name; by default the process dies.
        lasting: whether it strikes at every later boundary too.
    """

    def __init__(
        self,
        at: int | None,
        *,
        strike: Callable[[str], None] = die,
        lasting: bool = False,
    ) -> None:
        self.passed: list[str] = []
        self._at = at
        self._strike = strike
        self._lasting = lasting
        self._lock = threading.Lock()

    def cross(self, name: str) -> None:
        """Pass a boundary, or be struck at it."""
        with self._lock:
            self.passed.append(name)
            number = len(self.passed)
            struck = self._at is not None and (
                number == self._at or (self._lasting and number > self._at)
            )
        if struck:
            self._strike(name)

    def install(self) -> None:
        """Watch this process from now on."""
        self._watch_files()
        self._watch_folders()
        self._watch_requests()
        self._watch_processes()
        if "psycopg" in sys.modules:
            self._watch_database()

    def _watch_files(self) -> None:
        real_open, real_fsync = pathlib.Path.open, os.fsync

        def watched_cache(
            path: pathlib.Path, mode: str = "r", *args: Any, **kwargs: Any
        ) -> IO[Any]:
            file = real_open(path, mode, *args, **kwargs)
            if "b" in mode and set(mode) & set("wxa+"):
                return _Watched(file, self, path.name)  # type: ignore[return-value]
            return file

        def watched_open(name: str, mode: str, **kwargs: Any) -> IO[Any]:
            file = open(name, mode, **kwargs)  # noqa: PTH123, SIM115  (as `atomic` does it)
            return file if mode == "rb" else _Watched(file, self, name)  # type: ignore[return-value]

        def watched_fsync(descriptor: int) -> None:
            self.cross("fsync")
            real_fsync(descriptor)

        pathlib.Path.open = watched_cache  # type: ignore[method-assign,assignment]
        for module in (atomic, line_file):
            module.open = watched_open  # type: ignore[attr-defined]
        os.fsync = watched_fsync  # type: ignore[assignment]

    def _watch_folders(self) -> None:
        for name in ("move", "remove", "remove_folder", "make"):
            self._watch(OpenFolder, name, lambda _, args: args[0])
        for name in ("rename", "replace", "unlink", "mkdir"):  # caches
            self._watch(pathlib.Path, name, lambda path, _: path.name)

    def _watch(self, owner: type, name: str, subject: Callable[[Any, Any], str]) -> None:
        real = getattr(owner, name)

        def watched(on: Any, *args: Any, **kwargs: Any) -> Any:
            if name == "make" and on.has(args[0]):
                return real(on, *args, **kwargs)  # fails, and changes nothing
            self.cross(f"before {name} {subject(on, args)}")
            result = real(on, *args, **kwargs)
            self.cross(f"after {name} {subject(on, args)}")
            return result

        setattr(owner, name, watched)

    def _watch_requests(self) -> None:
        real_send = TrackerAdapter.send

        def watched_send(
            adapter: TrackerAdapter, request: requests.PreparedRequest, *args: Any, **kwargs: Any
        ) -> requests.Response:
            self.cross(f"before {request.method}")
            answer = real_send(adapter, request, *args, **kwargs)
            self.cross(f"after {request.method}")
            return answer

        TrackerAdapter.send = watched_send  # type: ignore[method-assign,assignment]

    def _watch_processes(self) -> None:
        real_start = subprocess.Popen.__init__

        def watched_start(process: Any, argv: Any, **kwargs: Any) -> None:
            self.cross("before start")
            real_start(process, argv, **kwargs)
            self.cross("after start")

        subprocess.Popen.__init__ = watched_start  # type: ignore[assignment,method-assign]

    def _watch_database(self) -> None:
        """What a dispatcher on PostgreSQL writes; what it repeats all the time counts no more."""
        connection = sys.modules["psycopg"].Connection
        real_execute = connection.execute

        def watched_execute(on: Any, query: str, *args: Any, **kwargs: Any) -> Any:
            statement = " ".join(query.split()[:2])
            if not query.startswith(("INSERT", "UPDATE")) or "SET until" in query:
                return real_execute(on, query, *args, **kwargs)
            if "SET closed" in query:
                return real_execute(on, query, *args, **kwargs)
            self.cross(f"before {statement}")
            result = real_execute(on, query, *args, **kwargs)
            self.cross(f"after {statement}")
            return result

        connection.execute = watched_execute


class _Watched:
    """A file whose writes can be cut in half."""

    def __init__(self, file: IO[bytes], boundaries: Boundaries, name: str) -> None:
        self._file = file
        self._boundaries = boundaries
        self._name = name

    def write(self, content: bytes) -> int:
        half = len(content) // 2
        self._boundaries.cross(f"before write {self._name}")
        self._file.write(content[:half])
        self._file.flush()
        self._boundaries.cross(f"amid write {self._name}")
        self._file.write(content[half:])
        return len(content)

    def truncate(self, size: int) -> int:
        self._boundaries.cross(f"before truncate {self._name}")
        self._file.truncate(size)
        self._boundaries.cross(f"after truncate {self._name}")
        return size

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def dies(action: Callable[[], object], at: int | None) -> bool:
    """Whether an action, in a child of this process, dies at a boundary."""

    def watched() -> None:
        Boundaries(at).install()
        action()

    return os.WIFSIGNALED(in_fork(watched))


def passed_in(action: Callable[[], object]) -> list[str]:
    """The boundaries of an action in a child of this process, which is left alone."""
    reader, writer = os.pipe()

    def watched() -> None:
        boundaries = Boundaries(None)
        boundaries.install()
        action()
        os.write(writer, json.dumps(boundaries.passed).encode())

    assert in_fork(watched) == 0
    os.close(writer)
    with os.fdopen(reader) as told:
        names: list[str] = json.load(told)
    return names
