"""The errors for answers, or missing ones: those of a plugin's table, and general ones."""

import re
import socket
import ssl
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from http.client import IncompleteRead, RemoteDisconnected
from typing import Any

import urllib3
from requests import exceptions

from unlatch import errors
from unlatch.errors import Rejected, TrackerError, Transient, UnknownOutcome
from unlatch.patterns import pattern
from unlatch.spi.text import one_line
from unlatch.transport.answer import Answer, Explain
from unlatch.transport.connections import Malformed, OutOfBounds, TooLarge, TooSlow
from unlatch.values import dataclass

_LONGEST_QUOTE = 300
UNKNOWN_HINT = (
    "whether it took effect is not known; `unlatch sync` checks the item before it tries again"
)


@dataclass(frozen=True, slots=True)
class Row:
    """The error for some answers of a tracker.

    Args:
        status: the HTTP status, or several.
        pattern: searched in the tracker's message, in any case; an empty one is always found,
            but not in the page of a proxy.
        error: the class of the error, by which delivery decides. `Limited` and other `Transient`
            get their `retry_after` from the answer's Retry-After; without one, `Limited` waits a
            minute.
        id: the stable kebab-case name of the error.
        message: the problem; `{said}` stands for the tracker's message.
        hint: the next step, with the same words in braces.
        header: search `pattern` in this header instead; an answer without it does not match.
        methods: the methods of the request; by default all.
        path: the end of the requested address, without its query.
        remedy: the option of `unlatch sync` with which another attempt can succeed.
    """

    status: int | Container[int]
    pattern: str
    error: type[TrackerError]
    id: str
    message: str
    hint: str | None = None
    header: str | None = None
    methods: Container[str] | None = None
    path: str = ""
    remedy: str | None = None

    def matches(self, answer: Answer, said: Callable[[Answer], str]) -> bool:
        """Whether the row describes `answer`."""
        statuses = (self.status,) if isinstance(self.status, int) else self.status
        if answer.status not in statuses or not answer.path.endswith(self.path):
            return False
        if self.methods is not None and answer.method not in self.methods:
            return False
        if not self.pattern and self.header is None and answer.is_foreign:
            return False
        text = said(answer) if self.header is None else answer.headers.get(self.header)
        return text is not None and re.search(self.pattern, text, re.IGNORECASE) is not None


def first_error(
    table: Iterable[Row],
    answer: Answer,
    said: Callable[[Answer], str] = lambda answer: answer.text,
    words: Callable[[Answer], Mapping[str, str]] = lambda _: {},
) -> TrackerError | None:
    """The error of the first row that matches; None to leave the answer to the general rules.

    Args:
        said: the tracker's message in an answer; by default the whole of its text.
        words: the values of further words in braces; it may replace `said` for people.
    """
    row = next((row for row in table if row.matches(answer, said)), None)
    if row is None:
        return None
    message = quoted(said(answer)) or f"HTTP {answer.status}"
    values = {"said": message, **words(answer)}
    hint = row.hint and row.hint.format_map(values)
    error = row.error(row.id, row.message.format_map(values), hint=hint, status=answer.status)
    error.remedy = row.remedy
    return error


def quoted(text: str) -> str:
    """A tracker's text for a message: one line, cut, without control characters."""
    return one_line(text)[:_LONGEST_QUOTE]


def unreadable(
    message: str, *, write: bool, where: str | None = None, hint: str | None = None
) -> TrackerError:
    """The error for a success that is not in the tracker's format.

    Args:
        write: whether it answers a write, which may have taken effect.
        hint: the next step after a read; after a write it is `unlatch sync`.
    """
    if write:
        return UnknownOutcome("unknown-outcome", message, where=where, hint=UNKNOWN_HINT)
    return Rejected("answer-not-understood", message, where=where, hint=hint)


_CONFLICT = (errors.Conflict, "conflict", "reports a change in between")
_CLIENT_ERRORS: dict[int, tuple[type[TrackerError], str, str]] = {
    401: (errors.Unauthorised, "unauthorized", "does not accept the token"),
    403: (errors.Forbidden, "forbidden", "does not allow this with the token"),
    404: (errors.NotFound, "item-not-found", "does not know the item, or does not show it"),
    409: _CONFLICT,
    412: _CONFLICT,
    429: (errors.Limited, "rate-limited", "asks to slow down"),
}
_OTHER_ERROR = (errors.Rejected, "tracker-rejected", "refuses the request")
# Without a connection, nothing of the request was sent. A ProxyError alone does not say so: urllib3
# also raises it when a connection through a proxy ends before the answer.
_NEVER_SENT = (
    exceptions.ConnectTimeout,
    urllib3.exceptions.NewConnectionError,
    urllib3.exceptions.ConnectTimeoutError,
    urllib3.exceptions.ClosedPoolError,
)
_INVALID = (
    exceptions.InvalidURL,
    exceptions.InvalidSchema,
    exceptions.MissingSchema,
    exceptions.InvalidProxyURL,
    exceptions.InvalidHeader,
    urllib3.exceptions.LocationValueError,
)
# If the token is the cause, the adapter adds where it came from.
_HINTS = {
    "item-not-found": "check its address, and that the token's account may see it",
    "conflict": "run the command again",
    "rate-limited": "wait a while, then run the command again",
    "tracker-rejected": "`--trace-http FILE` shows the request and the whole answer",
}
_WEB_PAGE = "a web page came instead of data"
_PAGE_HINT = "check the address; a sign-in page or a proxy may stand in front of the tracker"
_TITLE = pattern(r"<title[^<>]*+>([^<]*+)<", re.IGNORECASE)
_LATER_HINT = "the tracker may be down; run the command again later"


