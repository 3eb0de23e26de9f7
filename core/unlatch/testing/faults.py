"""Faults between a plugin and any tracker."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from enum import StrEnum

from unlatch.values import dataclass

_READS = frozenset({"GET", "HEAD", "OPTIONS"})
_PAUSE = 2
_JSON = ("Content-Type", "application/json")
_GATEWAY = b"<html><body><h1>502 Bad Gateway</h1></body></html>"


class FaultKind(StrEnum):
    """A kind of fault."""

    # The tracker acts, and the client cannot know.
    LOST_REPLY = "lost-reply"
    FAILED_AFTER = "500-after"
    BUSY_AFTER = "503-after"
    TRUNCATED = "truncated-json"
    TIMEOUT = "read-timeout"
    # The tracker does not act, and the client cannot know that either.
    FAILED_BEFORE = "500-before"
    GATEWAY = "502-html"
    DROPPED = "dropped-connection"
    # The tracker does not act, and says so.
    LIMITED = "429-seconds"
    LIMITED_UNTIL = "429-http-date"
    REDIRECTED = "redirect"
    UNAUTHORISED = "401-midway"
    FORBIDDEN = "403-forbidden"
    STALE = "412-stale-revision"
    REFLECTED = "400-with-the-request-in-it"
    # The tracker acts and answers, after a person changed the item.
    INTERRUPTED = "person-in-between"


_ACTS = frozenset(
    {
        FaultKind.LOST_REPLY,
        FaultKind.FAILED_AFTER,
        FaultKind.BUSY_AFTER,
        FaultKind.TRUNCATED,
        FaultKind.TIMEOUT,
        FaultKind.INTERRUPTED,
    }
)


@dataclass(frozen=True, slots=True)
class Request:
    """A request on its way to the tracker.

    Args:
        target: its path and query, as sent.
        headers: as sent; names in lower case.
    """

    method: str
    target: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)

    @property
    def is_write(self) -> bool:
        """Whether its method may change something."""
        return self.method not in _READS


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer on its way back.

    Args:
        cut: only part of the body is sent, and then the connection ends.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    cut: bool = False


class NoAnswer(StrEnum):
    """The events that replace an answer."""

    CLOSED = "the connection ends"
    HANGING = "nothing comes until the client gives up"


Forward = Callable[[Request], Reply]


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of one request.

    Args:
        kind: the kind of fault.
        number: the request with the fault, of those that `matches` picks, counted from 0.
        matches: picks the requests that count.
        meanwhile: called just before the request is passed on, for a person's act in between.
    """

    kind: FaultKind
    number: int = 0
    matches: Callable[[Request], bool] = lambda _request: True
    meanwhile: Callable[[], None] = lambda: None

    def apply(self, request: Request, forward: Forward, *, here: str) -> Reply | NoAnswer:
        """The client's answer.

        Args:
            forward: lets the tracker act.
            here: the address that the client sent the request to.
        """
        self.meanwhile()
        reply = forward(request) if self.kind in _ACTS else None
        return _answer(self.kind, request, reply, here)


def _answer(kind: FaultKind, request: Request, reply: Reply | None, here: str) -> Reply | NoAnswer:
    if kind in _NO_ANSWERS:
        return _NO_ANSWERS[kind]
    if kind is FaultKind.REFLECTED:
        return _error(400, f"cannot read {request.method} {dict(request.headers)}")
    if kind in _PLAIN:
        return _PLAIN[kind](here)
    if reply is None:
        raise AssertionError(f"{kind} has an answer")
    if kind is FaultKind.TRUNCATED:
        return replace(reply, cut=True) if len(reply.body) > 1 else NoAnswer.CLOSED
    return reply


def _error(status: int, message: str, *headers: tuple[str, str]) -> Reply:
    body = json.dumps({"message": message}).encode()
    return Reply(status, (_JSON, *headers), body)


def _limited(_here: str) -> Reply:
    return _error(429, "too many requests", ("Retry-After", str(_PAUSE)))


def _limited_until(_here: str) -> Reply:
    moment = format_datetime(datetime.now(UTC) + timedelta(seconds=_PAUSE), usegmt=True)
    return _error(429, "too many requests", ("Retry-After", moment))


_NO_ANSWERS: Mapping[FaultKind, NoAnswer] = {
    FaultKind.LOST_REPLY: NoAnswer.CLOSED,
    FaultKind.DROPPED: NoAnswer.CLOSED,
    FaultKind.TIMEOUT: NoAnswer.HANGING,
}
_PLAIN: Mapping[FaultKind, Callable[[str], Reply]] = {
    FaultKind.FAILED_BEFORE: lambda _: _error(500, "internal error"),
    FaultKind.FAILED_AFTER: lambda _: _error(500, "internal error"),
    FaultKind.BUSY_AFTER: lambda _: _error(503, "busy", ("Retry-After", str(_PAUSE))),
    FaultKind.GATEWAY: lambda _: Reply(502, (("Content-Type", "text/html"),), _GATEWAY),
    FaultKind.LIMITED: _limited,
    FaultKind.LIMITED_UNTIL: _limited_until,
    # To itself: a client that follows it would send the write twice.
    FaultKind.REDIRECTED: lambda here: _error(307, "moved", ("Location", here)),
    FaultKind.UNAUTHORISED: lambda _: _error(401, "not authorised"),
    FaultKind.FORBIDDEN: lambda _: _error(403, "this account may not do that"),
    FaultKind.STALE: lambda _: _error(412, "it has changed"),
}
