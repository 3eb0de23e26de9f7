"""What this machine knows about an account at a host: waits, and requests that were sent.

Both are in a private folder of the user, and named by a fingerprint of the token with a random key
of that folder. So a wait, or a wrong clock, holds up its own machine only. All of it may be lost:
that costs requests and pace.
"""

from __future__ import annotations

import hmac
import json
import math
import os
import tempfile
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from unlatch.errors import Limited, StoreError
from unlatch.transport.cache import Cache
from unlatch.transport.rate_limits import Kind, Pace, ProcessBudget, Turn
from unlatch.worklog.disk.user_files import make_private
from unlatch.worklog.json_text import load_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.errors import TrackerError

# The variable with the socket where the node of a fleet counts the requests of its processes.
NODE_BUDGET = "UNLATCH_NODE_BUDGET"
_KEY, _KEY_SIZE = "key", 32
_DAY = 86_400.0
_MOST_ACCOUNTS = 100
# Seconds; the node answers from memory or a database, and never waits for a limit itself.
_PATIENCE = 30.0
_LATER = 60.0
_MOST_BYTES = 4096


class Account:
    """An account at a host, as this machine knows it.

    Args:
        folder: the private folder; None where nothing can be kept.
        host: host, and port if it is not the scheme's own.
        secret: the token; only its fingerprint is kept.
        clock: of this process, in seconds.
    """

    def __init__(
        self, folder: Path | None, host: str, secret: str, clock: Callable[[], float]
    ) -> None:
        self.folder = folder
        self.host = host
        self._secret = secret
        self.clock = clock
        self._offset = time.time() - clock()
        # A time in the future, or a wait of more than a day, comes from a wrong clock.
        self._waits = folder and Cache(folder, seconds=_DAY, most=_MOST_ACCOUNTS, now=self.now)

    def now(self) -> float:
        """Seconds since the epoch; the system's clock may be set meanwhile."""
        return self._offset + self.clock()

    def wait(self) -> float:
        """Seconds that the tracker still asks this account to wait, as an earlier command noted."""
        fingerprint = self._fingerprint(makes_key=False)
        until = self._waits.get("wait", fingerprint) if self._waits and fingerprint else None
        left = until - self.now() if isinstance(until, float) else 0.0
        return left if 0 < left <= _DAY else 0.0

    def note_wait(self, seconds: float) -> None:
        """Note how long the tracker asks this account to wait."""
        if self._waits and (fingerprint := self._fingerprint(makes_key=True)):
            self._waits.put("wait", fingerprint, value=self.now() + seconds)

    def _fingerprint(self, *, makes_key: bool) -> str | None:
        if self.folder is None:
            return None
        key = read_key(self.folder) or (make_key(self.folder) if makes_key else None)
        return fingerprint(key, self.host, self._secret) if key else None


def fingerprint(key: bytes, host: str, secret: str) -> str:
    """A name for an account at a host, from which its token cannot be found."""
    return hmac.digest(key, json.dumps([host, secret]).encode(), "sha256").hex()


def read_key(folder: Path) -> bytes | None:
    """The random key of the folder; None if there is none."""
    with suppress(OSError):
        key = (folder / _KEY).read_bytes()
        return key if len(key) == _KEY_SIZE else None
    return None


def make_key(folder: Path) -> bytes | None:
    """Make the key, readable by its owner alone; None if the folder cannot be written."""
    with suppress(OSError):
        make_private(folder)
        handle, name = tempfile.mkstemp(dir=folder, prefix=".key")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(os.urandom(_KEY_SIZE))
            if read_key(folder) is None:  # another process may have made it
                Path(name).replace(folder / _KEY)
        finally:
            Path(name).unlink(missing_ok=True)
    return read_key(folder)


class MachineBudget:
    """The budget of all processes of this user, in SQLite; in process where that fails.

    The file is opened with the first reservation. Damage to it costs pace, never a request. The
    space between two requests is kept in each process for itself.
    """

    def __init__(self, account: Account, pace: Pace) -> None:
        self._account = account
        self._pace = pace
        self._in_process = ProcessBudget(pace, account.clock)
        self._lock = Lock()
        self._is_usable = account.folder is not None

    def reserve(self, token: str, kind: Kind, n: int, *, within: float = math.inf) -> Turn:
        with self._lock:
            spaced = self._in_process.foresee(token, kind, n)
            shared = self._reserve_shared(token, kind, n, after=spaced, within=within)
            if not shared.granted:
                return shared
            own = self._in_process.reserve(token, kind, n, within=within)
        return own if own.seconds >= shared.seconds else shared

    def _reserve_shared(
        self, token: str, kind: Kind, n: int, *, after: float, within: float
    ) -> Turn:
        folder = self._account.folder
        if folder is None or not self._is_usable:
            return Turn(0.0)
        from unlatch.transport.reservations import Reservations  # noqa: PLC0415  (loads sqlite3)
        from unlatch.worklog.search_index import retry_if_damaged  # noqa: PLC0415  (as above)

        try:
            key = read_key(folder) or make_key(folder)
            if key is not None:
                name = f"{fingerprint(key, self._account.host, token)} {kind}"
                file = Reservations(folder / "requests.sqlite")
                now = self._account.now()
                return retry_if_damaged(
                    partial(file.reserve, name, n, self._pace, now=now, after=after, within=within)
                )
        except (StoreError, OSError):
            pass
        self._is_usable = False
        return Turn(0.0)


class NodeBudget(MachineBudget):
    """Asks the node of a fleet for requests of all its processes; spaces out those of this one.

    The node started this process, counts the requests, and knows which account the token belongs
    to. So this process learns of no database and of no other token. One JSON line goes each way
    over a Unix socket that the environment names.
    """

    def __init__(self, path: str, tracker: str, account: Account, pace: Pace) -> None:
        super().__init__(account, pace)
        self._path = path
        self._tracker = tracker

    def _reserve_shared(
        self, token: str, kind: Kind, n: int, *, after: float, within: float
    ) -> Turn:
        """Reserve at the node.

        Raises:
            Limited: `budget-unavailable`: without an answer, nothing may be sent.
        """
        asked = {
            "tracker": self._tracker,
            "host": self._account.host,
            "kind": kind,
            "count": n,
            "after": after,
            "within": None if math.isinf(within) else within,
            "limits": self._pace.limits,
        }
        try:
            answer = load_json(self._ask(f"{json.dumps(asked)}\n".encode()))
            return Turn(float(answer["seconds"]), bool(answer["limit"]), bool(answer["granted"]))
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise _unavailable(error) from error

    def _ask(self, line: bytes) -> bytes:
        import socket  # noqa: PLC0415  (of a fleet)

        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(_PATIENCE)
            connection.connect(self._path)
            connection.sendall(line)
            connection.shutdown(socket.SHUT_WR)
            with connection.makefile("rb") as answers:
                return answers.readline(_MOST_BYTES)


def _unavailable(error: Exception) -> TrackerError:
    message = f"the node of the fleet does not say how many requests are left: {error}"
    hint = "the fleet begins this sync again"
    unavailable = Limited("budget-unavailable", message, retry_after=_LATER, hint=hint)
    unavailable.withheld = True
    return unavailable
