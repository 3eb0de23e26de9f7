"""The adapter that sends every request to a tracker.

It repeats a failed read where that is useful, but never a write: no answer proves that a write had
no effect. A tracker, or a proxy before it, may act and then answer 429, or 503 with `Retry-After`.
Delivery repeats a write after it has checked the effect of the first one.
"""

from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

import requests

from unlatch import errors
from unlatch.errors import TrackerError, UnlatchError
from unlatch.transport.account import Account
from unlatch.transport.answer import PRESSED, Answer, Explain, pressed_for
from unlatch.transport.breaker import Breaker, TransportOptions, is_of_server
from unlatch.transport.connections import (
    ENCODINGS,
    FAILURES,
    USER_AGENT,
    BoundedAdapter,
    IdleGuard,
    RedactedFailure,
    deadline,
    read_whole,
)
from unlatch.transport.credentials import Credential
from unlatch.transport.errors import NotAtOnce, error_of_failure, find_error, is_timeout
from unlatch.transport.rate_limits import Gate
from unlatch.transport.request_context import count_request, is_write
from unlatch.transport.trace import Exchange, Redactor
from unlatch.transport.trust import Origin, origin_of
from unlatch.values import dataclass

ATTEMPTS = 3
_FIRST_BACKOFF = 0.4
_GROWTH = 3.0
# GitHub asks for at least a minute if a limit names no time
# (docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api).
_UNNAMED_LIMIT = 60.0
_ACCEPTED = 202


@dataclass(frozen=True, slots=True)
class AdapterContext:
    """The state that all adapters of one transport share."""

    tracker: str
    title: str  # the tracker's, for people
    origin: Origin
    credential: Credential | None
    missing: str
    gate: Gate
    breaker: Breaker
    account: Account
    redactor: Redactor
    check: Callable[[str], None] | None
    options: TransportOptions


