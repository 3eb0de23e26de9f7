"""The general rules: what an answer or its absence means, where a plugin's table has no say."""

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
    NotFound,
    Rejected,
    TrackerError,
    Transient,
    Unauthorised,
    UnknownOutcome,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from unlatch.transport.answer import Answer

_CLIENT_ERRORS: Mapping[int, tuple[type[TrackerError], str, str]] = MappingProxyType(
    {
        401: (Unauthorised, "unauthorised", "does not accept the token"),
        403: (Unauthorised, "forbidden", "does not allow this to the token"),
        404: (NotFound, "item-not-found", "does not know the item, or does not show it"),
        409: (Conflict, "conflict", "says that something changed in between"),
        412: (Conflict, "conflict", "says that something changed in between"),
        429: (Transient, "rate-limited", "asks to slow down"),
    }
)
# Nothing of the request has left this machine, or nothing but the beginning of a connection.
_NEVER_SENT = (
    requests.exceptions.ConnectTimeout,
    requests.exceptions.ProxyError,
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
# Where the token is to blame, the adapter says which one it was.
_HINTS: Mapping[str, str] = MappingProxyType(
    {
        "item-not-found": "check its address, and that the token's account may see it",
        "conflict": "run the command again",
        "rate-limited": "wait a while, then run the command again",
        "tracker-rejected": "`--trace-http FILE` shows the request and the whole answer",
    }
)
_LATER_HINT = "the tracker may be down; run the command again later"
UNKNOWN_HINT = "whether it took effect is not known; `unlatch sync` looks before it tries again"


def judge(answer: Answer, *, write: bool) -> TrackerError | None:
    """What a complete answer means; None if it is a success, or a redirect of a read."""
    if answer.status < 300:  # noqa: PLR2004
        return _success(answer, write=write)
    if answer.status < 400:  # noqa: PLR2004
        return _redirect(answer) if write and answer.status != 304 else None  # noqa: PLR2004
    if answer.status == 408 or answer.status >= 500:  # noqa: PLR2004
        return _server_error(answer, write=write)
    kind, name, words = _CLIENT_ERRORS.get(
        answer.status, (Rejected, "tracker-rejected", "refuses the request")
    )
    message = f"the tracker {words}: {answer.status}{_said(answer)}"
    if kind is Transient:
        return Transient(
            name,
            message,
            retry_after=answer.retry_after,
            hint=_HINTS.get(name),
            status=answer.status,
        )
    return kind(name, message, hint=_HINTS.get(name), status=answer.status)


def _success(answer: Answer, *, write: bool) -> TrackerError | None:
    if not answer.body.strip() or answer.method == "HEAD":
        return None
    kind = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if (kind == "application/json" or kind.endswith("+json")) and not _parses(answer):
        return broken("its JSON cannot be read", write=write, status=answer.status)
    if kind == "text/html" and answer.body.lstrip().startswith(b"<"):
        return _web_page(answer, write=write)
    return None


def _parses(answer: Answer) -> bool:
    return answer.json() is not None or answer.body.strip() == b"null"


def _web_page(answer: Answer, *, write: bool) -> TrackerError:
    if write:
        return broken("a web page came instead of data", write=True, status=answer.status)
    return Rejected(
        "not-the-api",
        "a web page came instead of data",
        hint="check the address; a sign-in page or a proxy may stand in front of the tracker",
        status=answer.status,
    )


def _redirect(answer: Answer) -> TrackerError:
    place = answer.headers.get("Location", "nowhere")
    return Rejected(
        "redirected-write",
        f"the tracker took nothing and points to another place: {place}",
        hint="the item or its target was moved or renamed: link it again",
        status=answer.status,
    )


def _server_error(answer: Answer, *, write: bool) -> TrackerError:
    message = f"the tracker failed: {answer.status}{_said(answer)}"
    asked = answer.retry_after
    if write and not (answer.status == 503 and asked is not None):  # noqa: PLR2004
        return UnknownOutcome("unknown-outcome", message, hint=UNKNOWN_HINT, status=answer.status)
    return Transient(
        "tracker-unavailable", message, retry_after=asked, hint=_LATER_HINT, status=answer.status
    )


def broken(why: str, *, write: bool, status: int | None = None) -> TrackerError:
    """An answer that cannot be trusted to be what the tracker sent."""
    message = f"the tracker's answer is broken: {why}"
    if write:
        return UnknownOutcome("unknown-outcome", message, hint=UNKNOWN_HINT, status=status)
    return Transient("tracker-unavailable", message, hint=_LATER_HINT, status=status)


def explain_silence(failure: Exception, *, write: bool) -> TrackerError:
    """What it means that no complete answer came.

    Never the failure's own words: they may hold an address with a password in it.
    """
    causes = tuple(_causes(failure))
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return Rejected(
            "certificate-not-trusted",
            "the tracker's certificate is not one that this machine trusts",
            hint="name the CA bundle that signed it in REQUESTS_CA_BUNDLE",
        )
    if isinstance(failure, _INVALID):
        return Rejected("request-invalid", f"the request cannot be sent: {_kind(failure)}")
    if isinstance(failure, OSError) and not isinstance(failure, requests.RequestException):
        return Rejected(
            "ca-bundle-missing",
            "the CA bundle that the environment names cannot be read",
            hint="correct REQUESTS_CA_BUNDLE or CURL_CA_BUNDLE",
        )
    if any(isinstance(cause, _NEVER_SENT) for cause in causes):
        return _unreachable(causes)
    message = f"no answer came from the tracker: {_in_words(causes)}"
    if write:
        return UnknownOutcome("unknown-outcome", message, hint=UNKNOWN_HINT)
    return Transient("tracker-unavailable", message, hint=_LATER_HINT)


def _unreachable(causes: tuple[BaseException, ...]) -> Transient:
    if any(isinstance(cause, requests.exceptions.ProxyError) for cause in causes):
        return Transient(
            "proxy-unreachable",
            "the proxy cannot be reached, or refuses the connection",
            hint="check HTTPS_PROXY and NO_PROXY",
        )
    return Transient(
        "tracker-unreachable",
        f"the tracker cannot be reached: {_in_words(causes)}",
        hint="check the network and the configured address",
    )


def _causes(failure: BaseException) -> Iterator[BaseException]:
    """The failure and whatever it was made of; requests and urllib3 nest in three ways."""
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
    return _kind(causes[0])


def _kind(failure: BaseException) -> str:
    return type(failure).__name__


def _said(answer: Answer) -> str:
    """The tracker's own words, after a comma, or nothing."""
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
