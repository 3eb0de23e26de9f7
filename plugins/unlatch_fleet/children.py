"""The programs of a unit: git and unlatch, each with an environment of named variables only."""

from __future__ import annotations

import subprocess
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from unlatch.errors import UnlatchError
from unlatch.values import dataclass
from unlatch.worklog.disk import system

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

# What programs of the user need; no variable with a token is among them.
_PASSED = (
    *("PATH", "HOME", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR", "PYTHONUTF8", "SSH_AUTH_SOCK"),
    *("XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR"),
    *("GIT_SSH_COMMAND", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"),
    *("GIT_TEMPLATE_DIR", "GIT_SSL_CAINFO", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL"),
    *("GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"),
)
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
# Seconds for a program to record what it was doing.
_GRACE = 20.0


def base_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that each program of a unit gets of this process."""
    names = {*_PASSED, *_PROXIES, *map(str.lower, _PROXIES)}
    return {
        name: value
        for name, value in environ.items()
        if name in names or name.startswith(("LC_", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_"))
    } | ({"GIT_CONFIG_COUNT": count} if (count := environ.get("GIT_CONFIG_COUNT")) else {})


def with_git_settings(
    environ: Mapping[str, str], settings: Sequence[tuple[str, str]]
) -> dict[str, str]:
    """The environment with further git settings, which no command line shows."""
    first = int(environ.get("GIT_CONFIG_COUNT", "0"))
    added = {"GIT_CONFIG_COUNT": str(first + len(settings))}
    for number, (name, value) in enumerate(settings, first):
        added |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return {**environ, **added}


@dataclass(frozen=True, slots=True)
class Ended:
    """A program that ended.

    Args:
        code: negative for a signal.
        is_late: whether it was ended because it took too long.
    """

    code: int
    out: bytes
    err: bytes
    is_late: bool = False


class Children:
    """The running programs of one unit or of many, which can be ended from another thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self.is_stopped = False

    def stop(self) -> None:
        """Ask all running programs to end, and start no more."""
        with self._lock:
            self.is_stopped = True
            running = [*self._running]
        for process in running:
            system.signal_group(process.pid, forced=False)

    def began(self, pid: int) -> None:
        """A process group began; a node tells the process that would end it."""

    def ended(self, pid: int) -> None:
        """A process group ended."""

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        environ: Mapping[str, str],
        seconds: float,
        lock: int,
    ) -> Ended:
        """Run a program in a process group of its own, and wait for its end.

        Args:
            lock: a descriptor that it inherits: the lock lasts as long as any program under it,
                also if this process is killed.

        Raises:
            UnlatchError: `stopped`.
            OSError: it cannot be started.
        """
        with self._lock:
            if self.is_stopped:
                raise UnlatchError("stopped", "the fleet is stopping", hint="run it again")
            process = subprocess.Popen(  # noqa: S603  (an argument list, none of it from a repository)
                argv,
                cwd=cwd,
                env=environ,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(lock,),
                start_new_session=True,
            )
            self._running.add(process)
            self.began(process.pid)
        try:
            return _wait(process, seconds)
        finally:
            self.ended(process.pid)
            with self._lock:
                self._running.discard(process)


def _wait(process: subprocess.Popen[bytes], seconds: float) -> Ended:
    with process:
        try:
            out, err = process.communicate(timeout=seconds)
            return Ended(process.returncode, out, err)
        except BaseException as error:
            system.signal_group(process.pid, forced=False)
            with suppress(subprocess.TimeoutExpired):
                process.wait(_GRACE)
            system.signal_group(process.pid, forced=True)
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            out, err = process.communicate()
            return Ended(process.returncode, out, err, is_late=True)
