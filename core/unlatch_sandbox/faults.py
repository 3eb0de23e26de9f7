"""The faults to inject, and when."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

# Each kind with its options and their defaults; `...` marks a required one.
KINDS: Mapping[str, Mapping[str, Any]] = {
    "latency": {"seconds": ...},
    "status": {"code": ..., "headers": None, "body": None, "effect": False},
    "error-after": {"code": 502},
    "drop": {},
    "drop-after": {},
    "late": {"seconds": ...},
    "no-effect": {"shows": "wanted"},
    "shown-later": {"reads": 1, "seconds": 0},
    "forbidden": {},
    "truncate": {},
    "html": {},
    "timeout": {"seconds": ..., "effect": False},
    "redirect": {"location": ..., "code": 302},
    "rate-limit": {"form": "seconds", "seconds": 1, "reason": "jira-burst-based"},
    "human": {"action": ..., "effect": False},
}
RATE_LIMIT_FORMS = ("seconds", "http-date", "secondary", "primary", "delayed", "reason")
SHOWS = ("wanted", "kept")
TRACKERS = ("github", "ado", "jira")


class Fault:
    """A fault of the next `times` matching requests, after `after` that pass.

    Kinds and their options:
        latency: answers `seconds` later.
        status: answers `code` with `headers` and `body` (text or JSON), and does nothing; with
            `effect` it acts first.
        error-after: performs the request, then answers `code`.
        drop, drop-after: closes the connection before, or after, performing the request.
        late: closes the connection and performs the request `seconds` later; `Sandbox.settle` waits
            for that.
        no-effect: answers success, and does nothing. The answer shows the goal (`wanted`),
            or the unchanged state (`kept`), as a read of the same address does.
        shown-later: performs and answers the request; the next `reads` reads of the tracker, and
            those within `seconds`, still answer as before it.
        forbidden: refuses as the tracker refuses an account that may not delete a comment: 403, or
            400 by Jira.
        truncate: performs the request, then sends half of the JSON.
        html: answers a gateway's 502 page, and does nothing.
        timeout: hangs for `seconds` (60 at most), then closes; with `effect` it acts first.
        redirect: answers `code` to `location`, and does nothing.
        rate-limit: `form` is seconds or http-date (429 with Retry-After), secondary or primary
            (GitHub's 403), delayed (acts, 200 with Retry-After: Azure DevOps) or reason (Jira's 429
            with RateLimit-Reason `reason`).
        human: calls `action` just before the request is served, or with `effect` just before it is
            answered; only in the same process.
    `method` and `path` (a regular expression, searched in the path with its query) narrow it down.
    """

    def __init__(
        self,
        tracker: str,
        kind: str,
        *,
        method: str | None = None,
        path: str | None = None,
        times: int = 1,
        after: int = 0,
        **options: Any,
    ) -> None:
        self.tracker = tracker
        self.kind = kind
        self.method = method
        self.path = path
        self.times = times
        self.after = after
        self.options = _options(tracker, kind, options)
        self._pattern = re.compile(path or "")

    def __repr__(self) -> str:
        return f"Fault({self.describe()})"

    def describe(self) -> dict[str, Any]:
        options = {k: v for k, v in self.options.items() if not callable(v)}
        names = ("tracker", "kind", "method", "path", "times", "after")
        return {name: getattr(self, name) for name in names} | options

    def matches(self, tracker: str, method: str, path: str) -> bool:
        return (
            self.tracker == tracker
            and self.method in (None, method)
            and self._pattern.search(path) is not None
        )


def _options(tracker: str, kind: str, given: dict[str, Any]) -> dict[str, Any]:
    if tracker not in TRACKERS:
        raise ValueError(f"no tracker {tracker!r}; there are {', '.join(TRACKERS)}")
    if kind not in KINDS:
        raise ValueError(f"no fault {kind!r}; there are {', '.join(KINDS)}")
    if unknown := set(given) - set(KINDS[kind]):
        raise ValueError(f"the fault {kind!r} has no option {', '.join(sorted(unknown))}")
    options = {**KINDS[kind], **given}
    if missing := [name for name, value in options.items() if value is ...]:
        raise ValueError(f"the fault {kind!r} needs {', '.join(missing)}")
    _check_choice(options, "form", RATE_LIMIT_FORMS)
    _check_choice(options, "shows", SHOWS)
    return options


def _check_choice(options: dict[str, Any], name: str, choices: tuple[str, ...]) -> None:
    if name in options and options[name] not in choices:
        raise ValueError(f"no {name} {options[name]!r}; there are {', '.join(choices)}")


class Faults:
    """The waiting faults. Each request takes the matching ones, once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[tuple[Fault, _Countdown]] = []
        # The number of clearings: what a fault from before the last one still does ends then.
        self.era = 0

    def add(self, fault: Fault) -> None:
        with self._lock:
            self._waiting.append((fault, _Countdown(fault.after, fault.times)))

    def clear(self) -> None:
        with self._lock:
            self._waiting.clear()
            self.era += 1

    def waiting(self) -> list[Fault]:
        with self._lock:
            return [fault for fault, countdown in self._waiting if countdown.times > 0]

    def take(self, tracker: str, method: str, path: str) -> list[Fault]:
        with self._lock:
            return [
                fault
                for fault, countdown in self._waiting
                if fault.matches(tracker, method, path) and countdown.applies()
            ]


class _Countdown:
    def __init__(self, after: int, times: int) -> None:
        self.after = after
        self.times = times

    def applies(self) -> bool:
        if self.after > 0:
            self.after -= 1
            return False
        if self.times <= 0:
            return False
        self.times -= 1
        return True
