"""Post documents to one address, and read the answers as they arrive."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import requests

from unlatch.transport.answer import MOST_BYTES, MOST_ERROR_BYTES
from unlatch.transport.connections import (
    FAILURES,
    USER_AGENT,
    BoundedAdapter,
    Malformed,
    RedactedFailure,
    TooLarge,
    TooSlow,
    deadline,
)
from unlatch.transport.errors import causes_of, error_of_cut, error_of_failure
from unlatch.transport.request_context import count_request
from unlatch.transport.trace import Exchange, Redactor
from unlatch.transport.trust import origin_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from unlatch.errors import TrackerError
    from unlatch.transport.breaker import TransportOptions
    from unlatch.transport.credentials import Credential

_NAME = "llm"  # in traces
_SERVER = "the model server"  # in messages
_PIECE = 16 * 1024
_ERRORS = 400


class Endpoint:
    """One address, which must have been checked with `check_secure`, and its key.

    The key is sent nowhere else: no redirect is followed.
    """

    def __init__(
        self, url: str, *, credential: Credential | None, options: TransportOptions
    ) -> None:
        self.url = url
        self.redactor = Redactor(*(credential.forms if credential else ()))
        self._credential = credential
        self._options = options

    def __repr__(self) -> str:
        return f"Endpoint({self.url.partition('?')[0]!r})"

    @contextmanager
    def post(self, document: Mapping[str, Any]) -> Iterator[StreamedAnswer]:
        """Send a document once; the answer can be read until the block ends.

        TrackerError: there was no answer. ValueError: the document cannot be
        written as JSON.
        """
        request, options = self._prepare(document), self._options
        exchange = None
        if options.trace:
            clock = options.clock
            exchange = Exchange(options.trace, _NAME, request, self.redactor, clock, clock())
        count_request()
        with closing(BoundedAdapter()) as adapter, deadline(options.deadline):
            response = self._send(adapter, request)
            if not isinstance(response, requests.Response):
                raise self._failed(response, exchange)
            answer = StreamedAnswer(response, self._cut_off)
            try:
                yield answer
            finally:
                answer.close()
                if exchange:
                    exchange.write_answer(response, answer.failure)

    def _prepare(self, document: Mapping[str, Any]) -> requests.PreparedRequest:
        # Without a session: no netrc, no cookies, no redirects.
        headers = {"Accept-Encoding": "identity", "User-Agent": USER_AGENT}
        request = requests.Request("POST", self.url, headers=headers, json=document).prepare()
        if self._credential is not None:
            request.headers[self._credential.scheme.header] = self._credential.header
        return request

    def _send(
        self, adapter: BoundedAdapter, request: requests.PreparedRequest
    ) -> requests.Response | Exception:
        session = requests.Session()
        chosen = session.merge_environment_settings(
            self.url, {}, stream=True, verify=True, cert=None
        )
        # A request to this machine must not pass a proxy, with its key.
        proxies = None if origin_of(self.url).is_loopback else chosen["proxies"]
        try:
            return adapter.send(
                request,
                stream=True,
                timeout=self._options.timeouts,
                verify=chosen["verify"] or True,
                cert=chosen["cert"],
                proxies=proxies,
            )
        except FAILURES as failure:
            return failure

    def _failed(self, failure: Exception, exchange: Exchange | None) -> TrackerError:
        if any(isinstance(cause, TooSlow) for cause in causes_of(failure)):
            failure = requests.ReadTimeout()  # there is no answer to cut off
        error = error_of_failure(failure, write=False, server=_SERVER)
        if exchange:
            exchange.write_failure(error.message)
        error.__cause__ = self._redacted(failure)
        return error

    def _cut_off(self, failure: Exception) -> TrackerError:
        error = error_of_cut(failure, server=_SERVER)
        error.__cause__ = self._redacted(failure)
        return error

    def _redacted(self, failure: Exception) -> RedactedFailure:
        return RedactedFailure(self.redactor.text(f"{type(failure).__name__}: {failure}"))


class StreamedAnswer:
    """The answer to one request, until it is closed."""

    def __init__(
        self, response: requests.Response, cut_off: Callable[[Exception], TrackerError]
    ) -> None:
        self._response = response
        self._cut_off = cut_off
        self._body = bytearray()
        self.failure = ""

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self._response.status_code

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers, looked up without regard to case."""
        return self._response.headers

    def pieces(self) -> Iterator[bytes]:
        """The body, each piece as soon as it arrives.

        CutOff: it broke off, is larger than `MOST_BYTES` (`MOST_ERROR_BYTES` of an error status),
        took longer than the deadline, or has an encoding that the request did not accept.
        """
        while piece := self._read():
            yield piece

    def close(self) -> None:
        """Close the connection, so that the server stops writing."""
        self._response.close()
        # For the trace; requests has no public setter.
        self._response._content = bytes(self._body)  # noqa: SLF001

    def _read(self) -> bytes:
        most = MOST_BYTES if self.status < _ERRORS else MOST_ERROR_BYTES
        failure: Exception
        try:
            if self.headers.get("Content-Encoding", "identity").strip().lower() != "identity":
                raise Malformed
            # `iter_content` would wait until a whole piece has arrived.
            piece: bytes = self._response.raw.read1(_PIECE)
            self._body += piece
            if len(self._body) > most:
                raise TooLarge
        except FAILURES as caught:
            failure = caught
        except ValueError as caught:  # from http.client, for a chunk of negative size
            failure = Malformed(str(caught))
        else:
            return piece
        error = self._cut_off(failure)
        self.failure = error.message
        raise error
