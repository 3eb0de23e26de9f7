"""Which error an answer, or the lack of one, means if a plugin's own table has none for it."""

from __future__ import annotations

import socket
import ssl
from http.client import RemoteDisconnected
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import requests
import urllib3

from unlatch.errors import (
    Conflict,
    Forbidden,
    Limited,
    NotFound,
    Redirected,
    Rejected,
    TrackerError,
    Transient,
    Unauthorised,
    UnknownOutcome,
    Unreachable,
)
from unlatch.transport.connections import Malformed, OutOfBounds, TooLarge, TooSlow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from unlatch.transport.answer import Answer, Explain

_CLIENT_ERRORS: Mapping[int, tuple[type[TrackerError], str, str]] = MappingProxyType(
    {
        401: (Unauthorised, "unauthorised", "does not accept the token"),
        403: (Forbidden, "forbidden", "does not allow this to the token"),
        404: (NotFound, "item-not-found", "does not know the item, or does not show it"),
        409: (Conflict, "conflict", "says that something changed in between"),
        412: (Conflict, "conflict", "says that something changed in between"),
        429: (Limited, "rate-limited", "asks to slow down"),
    }
)
# Without a connection, nothing of the request was sent. A ProxyError alone does not say so: urllib3
# also raises it when a connection through a proxy ends before the answer.
_NEVER_SENT = (
    requests.exceptions.ConnectTimeout,
    urllib3.exceptions.NewConnectionError,
    urllib3.exceptions.ConnectTimeoutError,
    urllib3.exceptions.ClosedPoolError,
)
_INVALID = (
    requests.exceptions.InvalidURL,
    requests.exceptions.InvalidSchema,
    requests.exceptions.MissingSchema,
    requests.exceptions.InvalidProxyURL,
    requests.exceptions.InvalidHeader,
    urllib3.exceptions.LocationValueError,
)
# If the token is the cause, the adapter adds where it came from.
_HINTS: Mapping[str, str] = MappingProxyType(
    {
        "item-not-found": "check its address, and that the token's account may see it",
        "conflict": "run the command again",
        "rate-limited": "wait a while, then run the command again",
        "tracker-rejected": "`--trace-http FILE` shows the request and the whole answer",
    }
)
_WEB_PAGE = "a web page came instead of data"
_LATER_HINT = "the tracker may be down; run the command again later"
_UNKNOWN_HINT = "whether it took effect is not known; `unlatch sync` looks before it tries again"


class CutOff(Transient):
    """The answer to a read exceeded a limit; another attempt at once would exceed it again."""


def find_error(answer: Answer, explain: Explain, *, write: bool) -> TrackerError | None:
    """The error of a complete answer by a plugin's table, or else by the general rules.

    A table cannot turn a server error on a write into a refusal: the tracker may have acted first.
    """
    error = explain(answer) or general_error(answer, write=write)
    if write and isinstance(error, Transient) and _is_server_error(answer.status):
        return _unknown(error.message, status=answer.status)
    return error


def general_error(answer: Answer, *, write: bool) -> TrackerError | None:
    """The error of a complete answer; None for a success, or a redirect of a read."""
    status = answer.status
    if status < 300:  # noqa: PLR2004
        return _unreadable_success(answer, write=write)
    if status < 400:  # noqa: PLR2004
        return _redirect(answer, write=write) if status != 304 else None  # noqa: PLR2004
    if _is_server_error(status):
        message = f"the tracker failed: {status}{_quoted_message(answer)}"
        return _failed(message, write=write, status=status)
    kind, name, words = _CLIENT_ERRORS.get(
        status, (Rejected, "tracker-rejected", "refuses the request")
    )
    message = f"the tracker {words}: {status}{_quoted_message(answer)}"
    return kind(name, message, hint=_HINTS.get(name), status=status)


def _unreadable_success(answer: Answer, *, write: bool) -> TrackerError | None:
    body = answer.body.strip()
    if not body or answer.method == "HEAD":
        return None
    kind = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    # Libraries read a body as JSON whatever its type says.
    is_json = kind == "application/json" or kind.endswith("+json") or body.startswith((b"{", b"["))
    if is_json and body != b"null" and answer.json() is None:
        return _broken("its JSON cannot be read", write=write, status=answer.status)
    if kind == "text/html" and body.startswith(b"<"):
        return _web_page(answer, write=write)
    return None


def _web_page(answer: Answer, *, write: bool) -> TrackerError:
    if write:
        return _broken(_WEB_PAGE, write=True, status=answer.status)
    return Rejected(
        "not-the-api",
        _WEB_PAGE,
        hint="check the address; a sign-in page or a proxy may stand in front of the tracker",
        status=answer.status,
    )


def _redirect(answer: Answer, *, write: bool) -> TrackerError | None:
    place = answer.headers.get("Location")
    if not write:
        # An SDK would take a redirect without an address for a success.
        return None if place else _broken("a redirect to nowhere", write=False)
    return Redirected(
        "redirected-write",
        f"the tracker took nothing and points to another place: {place or 'nowhere'}",
        hint="the item or its target was moved or renamed: link it again",
        status=answer.status,
    )


def _is_server_error(status: int) -> bool:
    # 408 says that the server stopped waiting, not that it did nothing.
    return status == 408 or status >= 500  # noqa: PLR2004