class TrackerAdapter(BoundedAdapter):
    """Sends requests by our rules and ignores the settings of the SDK above.

    Every answer that is not a success raises one of our errors, through the SDK.
    """

    def __init__(self, context: AdapterContext, explain: Explain) -> None:
        self._context = context
        self._explain = explain
        self._connections = IdleGuard(context.options.clock, self.close)
        super().__init__()

    def send(  # noqa: PLR0917  # the signature that requests calls
        self,
        request: requests.PreparedRequest,
        stream: bool = False,
        timeout: Any = None,
        verify: bool | str = True,
        cert: Any = None,
        proxies: Mapping[str, str] | None = None,
    ) -> requests.Response:
        """Send a request and read the whole answer; TrackerError without one, or with a failure."""
        write = is_write(request.method or "")
        # A request to this machine must not pass a proxy, with its token.
        origin = origin_of(request.url or "")
        proxies = None if origin.is_loopback else proxies
        options = {"verify": verify or True, "cert": cert, "proxies": proxies}
        breaker = self._context.breaker
        with breaker.admit():
            # A server that failed is not asked more often than there are requests.
            attempts = ATTEMPTS if breaker.is_sound and not write else 1
            for attempt in count(1):
                try:
                    with self._context.gate.admit():
                        response = self._exchange(request, origin, options, write=write)
                except TrackerError as error:
                    repeats = attempt < attempts and self._can_repeat(error)
                    self._count(error, origin, write=write, repeats=repeats)
                    if not repeats or breaker.is_open:
                        raise
                    self._rest(error, attempt)
                else:
                    if origin == self._context.origin:
                        breaker.succeed(write=write, accepted=True)
                    return response
        raise AssertionError  # count() never ends

    def _count(self, error: TrackerError, origin: Origin, *, write: bool, repeats: bool) -> None:
        """Count a failure of the server, or reset the count after an answer.

        A request counts once, since it may fail for its item alone; a silence counts each time.
        """
        if origin != self._context.origin:
            return
        if not is_of_server(error):
            if error.status is not None and not error.withheld:
                self._context.breaker.succeed(write=write, accepted=False)
        elif not repeats or _is_silence(error):
            self._context.breaker.fail(error, write=write, place=origin.authority)

    def _exchange(
        self,
        request: requests.PreparedRequest,
        origin: Origin,
        options: Mapping[str, Any],
        *,
        write: bool,
    ) -> requests.Response:
        outgoing = self._prepare(request, origin)
        context, chosen = self._context, self._context.options
        clock = chosen.clock
        exchange = (
            Exchange(chosen.trace, context.tracker, outgoing, context.redactor, clock, clock())
            if chosen.trace
            else None
        )
        count_request()
        if chosen.on_request:
            chosen.on_request()
        response = self._send_and_read(outgoing, options)
        if not isinstance(response, requests.Response):
            error = error_of_failure(response, write=write)
            if exchange:
                exchange.write_failure(error.message)
            cause = context.redactor.text(f"{type(response).__name__}: {response}")
            failure = RedactedFailure(cause, timed_out=is_timeout(response))
            raise self._complete(error, request) from failure
        response.request = request
        if exchange:
            exchange.write_answer(response)
        return self._check(request, response, write=write)

    def _prepare(
        self, request: requests.PreparedRequest, origin: Origin
    ) -> requests.PreparedRequest:
        """A copy of the request with the credential of its origin, and no other."""
        context = self._context
        if origin.scheme == "http" and not origin.is_loopback:
            raise errors.Rejected("insecure-url", f"plain http to {origin.authority} is refused")
        outgoing = request.copy()
        # These may come from .netrc, an SDK or a redirect; only our own are sent.
        own = context.credential.scheme.header if context.credential else "Authorization"
        for name in ("Authorization", "Cookie", own):
            outgoing.headers.pop(name, None)
        outgoing.headers["Accept-Encoding"] = ENCODINGS
        outgoing.headers["User-Agent"] = USER_AGENT
        if origin != context.origin:
            self._check_elsewhere(request.url or "")
        elif context.credential is None:
            raise errors.CredentialMissing(
                "credential-missing",
                f"no token found for {context.title}",
                where=context.origin.authority,
                hint=context.missing,
            )
        else:
            outgoing.headers[own] = context.credential.header
        return outgoing

    def _check_elsewhere(self, url: str) -> None:
        # After a redirect, or by a setting; the answer is taken for the tracker's.
        try:
            if self._context.check is not None:
                self._context.check(url)
        except UnlatchError as error:
            message, where, hint = error.message, error.where, error.hint
            raise errors.Rejected(error.id, message, where=where, hint=hint) from error

    def _send_and_read(
        self, outgoing: requests.PreparedRequest, options: Mapping[str, Any]
    ) -> requests.Response | Exception:
        chosen = self._context.options
        try:
            with self._connections.request(), deadline(chosen.deadline):
                response = super().send(outgoing, stream=True, timeout=chosen.timeouts, **options)
                # Read here, so that an answer that breaks off (urllib3 2 compares the lengths) is
                # noticed before the SDK sees it; the SDK then gets the content that was read.
                read_whole(response)
        except FAILURES as failure:
            return failure
        return response

    def _check(
        self,
        request: requests.PreparedRequest,
        response: requests.Response,
        *,
        write: bool,
    ) -> requests.Response:
        method, url = request.method or "", request.url or ""
        answer = Answer(method, url, response.status_code, response.headers, response.content)
        error = find_error(answer, self._explain, write=write)
        if error is None:
            self._apply_throttling(answer)
            return response
        error = self._complete(error, request, answer)
        self._apply_refusal(error, answer)
        raise error

    def _apply_throttling(self, answer: Answer) -> None:
        # Azure DevOps asks for it on a success, and slows down clients that ignore it. With 202 the
        # same header says when a result will be ready.
        if answer.status == _ACCEPTED:
            return
        gate = self._context.gate
        if "Retry-After" in answer.headers:
            gate.hold(answer.retry_after or 0.0, "it asks to slow down")
        if (pressed := pressed_for(answer.headers)) is not None:
            gate.serialize(pressed)

    def _apply_refusal(self, error: TrackerError, answer: Answer) -> None:
        """Delay the next request for as long as the tracker asks."""
        seconds = answer.retry_after if isinstance(error, errors.UnknownOutcome) else None
        if isinstance(error, errors.Transient):
            seconds = error.retry_after
        if seconds is not None:
            self._context.gate.hold(seconds, error.message)
            if isinstance(error, errors.Limited):
                self._context.account.note_wait(seconds)
            self._context.gate.serialize(seconds + PRESSED)

    def _complete(
        self, error: TrackerError, request: requests.PreparedRequest, answer: Answer | None = None
    ) -> TrackerError:
        """The error with the facts that error tables leave out, and without secrets."""
        redact = self._context.redactor
        error.message = redact.message(error.message)
        error.args = (error.message,)
        # A hint is not cut: half an address is useless.
        hint, credential = error.hint or "", self._context.credential
        if credential and isinstance(error, errors.Unauthorised):
            is_refused = not isinstance(error, errors.Forbidden)
            if is_refused or not hint:
                step = credential.renewal if is_refused else "check that it may do this"
                hint = f"the token came from {credential.source}; {hint or step}"
        error.hint = redact.line(hint) or None
        place = (request.url or "").partition("?")[0]
        error.where = redact.message(error.where or f"{request.method} {place}")
        if answer is not None:
            error.status = error.status or answer.status
            if isinstance(error, errors.Transient) and error.retry_after is None:
                unnamed = _UNNAMED_LIMIT if isinstance(error, errors.Limited) else None
                error.retry_after = unnamed if answer.retry_after is None else answer.retry_after
        return error

    def _can_repeat(self, error: TrackerError) -> bool:
        """Whether another attempt at once may succeed, and its wait is not too long."""
        if not isinstance(error, errors.Transient) or isinstance(error, NotAtOnce):
            return False
        seconds = error.retry_after
        return seconds is None or self._context.gate.can_afford(seconds)

    def _rest(self, error: TrackerError, attempt: int) -> None:
        """Wait before the next attempt; the gate itself waits for a time that is named."""
        if error.retry_after is None:
            # Jitter keeps many clients from coming back together.
            jitter = 0.5 + self._context.options.jitter() / 2
            self._context.gate.rest(_FIRST_BACKOFF * _GROWTH ** (attempt - 1) * jitter)


def _is_silence(error: TrackerError) -> bool:
    return isinstance(error.__cause__, RedactedFailure) and error.__cause__.timed_out
