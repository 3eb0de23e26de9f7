"""The budgets of accounts: asked by units over a Unix socket, kept where the node keeps them.

A rate limit belongs to an account, on all machines together. A unit only says what it is about to
send; the node knows which account that is, and names it by a keyed fingerprint.
"""

from __future__ import annotations

import json
import math
import socketserver
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from unlatch.errors import StoreError
from unlatch.transport.account import fingerprint
from unlatch.transport.rate_limits import Kind, Pace, Turn
from unlatch.transport.reservations import Reservations
from unlatch.worklog.json_text import load_json
from unlatch.worklog.search_index import retry_if_damaged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Bytes of a question.
_LONGEST = 4096
# Of reservations that cannot be counted now.
_REFUSED = Turn(60.0, is_limit=True, granted=False)


class Rows(Protocol):
    """The requests of all accounts that were sent, or will be."""

    def reserve(
        self,
        account: str,
        kind: Kind,
        n: int,
        pace: Pace,
        *,
        after: float,
        within: float,
    ) -> Turn:
        """Reserve `n` requests in `after` seconds or later; none if a limit means a longer wait.

        Args:
            account: its keyed fingerprint.
            within: the longest wait, in seconds.
        """


class MachineRows:
    """The rows of this machine, in a file, so that they outlive a command that was ended.

    Without a server there are no events, so it keeps nothing for them.
    """

    def __init__(self, folder: Path) -> None:
        self._file = Reservations(folder / "requests.sqlite")

    def reserve(
        self,
        account: str,
        kind: Kind,
        n: int,
        pace: Pace,
        *,
        after: float,
        within: float,
    ) -> Turn:
        name, times = f"{account} {kind}", {"now": time.time(), "after": after, "within": within}
        try:
            return retry_if_damaged(lambda: self._file.reserve(name, n, pace, **times))
        except StoreError:
            return _REFUSED  # what cannot be counted is not sent


class UnitBudget:
    """Answers the questions of one unit.

    Args:
        account_of: the secret, or another lasting name, of the account of a tracker at a host.
        key: of the fingerprints.
    """

    def __init__(self, rows: Rows, account_of: Callable[[str, str], str], *, key: bytes) -> None:
        self._rows = rows
        self._account_of = account_of
        self._key = key

    def answer(self, line: bytes) -> bytes:
        """The answer to a line of `unlatch.transport.account`; empty to any other."""
        try:
            asked = load_json(line)
            tracker, host, kind = str(asked["tracker"]), str(asked["host"]), Kind(asked["kind"])
            limits = tuple((int(count), float(seconds)) for count, seconds in asked["limits"])
            within = math.inf if asked["within"] is None else float(asked["within"])
            n, after = int(asked["count"]), float(asked["after"])
        except (ValueError, LookupError, TypeError):
            return b""
        account = fingerprint(self._key, host, self._account_of(tracker, host))
        pace = Pace(limits, 0.0, 0)
        turn = self._rows.reserve(account, kind, n, pace, after=after, within=within)
        answer = {"seconds": turn.seconds, "limit": turn.is_limit, "granted": turn.granted}
        return f"{json.dumps(answer)}\n".encode()


@contextmanager
def serve_budget(budget: UnitBudget) -> Iterator[Path]:
    """The path of a socket that answers for a unit, in a private folder, while the block runs."""

    class Handler(socketserver.StreamRequestHandler):
        timeout = 30

        def handle(self) -> None:
            self.wfile.write(budget.answer(self.rfile.readline(_LONGEST)))

    with tempfile.TemporaryDirectory(prefix="unlatch-") as folder:
        path = Path(folder) / "budget"
        with socketserver.ThreadingUnixStreamServer(str(path), Handler) as server:
            server.daemon_threads = True
            thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
            thread.start()
            try:
                yield path
            finally:
                server.shutdown()
                thread.join()
