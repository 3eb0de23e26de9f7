"""Faults of one request: answers by status, header and effect, or no answer."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from itertools import product
from typing import Any

from unlatch.errors import Unauthorised, UnknownOutcome, UnlatchError
from unlatch_sandbox import Fault

# A server hangs for so much longer than its client waits.
_LONGER = 0.2
# An effect comes so many seconds after its connection ended, and no settle time is waited for.
_LATE = 0.15
# Of these the trackers' documentation says that nothing was done. No such answer comes after it.
_REFUSALS = (401, 403, 404, 409, 412, 422)
_LIMIT = 429
_FAILURES = (500, 502, 503, 504)
_HEADERS: Mapping[str, Mapping[str, str]] = {
    "": {},
    ", retry in 2 s": {"Retry-After": "2"},
    ", retry at a past date": {"Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"},
    ", retry in 600 s": {"Retry-After": "600"},
    ", quota used up": {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"},
}
# Seconds that a limit may ask for, and is waited for.
_SHORT = ("", ", retry in 2 s", ", retry at a past date")
_TRACKERS = ("github", "ado", "jira")


class Effect(Enum):
    """Whether the tracker carries out the struck request."""

    NONE = "before"
    DONE = "after"
    PRETENDED = "without effect"


class Known(Enum):
    """The client's knowledge about a struck write."""

    DELIVERED = "it is delivered in the same run"
    UNKNOWN = "whether it took effect is not known"
    UNAUTHORISED = "the credential was not accepted"
    OPEN = "depends on the tracker and on the part"


@dataclass(frozen=True)
class Blow:
    """Something that goes wrong with one request.

    Args:
        kind: the sandbox's word for it.
        options: its options.
        known: the client's knowledge about a struck write.
        on: the trackers that it happens to.
        hangs: whether the client has to stop waiting.
        act: an act just before the request: "rename", "label", or another clone's "sync".
        keeps: whether comments may not be deleted.
        reads: whether it happens to reads too.
    """

    name: str
    kind: str
    options: Mapping[str, Any] = field(default_factory=dict)
    known: Known = Known.OPEN
    on: tuple[str, ...] = _TRACKERS
    hangs: bool = False
    act: str | None = None
    keeps: bool = False
    reads: bool = True

    @property
    def is_late(self) -> bool:
        """Whether the effect comes after the settle time, so that nothing can guard against it."""
        return self.kind == "late"

    @property
    def is_mute(self) -> bool:
        """Whether no answer comes at all."""
        return self.kind in ("drop", "drop-after", "timeout", "late")

    def faults(
        self, tracker: str, number: int, *, patience: float, act: Callable[[], object]
    ) -> Iterator[Fault]:
        """The faults for request `number` to the tracker, counted from 0.

        Args:
            patience: seconds that the client waits for an answer.
            act: an act just before the request.
        """
        options = dict(self.options)
        if self.hangs:
            options["seconds"] = patience + _LONGER
        if self.act:
            options["action"] = act
        yield Fault(tracker, self.kind, after=number, **options)
        if self.keeps:
            yield Fault(tracker, "forbidden", method="DELETE", path="(?i)comments/", times=99)

    def allows(self, error: UnlatchError | None, *, wrote: bool, had_written: bool) -> bool:
        """Whether a delivery may truthfully end so.

        Args:
            wrote: whether a write was struck.
            had_written: whether something was written by then, which may be read back.
        """
        if self.act or (wrote and self.known is Known.DELIVERED):
            return error is None
        if wrote and self.known is Known.UNKNOWN:
            return type(error) is UnknownOutcome
        if self.known is Known.UNAUTHORISED:
            read_back = had_written and not wrote
            return type(error) is Unauthorised or (read_back and type(error) is UnknownOutcome)
        return error is None or error.id != "unexpected"


def _answers() -> Iterator[Blow]:
    statuses = (*_REFUSALS, _LIMIT, *_FAILURES)
    for code, (header, headers), effect in product(statuses, _HEADERS.items(), Effect):
        if effect is Effect.PRETENDED or (effect is Effect.DONE and code in _REFUSALS):
            continue
        options = {"code": code, "headers": headers, "effect": effect is Effect.DONE}
        name = f"{code}{header}, {effect.value}"
        yield Blow(name, "status", options, _known(code, header), reads=effect is Effect.NONE)


def _known(code: int, header: str) -> Known:
    if code in _FAILURES:
        return Known.UNKNOWN
    if code == _LIMIT and header in _SHORT:
        return Known.DELIVERED
    return Known.UNAUTHORISED if code == 401 and not header else Known.OPEN


def _silences() -> Iterator[Blow]:
    """Every way in which no whole answer comes."""
    for kind in ("drop", "drop-after", "truncate", "html"):
        yield Blow(kind, kind, known=Known.UNKNOWN)
    for effect in (False, True):
        name = f"timeout, {'after' if effect else 'before'}"
        yield Blow(name, "timeout", {"effect": effect}, Known.UNKNOWN, hangs=True)
    yield Blow("later than the settle time", "late", {"seconds": _LATE}, Known.UNKNOWN, reads=False)


def _limits() -> Iterator[Blow]:
    """How the trackers themselves refuse for a time."""
    for form, tracker in (("secondary", "github"), ("primary", "github"), ("delayed", "ado")):
        name = f"limit, {form}"
        options = {"form": form, "seconds": 2}
        yield Blow(name, "rate-limit", options, Known.DELIVERED, on=(tracker,))


BLOWS = (
    *_answers(),
    *_silences(),
    *_limits(),
    Blow("success without effect", "no-effect", {"shows": "kept"}, reads=False),
    # Where the redirect is followed, the same request is done there.
    Blow("redirect", "redirect", {"location": "#again", "code": 307}),
    Blow("a person's title", "human", act="rename"),
    Blow("a person's label", "human", act="label"),
    Blow("another clone", "human", act="sync"),
    Blow("another clone, and no right to delete", "human", act="sync", keeps=True),
)
