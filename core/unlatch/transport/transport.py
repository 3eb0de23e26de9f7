"""What a plugin sends its requests through."""

from __future__ import annotations

import random
import time
from http.cookiejar import DefaultCookiePolicy
from typing import TYPE_CHECKING, Any

import requests

from unlatch.errors import Rejected, TrackerError, UnlatchError
from unlatch.transport.adapter import TrackerAdapter, Wiring
from unlatch.transport.origin import origin_of
from unlatch.transport.pacing import Pace, Pacer
from unlatch.transport.redact import Redactor
from unlatch.transport.waits import Gate, Wait

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from unlatch.transport.answer import Explain
    from unlatch.transport.credential import Credential
    from unlatch.transport.trace import Trace

CONNECT_TIMEOUT = 5.0
READ_TIMEOUT = 30.0
DEADLINE = 120.0
MAX_WAIT = 60.0
_LONGEST_CHAIN = 5


class Transport:
    """The way to one tracker, for any session of `requests` that an SDK uses.

    Whoever builds one has checked with `check_origin` that the origin is trusted. SDKs are
    constructed without a credential; it is added here, for the origin alone.

    Args:
        tracker: the tracker's name, for messages.
        origin: a URL; requests to its scheme, host and port get the credential.
        credential: None lets every request to the origin fail before it is sent.
        cache: an existing folder that SDKs may keep caches in.
        missing: what to do about a credential that is missing.
        on_wait: called with every wait that the tracker asks for, when it begins.
        max_wait: seconds that may be spent on such waits, in all.
        trace: where requests and answers are written to, redacted.
        timeouts: seconds to connect, and seconds between two pieces of an answer.
        deadline: seconds from sending a request to the end of its answer.
        check: raises `UnlatchError` for a URL elsewhere that nothing may be sent to, not even
            without the credential; None lets everything pass.
        clock: seconds that never go back.
        sleep: lets time pass.
        jitter: a number from 0 to 1, a new one each time.
    """

    def __init__(
        self,
        tracker: str,
        *,
        origin: str,
        credential: Credential | None,
        cache: Path,
        missing: str | None = None,
        on_wait: Callable[[Wait], None] | None = None,
        max_wait: float = MAX_WAIT,
        trace: Trace | None = None,
        timeouts: tuple[float, float] = (CONNECT_TIMEOUT, READ_TIMEOUT),
        deadline: float = DEADLINE,
        check: Callable[[str], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.tracker = tracker
        self.cache = cache
        gate = Gate(tracker, budget=max_wait, on_wait=on_wait, clock=clock, sleep=sleep)
        self._wiring = Wiring(
            tracker=tracker,
            origin=origin_of(origin),
            credential=credential,
            missing=missing or f"run `unlatch auth login {tracker}`",
            gate=gate,
            redactor=Redactor(*(credential.forms if credential else ())),
            trace=trace,
            timeouts=timeouts,
            deadline=deadline,
            check=check,
            clock=clock,
            jitter=jitter,
        )

    def __repr__(self) -> str:
        return f"Transport({self.tracker!r}, origin={str(self._wiring.origin)!r})"

    def mount(self, session: requests.Session, explain: Explain) -> None:
        """Put this transport beneath a session; whatever was mounted on it is out of use.

        Args:
            session: the SDK's; it may be used by several threads at once afterwards.
            explain: the plugin's error table.
        """
        adapter = TrackerAdapter(self._wiring, explain)
        session.mount("https://", adapter)
        session.mount("http://", adapter)
        _follow_as_ours(session)
        # A token is all that identifies us, and threads share the session.
        session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))

    def session(self, explain: Explain) -> requests.Session:
        """A new session with this transport beneath it."""
        session = requests.Session()
        self.mount(session, explain)
        return session

    def hold(self, seconds: float, why: str) -> bool:
        """Let the next request wait so long; False if that is longer than allowed."""
        if not self.can_wait(seconds):
            return False
        self._wiring.gate.hold(seconds, why)
        return True

    def pacer(self, pace: Pace, *, why: str) -> Pacer:
        """Keeps requests of one kind to a pace; its waits are this transport's.

        Args:
            pace: how fast they may be sent.
            why: what a wait for a limit is for, as it is shown.
        """
        return Pacer(pace, gate=self._wiring.gate, clock=self._wiring.clock, why=why)

    def can_wait(self, seconds: float) -> bool:
        """Whether the next request may wait that long, within what is left of `max_wait`.

        Spends nothing: the request itself waits, where the tracker asked for it.

        Args:
            seconds: the `retry_after` of a `Limited`. A longer pause that the tracker asked for
                since then counts instead.
        """
        return self._wiring.gate.can_afford(seconds)

    def stop(self) -> None:
        """End every wait and send nothing more; for an interruption by the user."""
        self._wiring.gate.close()


def _follow_as_ours(session: requests.Session) -> None:
    """Let a session follow a few redirects of reads, and fail as we do where they lead nowhere."""
    resolve = session.resolve_redirects

    def resolve_redirects(
        resp: requests.Response, req: requests.PreparedRequest, *args: Any, **options: Any
    ) -> Iterator[Any]:
        try:
            yield from resolve(resp, req, *args, **options)
        except TrackerError:
            raise
        except (requests.RequestException, UnlatchError, ValueError) as error:
            # The new place is no address, or has a name and a password in it, or there is no end.
            raise Rejected(
                "redirect-broken",
                "the tracker points to a place that cannot be reached, or round in circles",
                where=f"{req.method} {(req.url or '').partition('?')[0]}",
                hint="check the configured address",
                status=resp.status_code,
            ) from error

    session.max_redirects = _LONGEST_CHAIN
    session.resolve_redirects = resolve_redirects  # type: ignore[method-assign]  # msrest does too