def _broken(why: str, *, write: bool, status: int | None = None) -> TrackerError:
    return _failed(f"the tracker's answer is broken: {why}", write=write, status=status)


def _failed(
    message: str,
    *,
    write: bool,
    status: int | None = None,
    transient: type[Transient] = Transient,
) -> TrackerError:
    if write:
        return _unknown(message, status=status)
    return transient("tracker-unavailable", message, hint=_LATER_HINT, status=status)


def _unknown(message: str, *, status: int | None) -> UnknownOutcome:
    return UnknownOutcome("unknown-outcome", message, hint=_UNKNOWN_HINT, status=status)


def error_of_failure(failure: Exception, *, write: bool) -> TrackerError:
    """The error of a request that got no complete answer.

    It never quotes the failure, which may contain an address with a password.
    """
    causes = tuple(_causes(failure))
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return Rejected(
            "certificate-not-trusted",
            "the tracker's certificate is not one that this machine trusts",
            hint="name the CA bundle that signed it in REQUESTS_CA_BUNDLE",
        )
    if isinstance(failure, _INVALID):
        kind = type(failure).__name__
        return Rejected("request-invalid", f"the request cannot be sent: {kind}")
    if type(failure) is OSError:  # requests raises a bare one for this alone
        return Rejected(
            "ca-bundle-missing",
            "the CA bundle that the environment names cannot be read",
            hint="correct REQUESTS_CA_BUNDLE or CURL_CA_BUNDLE",
        )
    if any(isinstance(cause, _NEVER_SENT) or _refuses_tunnel(cause) for cause in causes):
        return _unreachable(causes)
    if any(isinstance(cause, OutOfBounds) for cause in causes):
        message = f"the tracker's answer was cut off: {_in_words(causes)}"
        return _failed(message, write=write, transient=CutOff)
    return _failed(f"no answer came from the tracker: {_in_words(causes)}", write=write)


def _refuses_tunnel(cause: BaseException) -> bool:
    # The message of http.client and urllib3 when a proxy answers CONNECT with an error.
    return type(cause) is OSError and str(cause).startswith("Tunnel connection failed")


def _unreachable(causes: tuple[BaseException, ...]) -> Unreachable:
    if any(isinstance(cause, requests.exceptions.ProxyError) for cause in causes):
        return Unreachable(
            "proxy-unreachable",
            "the proxy cannot be reached, or refuses the connection",
            hint="check HTTPS_PROXY and NO_PROXY",
        )
    return Unreachable(
        "tracker-unreachable",
        f"the tracker cannot be reached: {_in_words(causes)}",
        hint="check the network and the configured address",
    )


def _causes(failure: BaseException) -> Iterator[BaseException]:
    """The failure and its causes; requests and urllib3 nest them in three ways."""
    seen: list[BaseException] = []
    waiting: list[Any] = [failure]
    while waiting:
        cause = waiting.pop()
        if not isinstance(cause, BaseException) or any(cause is other for other in seen):
            continue
        seen.append(cause)
        waiting += [cause.__cause__, getattr(cause, "reason", None), *cause.args]
        yield cause


_WORDS: tuple[tuple[type[BaseException], str], ...] = (
    (TooLarge, "it is too large"),
    (TooSlow, "it was not complete in time"),
    (Malformed, "the answer's encoding is broken"),
    (socket.gaierror, "its name cannot be resolved"),
    (ConnectionRefusedError, "the connection was refused"),
    (requests.exceptions.ConnectTimeout, "connecting took too long"),
    (requests.exceptions.ReadTimeout, "it took too long"),
    (urllib3.exceptions.ReadTimeoutError, "it took too long"),
    (urllib3.exceptions.IncompleteRead, "the answer broke off"),
    (requests.exceptions.ChunkedEncodingError, "the answer broke off"),
    (requests.exceptions.ContentDecodingError, "the answer's encoding is broken"),
    (ssl.SSLError, "the encrypted connection failed"),
    (RemoteDisconnected, "the connection was closed"),
    (ConnectionResetError, "the connection was reset"),
    (BrokenPipeError, "the connection was closed"),
    (requests.exceptions.ConnectionError, "the connection was closed"),
)


def _in_words(causes: tuple[BaseException, ...]) -> str:
    for kind, words in _WORDS:
        if any(isinstance(cause, kind) for cause in causes):
            return words
    return type(causes[0]).__name__


def _quoted_message(answer: Answer) -> str:
    """The tracker's own message, after a comma, or nothing."""
    words = _message_in(answer.json())
    if not words and not answer.body.lstrip().startswith((b"<", b"{", b"[")):
        words = answer.text.strip()
    return f", {words}" if words else ""


def _message_in(document: Any) -> str:
    """The message in an error document, in the shapes that trackers use."""
    if not isinstance(document, dict):
        return ""
    parts: list[str] = []
    for key in ("message", "errorMessage", "errorMessages", "errors", "error_description", "error"):
        parts += _strings(document.get(key))
    return "; ".join(dict.fromkeys(parts))


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for item in value for text in _strings(item)]
    if isinstance(value, dict):
        message = value.get("message")
        if isinstance(message, str):
            return [message]
        return [f"{key}: {text}" for key, text in value.items() if isinstance(text, str)]
    return []
