"""`unlatch`, for tests that need a process of its own, or a program on the PATH.

A cold start of unlatch with the libraries of three trackers takes a second; a fork of a process
that has loaded them takes a hundredth. Tests start a small client that behaves like the command:
streams, signals, exit code. Tests about the start itself, or with another locale, start cold.
"""

from __future__ import annotations

import atexit
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

COLD = (sys.executable, "-m", "unlatch.cli")
_shared: list[Path] = []
_SERVER = Path(__file__).with_name("server.py")
# Only modules that are built in: the client starts in ten milliseconds.
_CLIENT = """\
#!{python} -IS
import _signal, _socket, array, os, sys
child = []
def pass_on(number, frame):
    if child:
        os.kill(child[0], number)
for number in (_signal.SIGINT, _signal.SIGTERM):
    _signal.signal(number, pass_on)
given = sys.argv[1:]
if given[:1] in (["-I"], ["-P"]):
    if given[1:3] != ["-m", "unlatch.cli"]:
        os.execv(sys.executable, [sys.executable, *given])
    given = given[3:]
server = _socket.socket(_socket.AF_UNIX)
server.connect({path!r})
words = [os.getcwdb(), b"%d" % len(given), *map(os.fsencode, given)]
words += [name + b"=" + value for name, value in os.environb.items()]
text = b"\\0".join(words)
streams = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))
server.sendmsg([len(text).to_bytes(4, "big")], [streams])
while text:
    text = text[server.send(text):]
child.append(int.from_bytes(server.recv(4), "big"))
status = int.from_bytes(server.recv(4), "big")
if os.WIFSIGNALED(status):
    _signal.signal(os.WTERMSIG(status), _signal.SIG_DFL)
    os.kill(os.getpid(), os.WTERMSIG(status))
os._exit(os.WEXITSTATUS(status))
"""


def unlatch(environ: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """How to start unlatch in an environment; its arguments follow."""
    folder = programs()
    return (str(folder / "unlatch"),) if folder and not _is_foreign(environ or {}) else COLD


def module(name: str) -> tuple[str, ...]:
    """How to run a module of the tests as a process of its own, from their root."""
    folder = programs()
    return (str(folder / "unlatch") if folder else sys.executable, "-m", name)


def program_path(others: str) -> str:
    """A PATH on which the unlatch that is tested comes before any other."""
    folders = [folder for folder in (programs(), Path(sys.executable).parent) if folder]
    return os.pathsep.join([*map(str, folders), others])


def _is_foreign(environ: Mapping[str, str]) -> bool:
    """Whether Python would open its streams otherwise than the server does."""
    return environ.get("LANG", "C.UTF-8") != "C.UTF-8" or any(
        name.startswith("LC_") or name == "PYTHONIOENCODING" for name in environ
    )


def share(folder: str | None) -> None:
    """Use the server of another process, which has `unlatch` in that folder."""
    if folder:
        _shared.append(Path(folder))


@cache
def programs() -> Path | None:
    """A folder for the PATH, with `unlatch` in it; None where processes do not fork well."""
    if _shared:
        return _shared[0]
    if sys.platform != "linux":
        return None
    folder = Path(tempfile.mkdtemp(prefix="unlatch-warm-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with socket.socket(socket.AF_UNIX) as listener:
        path = folder / "socket"
        listener.bind(str(path))
        listener.listen(128)
        server = subprocess.Popen(
            [sys.executable, str(_SERVER), str(listener.fileno()), str(folder / "unlatch")],
            stdin=subprocess.PIPE,
            env={"LANG": "C.UTF-8"},
            cwd=_SERVER.parents[2],  # where hypothesis keeps its files
            pass_fds=[listener.fileno()],
            start_new_session=True,
        )
    atexit.register(server.communicate)
    client = folder / "unlatch"
    client.write_text(_CLIENT.format(python=sys.executable, path=str(path)))
    client.chmod(0o755)
    return folder