class NotAtOnce(Transient):
    """A read failed, and would fail again at once."""


class CutOff(NotAtOnce):
    """The answer to a read exceeded a limit."""


def find_error(answer: Answer, explain: Explain, *, write: bool) -> TrackerError | None:
    """The error of a complete answer by a plugin's table, or else by the general rules.

    A table cannot turn a server error on a write into a refusal: the tracker may have acted first.
    """
    error = explain(answer) or general_error(answer, write=write)
    if write and isinstance(error, Transient) and _is_server_error(answer.status):
        return _failed(error.message, write=True, status=answer.status)
    return error


def general_error(answer: Answer, *, write: bool) -> TrackerError | None:
    """The error of a complete answer; None for a success, or a redirect of a read."""
    status = answer.status
    if answer.is_foreign:
        return _web_page(answer, write=write)
    if status < 300:  # noqa: PLR2004
        return _unreadable_success(answer, write=write)
    if status < 400:  # noqa: PLR2004
        return _redirect(answer, write=write) if status != 304 else None  # noqa: PLR2004
    if _is_server_error(status):
        message = f"the tracker failed: {status}{quoted_message(answer)}"
        return _failed(message, write=write, status=status)
    kind, name, words = _CLIENT_ERRORS.get(status, _OTHER_ERROR)
    message = f"the tracker {words}: {status}{quoted_message(answer)}"
    return kind(name, message, hint=_HINTS.get(name), status=status)


def _unreadable_success(answer: Answer, *, write: bool) -> TrackerError | None:
    body = answer.body.strip()
    if answer.method == "HEAD":
        return None
    kind = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if not body:
        # A 204 has no content, whatever type it names.
        is_lost = kind == "application/json" and answer.status == 200 and not write  # noqa: PLR2004
        return _broken("it is empty", write=False, status=answer.status) if is_lost else None
    # Libraries read a body as JSON even if its type says otherwise.
    is_json = kind == "application/json" or kind.endswith("+json") or body.startswith((b"{", b"["))
    if is_json and body != b"null" and answer.json() is None:
        return _broken("its JSON cannot be read", write=write, status=answer.status)
    return _web_page(answer, write=write) if answer.is_web_page else None


def _web_page(answer: Answer, *, write: bool) -> TrackerError:
    """The error for a page, which says nothing about the item: it may be gone later."""
    from html import unescape  # noqa: PLC0415  (with the names of 2,000 characters)

    title = _TITLE.search(answer.text)
    message = f"{_WEB_PAGE}: {answer.status}"
    if title and (words := unescape(title[1]).strip()):
        message += f", {words}"
    if write:
        return _failed(message, write=True, status=answer.status)
    return NotAtOnce("not-the-api", message, hint=_PAGE_HINT, status=answer.status)


def _redirect(answer: Answer, *, write: bool) -> TrackerError | None:
    place = answer.headers.get("Location")
    if not write:
        # An SDK would take a redirect without an address for a success.
        return None if place else _broken("a redirect to nowhere", write=False)
    message = f"the tracker redirected the write, without effect, to {place or 'nowhere'}"
    hint = "the item or its target was moved or renamed: link it again"
    return errors.Redirected("redirected-write", message, hint=hint, status=answer.status)


def _is_server_error(status: int) -> bool:
    # 408 says that the server stopped waiting, not that it did nothing.
    return status == 408 or status >= 500  # noqa: PLR2004


def _broken(why: str, *, write: bool, status: int | None = None) -> TrackerError:
    return _failed(f"the tracker's answer is broken: {why}", write=write, status=status)


def _failed(message: str, *, write: bool, status: int | None = None) -> TrackerError:
    if write:
        return errors.UnknownOutcome("unknown-outcome", message, hint=UNKNOWN_HINT, status=status)
    return Transient("tracker-unavailable", message, hint=_LATER_HINT, status=status)


