"""The one adapter that every request to a tracker passes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

import requests
import urllib3
from requests.adapters import HTTPAdapter

from unlatch.errors import (
    CredentialMissing,
    Rejected,
    TrackerError,
    Transient,
    Unauthorised,
    UnknownOutcome,
    UnlatchError,
)
from unlatch.transport.answer import PRESSED, Answer, Explain, pressed_for
from unlatch.transport.bounds import ENCODINGS, bind, deadline, read_whole
from unlatch.transport.freshness import Freshness
from unlatch.transport.meter import count_request, is_write
from unlatch.transport.origin import Origin, origin_of
from unlatch.transport.outcomes import explain_silence, explained
from unlatch.transport.retry import backoff, may_retry, retry_after
from unlatch.transport.trace import Exchange

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from unlatch.transport.credential import Credential
    from unlatch.transport.redact import Redactor
    from unlatch.transport.trace import Trace
    from unlatch.transport.waits import Gate

_POOL = 16
_NO_RETRIES = urllib3.Retry(0, read=False)
_ACCEPTED = 202
_SILENCES = (requests.RequestException, urllib3.exceptions.HTTPError, OSError)


@dataclass(frozen=True, slots=True)
class Wiring:
    """What all adapters of one transport share."""

    tracker: str
    origin: Origin
    credential: Credential | None
    missing: str
    gate: Gate
    redactor: Redactor
    trace: Trace | None
    timeouts: tuple[float, float]
    deadline: float
    check: Callable[[str], None] | None
    clock: Callable[[], float]
    jitter: Callable[[], float]


class Silence(Exception):
    """Why no answer came, in the words of the library.

    It stands for the library's own exception as the cause of ours: that one holds the request
    with its token, and names the address with whatever is in it.
    """


class TrackerAdapter(HTTPAdapter):
    """Sends a request as our rules say, whatever the SDK above it had in mind.

    Every answer that is not a success is raised from here, through the SDK, as an error of ours.
    """

    def __init__(self, wiring: Wiring, explain: Explain) -> None:
        self._wiring = wiring
        self._explain = explain
        self._freshness = Freshness(wiring.clock, self.close)
        super().__init__(pool_connections=_POOL, pool_maxsize=_POOL)
        bind(self.poolmanager)

    def proxy_manager_for(self, proxy: str, **options: Any) -> urllib3.ProxyManager:
        """The manager of connections through a proxy, as requests asks for."""
        if proxy not in self.proxy_manager:
            bind(super().proxy_manager_for(proxy, **options))
        manager: urllib3.ProxyManager = self.proxy_manager[proxy]
        return manager

    @property
    def max_retries(self) -> urllib3.Retry:
        """None beneath us: msrest sets its own on every adapter that it finds."""
        return _NO_RETRIES

    @max_retries.setter
    def max_retries(self, value: object) -> None: ...

    def send(  # noqa: PLR0917  # the signature that requests calls
        self,
        request: requests.PreparedRequest,
        stream: bool = False,
        timeout: Any = None,
        verify: bool | str = True,
        cert: Any = None,
        proxies: Mapping[str, str] | None = None,
    ) -> requests.Response:
        """Send a request and read the whole answer; a read is sent again if that is useful.

        Raises:
            TrackerError: no answer came, or it is no success.
        """
        write = is_write(request.method or "")
        # What stays on this machine must not pass a proxy, token and all.
        proxies = None if origin_of(request.url or "").is_loopback else proxies
        options = {"verify": verify or True, "cert": cert, "proxies": proxies}
        for attempt in count(1):
            try:
                with self._wiring.gate.passage():
                    return self._exchange(request, options, write=write)
            except TrackerError as error:
                may = may_retry(error, write=write, attempt=attempt)
                if not (may and self._paused(error, attempt)):
                    raise
        raise AssertionError  # count() never ends

    def _exchange(
        self, request: requests.PreparedRequest, options: Mapping[str, Any], *, write: bool
    ) -> requests.Response:
        outgoing = self._dressed(request)
        wiring = self._wiring
        exchange = None
        if wiring.trace is not None:
            exchange = Exchange(
                outgoing,
                tracker=wiring.tracker,
                trace=wiring.trace,
                redact=wiring.redactor,
                clock=wiring.clock,
            )
        count_request()
        response = self._send_and_read(outgoing, options)
        if not isinstance(response, requests.Response):
            error = explain_silence(response, write=write)
            if exchange:
                exchange.unanswered(error.message)
            raise self._settled(error, request) from self._cause(response)
        response.request = request
        if exchange:
            exchange.answered(response)
        return self._judged(request, response, write=write)

    def _dressed(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        """A copy of the request with the credential that belongs to its origin, and no other."""
        wiring = self._wiring
        origin = origin_of(request.url or "")
        if origin.scheme == "http" and not origin.is_loopback:
            raise Rejected("insecure-url", f"plain http to {origin.authority} is refused")
        outgoing = request.copy()
        # From .netrc, an SDK, a redirect: nothing but ours may leave.
        outgoing.headers.pop("Authorization", None)
        outgoing.headers.pop("Cookie", None)
        outgoing.headers["Accept-Encoding"] = ENCODINGS
        if origin == wiring.origin:
            if wiring.credential is None:
                raise self._lacking()
            outgoing.headers["Authorization"] = wiring.credential.header
        else:
            self._check_elsewhere(request.url or "")
        return outgoing

    def _check_elsewhere(self, url: str) -> None:
        # A redirect, or a setting beside the address: what answers there passes for the tracker.
        if self._wiring.check is None:
            return
        try:
            self._wiring.check(url)
        except UnlatchError as error:
            raise Rejected(error.id, error.message, where=error.where, hint=error.hint) from error

    def _lacking(self) -> CredentialMissing:
        return CredentialMissing(
            "credential-missing",
            f"there is no token for {self._wiring.tracker}",
            where=self._wiring.origin.authority,
            hint=self._wiring.missing,
        )

    def _send_and_read(
        self, outgoing: requests.PreparedRequest, options: Mapping[str, Any]
    ) -> requests.Response | Exception:
        """The whole answer, or why there is none."""
        try:
            with self._freshness.kept(), deadline(self._wiring.deadline):
                response = super().send(
                    outgoing, stream=True, timeout=self._wiring.timeouts, **options
                )
                # Read here, so that an answer that breaks off (urllib3 2 compares the lengths) is
                # noticed before the SDK sees it; the SDK's own reading works on what was read.
                read_whole(response)
        except _SILENCES as failure:
            return failure
        return response

    def _cause(self, failure: Exception) -> Silence:
        return Silence(self._wiring.redactor.text(f"{type(failure).__name__}: {failure}"))

    def _judged(
        self, request: requests.PreparedRequest, response: requests.Response, *, write: bool
    ) -> requests.Response:
        answer = Answer(
            method=request.method or "",
            url=request.url or "",
            status=response.status_code,
            headers=response.headers,
            body=response.content,
        )
        error = explained(answer, self._explain, write=write)
        if error is None:
            self._observe_throttling(answer)
            return response
        error = self._settled(error, request, answer)
        self._observe_refusal(error, answer)
        raise error

    def _observe_throttling(self, answer: Answer) -> None:
        # Azure DevOps asks so on a success, and slows down whoever ignores it. With 202 the same
        # header says when a result will be there.
        if answer.status == _ACCEPTED:
            return
        if "Retry-After" in answer.headers:
            self._wiring.gate.hold(answer.retry_after or 0.0, "it asks to slow down")
        pressed = pressed_for(answer.headers)
        if pressed is not None:
            self._wiring.gate.narrow(pressed)

    def _observe_refusal(self, error: TrackerError, answer: Answer) -> None:
        """Hold back the next request, whichever it is, for as long as the tracker asks for."""
        asked = None
        if isinstance(error, Transient):
            asked = error.retry_after
        elif isinstance(error, UnknownOutcome):
            asked = answer.retry_after
        if asked is not None:
            self._wiring.gate.hold(asked, error.message)
            self._wiring.gate.narrow(asked + PRESSED)

    def _settled(
        self, error: TrackerError, request: requests.PreparedRequest, answer: Answer | None = None
    ) -> TrackerError:
        """The error with what a table need not know, and without what nobody may see."""
        redact = self._wiring.redactor
        error.message = redact.message(error.message)
        error.args = (error.message,)
        # A hint is not cut: half an address leads nowhere.
        error.hint = redact.line(error.hint or self._hint(error)) or None
        place = (request.url or "").partition("?")[0]
        error.where = redact.message(error.where or f"{request.method} {place}")
        if answer is not None:
            error.status = error.status or answer.status
            if isinstance(error, Transient):
                error.retry_after = retry_after(error, answer.retry_after)
        return error

    def _hint(self, error: TrackerError) -> str:
        credential = self._wiring.credential
        if credential is None or not isinstance(error, Unauthorised):
            return ""
        return f"the token came from {credential.source}; check that it is valid and may do this"

    def _paused(self, error: TrackerError, attempt: int) -> bool:
        """Wait before the next attempt; False if the wait that was asked for is too long."""
        gate = self._wiring.gate
        if isinstance(error, Transient) and error.retry_after is not None:
            return gate.can_afford(error.retry_after)  # the gate itself waits
        gate.rest(backoff(attempt, jitter=self._wiring.jitter()))
        return True
