"""What goes wrong with one request, and what may truthfully be said of it then."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from unlatch.errors import NotFound, Rejected, Transient, Unauthorised, UnknownOutcome
from unlatch.sandbox import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from unlatch.errors import TrackerError

# A server hangs for so much longer than its client waits.
_LONGER = 0.2
# Longer than a client waits on its own account.
_TOO_LONG = 600

_ALL = ("github", "ado", "jira")


@dataclass(frozen=True)
class Blow:
    """Something that goes wrong with one request.

    Args:
        name: what goes wrong.
        kind: the sandbox's word for it.
        options: its options.
        reading: what the delivery fails with if it struck a read; None if it fails with nothing.
        writing: the same for a write.
        on: the trackers that do such a thing.
        hangs: whether the client has to give up waiting.
        act: what a person does just before the request: "rename" or "label".
    """

    name: str
    kind: str
    options: Mapping[str, Any] = field(default_factory=dict)
    reading: type[TrackerError] | None = None
    writing: type[TrackerError] | None = None
    on: tuple[str, ...] = _ALL
    hangs: bool = False
    act: str | None = None

    def fault(
        self, tracker: str, number: int, *, patience: float, person: Callable[[], None]
    ) -> Fault:
        """The fault for request `number` to the tracker, counted from 0.

        Args:
            patience: seconds that the client waits for an answer.
            person: what a person does.
        """
        options = dict(self.options)
        if self.hangs:
            options["seconds"] = patience + _LONGER
        if self.act:
            options["action"] = person
        return Fault(tracker, self.kind, after=number, **options)


def _limit(form: str, seconds: int = 2) -> dict[str, Any]:
    return {"form": form, "seconds": seconds}


_UNKNOWN: dict[str, Any] = {"writing": UnknownOutcome}
# Nothing was done, and the same request is answered there: whoever sends a write again would have
# it done.
_TO_ITSELF = {"location": "#again", "code": 307}

BLOWS = (
    Blow("lost reply", "drop-after", **_UNKNOWN),
    Blow("500 before", "status", {"code": 500}, **_UNKNOWN),
    Blow("500 after", "error-after", {"code": 500}, **_UNKNOWN),
    Blow("502 HTML", "html", **_UNKNOWN),
    Blow("dropped connection", "drop", **_UNKNOWN),
    Blow("read timeout before", "timeout", hangs=True, **_UNKNOWN),
    Blow("read timeout after", "timeout", {"effect": True}, hangs=True, **_UNKNOWN),
    Blow("truncated JSON", "truncate", **_UNKNOWN),
    Blow("429 seconds", "rate-limit", _limit("seconds")),
    Blow("429 HTTP date", "rate-limit", _limit("http-date")),
    Blow(
        "429 too long",
        "rate-limit",
        _limit("seconds", _TOO_LONG),
        reading=Transient,
        writing=Transient,
    ),
    Blow("secondary 403", "rate-limit", _limit("secondary"), on=("github",)),
    Blow("200 with Retry-After", "rate-limit", _limit("delayed"), on=("ado",)),
    # GitHub points to where an issue was moved; with the others a proxy may redirect a read.
    Blow("redirect", "redirect", _TO_ITSELF, reading=NotFound, writing=Rejected, on=("github",)),
    Blow("redirect", "redirect", _TO_ITSELF, writing=Rejected, on=("ado", "jira")),
    Blow("401 midway", "status", {"code": 401}, reading=Unauthorised, writing=Unauthorised),
    Blow("stale revision", "human", act="rename"),
    Blow("a person's label", "human", act="label"),
)