def error_of_failure(
    failure: Exception, *, write: bool, server: str = "the tracker"
) -> TrackerError:
    """The error of a request that got no complete answer from `server`, as messages name it.

    It never quotes the failure, which may contain an address with a password.
    """
    causes = tuple(causes_of(failure))
    if _any_is(causes, ssl.SSLCertVerificationError):
        message = f"this machine does not trust {server}'s certificate"
        hint = "set REQUESTS_CA_BUNDLE to the CA bundle that signed it"
        return errors.Rejected("certificate-not-trusted", message, hint=hint)
    if isinstance(failure, _INVALID):
        message = f"the request cannot be sent: {type(failure).__name__}"
        return errors.Rejected("request-invalid", message)
    if type(failure) is OSError:  # requests raises a bare one for this alone
        message = "the CA bundle in the environment cannot be read"
        hint = "correct REQUESTS_CA_BUNDLE or CURL_CA_BUNDLE"
        return errors.Rejected("ca-bundle-missing", message, hint=hint)
    if _any_is(causes, *_NEVER_SENT) or any(map(_refuses_tunnel, causes)):
        return _unreachable(causes, server)
    if _any_is(causes, OutOfBounds):
        cut = error_of_cut(failure, server=server)
        return _failed(cut.message, write=True) if write else cut
    return _failed(f"no answer came from {server}: {_in_words(causes)}", write=write)


def error_of_cut(failure: Exception, *, server: str) -> CutOff:
    """The error for an answer that broke off."""
    message = f"{server}'s answer was cut off: {_in_words(tuple(causes_of(failure)))}"
    return CutOff("tracker-unavailable", message, hint=_LATER_HINT)


def is_timeout(failure: BaseException) -> bool:
    """Whether a server let the time of a request pass."""
    timeouts = exceptions.Timeout, urllib3.exceptions.TimeoutError, TooSlow
    return _any_is(tuple(causes_of(failure)), *timeouts)


def _refuses_tunnel(cause: BaseException) -> bool:
    # The message of http.client and urllib3 when a proxy answers CONNECT with an error.
    return type(cause) is OSError and str(cause).startswith("Tunnel connection failed")


def _unreachable(causes: tuple[BaseException, ...], server: str) -> errors.Unreachable:
    if _any_is(causes, exceptions.ProxyError):
        message = "the proxy cannot be reached, or refuses the connection"
        hint = "check HTTPS_PROXY and NO_PROXY"
        return errors.Unreachable("proxy-unreachable", message, hint=hint)
    message = f"{server} cannot be reached: {_in_words(causes)}"
    hint = "check the network and the configured address"
    return errors.Unreachable("tracker-unreachable", message, hint=hint)


def causes_of(failure: BaseException) -> Iterator[BaseException]:
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


_CAUSES: tuple[tuple[tuple[type[BaseException], ...], str], ...] = (
    ((TooLarge,), "it is too large"),
    ((TooSlow,), "it was not complete in time"),
    ((Malformed, exceptions.ContentDecodingError), "the answer's encoding is broken"),
    ((socket.gaierror,), "its name cannot be resolved"),
    ((ConnectionRefusedError,), "the connection was refused"),
    ((exceptions.ConnectTimeout,), "connecting took too long"),
    ((exceptions.ReadTimeout, urllib3.exceptions.ReadTimeoutError), "it took too long"),
    ((IncompleteRead, exceptions.ChunkedEncodingError), "the answer broke off"),
    ((ssl.SSLError,), "the encrypted connection failed"),
    ((RemoteDisconnected, BrokenPipeError), "the connection was closed"),
    ((ConnectionResetError,), "the connection was reset"),
    ((exceptions.ConnectionError,), "the connection was closed"),
)


def _in_words(causes: tuple[BaseException, ...]) -> str:
    phrases = (words for kinds, words in _CAUSES if _any_is(causes, *kinds))
    return next(phrases, type(causes[0]).__name__)


def _any_is(causes: tuple[BaseException, ...], *kinds: type[BaseException]) -> bool:
    return any(isinstance(cause, kinds) for cause in causes)


def quoted_message(answer: Answer) -> str:
    """The server's own message, after a comma, or nothing."""
    words = _message_in(answer.json())
    if not words and not answer.body.lstrip().startswith((b"<", b"{", b"[")):
        words = answer.text.strip()
    return f", {words}" if words else ""


def _message_in(document: Any) -> str:
    """The message in an error document, in the shapes that trackers and models' servers use."""
    if not isinstance(document, dict):
        return ""
    keys = (
        "message",
        "errorMessage",
        "errorMessages",
        "errors",
        "error_description",
        "error",
        "detail",
    )
    parts = (part for key in keys for part in _strings(document.get(key)))
    return "; ".join(dict.fromkeys(parts))


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for item in value for text in _strings(item)]
    if isinstance(value, dict):
        if isinstance(message := value.get("message"), str):
            return [message]
        return [f"{key}: {text}" for key, text in value.items() if isinstance(text, str)]
    return []
