"""Stand-ins that enforce limits of requests in scaled time, and take effect late."""

from __future__ import annotations

import random
import re
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flask import request
from werkzeug.wrappers import Response

from unlatch_sandbox import Fault, Sandbox
from unlatch_sandbox.github.hub import Quota

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from unlatch_sandbox.answers import WsgiApp
    from unlatch_sandbox.server import Server

# As GitHub documents them for what creates content: requests, and seconds for so many.
LIMITS = ((80, 60.0), (500, 3600.0))
_COMMENTS = re.compile(r"/comments$|/comment$")


@dataclass
class Meter:
    """The comments that an account posts, and whether it may post another one.

    Args:
        scale: how many times faster than real the time of limits passes.
        fewer: of GitHub's number for an hour, 1 / `fewer` may pass.
        is_on: whether it refuses and counts.
    """

    scale: float
    fewer: int = 1
    is_on: bool = True
    moments: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    refused: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def limits(self) -> tuple[tuple[int, float], ...]:
        """Numbers of requests, and the seconds of this run for so many."""
        (short, minute), (long, hour) = LIMITS
        return (short, minute / self.scale), (long // self.fewer, hour / self.scale)

    def take(self, account: str) -> float:
        """Count a request; the seconds to wait if it is refused."""
        if not self.is_on:
            return 0.0
        with self._lock:
            now, moments = time.monotonic(), self.moments[account]
            for count, seconds in self.limits:
                if len(moments) >= count:
                    wait = moments[-count] + seconds - now
                    if wait > 0:
                        self.refused += 1
                        return wait
            moments.append(now)
            return 0.0

    def shares(self) -> dict[str, float]:
        """The most that each account posted in any window, of each limit the largest share."""
        return {
            account: max(_most(moments, seconds) / count for count, seconds in self.limits)
            for account, moments in self.moments.items()
        }


def _most(moments: list[float], window: float) -> int:
    most = first = 0
    for last, moment in enumerate(moments):
        while moments[first] <= moment - window:
            first += 1
        most = max(most, last - first + 1)
    return most


class ScaledQuota(Quota):
    """GitHub's hourly limit of all requests of an account, which answers show, in scaled time."""

    def __init__(self, scale: float) -> None:
        super().__init__()
        self.most = 0
        self._seconds = 3600 / scale
        self._ends = time.monotonic() + self._seconds
        self._accounts: dict[str, Quota] = defaultdict(Quota)

    def spend(self, requests: int) -> int:
        with self._lock:
            if time.monotonic() >= self._ends:
                self._accounts.clear()
                self._ends = time.monotonic() + self._seconds
            account = self._accounts[request.headers.get("Authorization", "")]
        used = account.spend(requests)
        self.most = max(self.most, used)
        return used


class LimitedSandbox(Sandbox):
    """A sandbox with a meter before GitHub, and late effects of a part of all comments.

    Args:
        late: of 1, the part of comments whose connection ends before they take effect.
        settle: seconds until they have, at most.
    """

    def __init__(self, meter: Meter, *, late: float, settle: float, seed: int) -> None:
        super().__init__()
        self.meter = meter
        self.late = late
        self._settle = settle
        self._random = random.Random(seed)

    def _serve(self, *servers: Server) -> None:
        super()._serve(*servers)
        self.quota = self.github.quota = ScaledQuota(self.meter.scale)

    def _gate(self, tracker: str, app: WsgiApp, is_api: Callable[[str], bool]) -> Any:
        inner = super()._gate(tracker, app, is_api)

        def gate(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
            path = str(environ["PATH_INFO"])
            if environ["REQUEST_METHOD"] == "POST" and _COMMENTS.search(path):
                if tracker == "github":
                    account = str(environ.get("HTTP_AUTHORIZATION", ""))
                    if wait := self.meter.take(account):
                        # As GitHub's secondary limit: nothing was done.
                        text = '{"message": "You have exceeded a secondary rate limit"}'
                        refusal = Response(text, 403, {"Retry-After": str(int(wait) + 1)})
                        return refusal(environ, start_response)
                if self._random.random() < self.late:
                    seconds = self._random.uniform(0.2, 0.9) * self._settle
                    where = f"^{re.escape(path)}"
                    fault = Fault(tracker, "late", method="POST", path=where, seconds=seconds)
                    self.faults.add(fault)
            answer: Iterable[bytes] = inner(environ, start_response)
            return answer

        return gate
