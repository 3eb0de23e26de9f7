"""The log of `--trace-http FILE`: requests and answers, without secrets."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import IO, TYPE_CHECKING, Self

from unlatch.errors.known_secrets import MASK, forms_of
from unlatch.patterns import pattern
from unlatch.spi.text import one_line
from unlatch.values import dataclass
from unlatch.worklog.text.neutral import visible
from unlatch.worklog.text.secrets import without_secrets

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import requests


HOME = "~"
_LONGEST = 300
# The characters read for each character kept, because masks shorten a text.
_AHEAD = 16
# The length left out before an edge, where half of a secret would not be recognised.
_EDGE = 256
_SHORTEST_SECRET = 4

_SECRET_HEADERS = pattern(
    r"(proxy-)?authorization|(set-)?cookie2?|private-token"
    r"|.*(token|secret|password|passwd|session|api[_-]?key).*",
    re.IGNORECASE | re.DOTALL,
)


class Redactor:
    """Masks given secrets, and text that looks like one.

    It needs every form in which a secret is sent, except percent-encoded ones.
    """

    def __init__(self, *secrets: str) -> None:
        forms = forms_of(secrets, shortest=_SHORTEST_SECRET)
        self._secrets = sorted(forms, key=len, reverse=True)

    def text(self, text: str) -> str:
        """`text` without secrets."""
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        return without_secrets(text)

    def excerpt(self, text: str, length: int) -> str:
        """The beginning of `text` without secrets, at most `length` characters of it.

        The time depends on `length` alone, and no part of a secret is left at the edge.
        """
        ahead = length * _AHEAD
        if len(text) <= ahead:
            return self.text(text)[:length]
        edge = max(_EDGE, *map(len, self._secrets), 0)
        return self.text(text[:ahead])[:-edge][:length]

    def line(self, text: str) -> str:
        """`text` on one line, without secrets and control characters."""
        return one_line(self.text(text))

    def message(self, text: str) -> str:
        """`text` as the message of an error: one line, cut."""
        line = one_line(self.excerpt(text, 4 * _LONGEST))
        return line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."

    def headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        return {
            name: MASK if _SECRET_HEADERS.fullmatch(name) else self.text(str(value))
            for name, value in headers.items()
        }


class Masking:
    """Masks probable secrets and a home folder; `count` is the number of masks so far.

    Args:
        home: by default the user's.
    """

    def __init__(self, home: Path | None = None) -> None:
        home = home or own_home()
        self.count = 0
        self._redactor = Redactor()
        has_home = home is not None and home != home.parent
        self._home = (
            re.compile(rf"(?<!\w){re.escape(str(home))}(?![\w-]|\.\w)") if has_home else None
        )

    def text(self, text: str) -> str:
        """The text, masked."""
        masked = self._redactor.text(text)
        self.count += max(0, masked.count(MASK) - text.count(MASK))
        if self._home:
            masked, homes = self._home.subn(HOME, masked)
            self.count += homes
        return masked


def own_home() -> Path | None:
    """The user's home folder; None for a user without one."""
    try:
        return Path.home()
    except RuntimeError:
        return None


_LONGEST_BODY = 4096


class Trace:
    """A file that several transports may write to; only its owner can read it."""

    def __init__(self, path: Path) -> None:
        from unlatch.worklog.disk.named_file import open_named  # noqa: PLC0415  (rarely needed)

        descriptor = open_named(path, mode=0o600)
        self._file: IO[str] = os.fdopen(descriptor, "w", encoding="utf-8")
        if path.is_file():
            path.chmod(0o600)  # it may have existed with a wider mode
            os.truncate(descriptor, 0)
        self._lock = Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._file.close()

    def write(self, exchange: str) -> None:
        with self._lock:
            self._file.write(exchange)
            self._file.flush()


@dataclass(slots=True)
class Exchange:
    """One request and its answer, written as one piece at the end."""

    trace: Trace
    tracker: str
    outgoing: requests.PreparedRequest
    redact: Redactor
    clock: Callable[[], float]
    started: float

    def write_answer(self, response: requests.Response, failure: str = "") -> None:
        """Write the answer, and the failure that cut it off, if one did."""
        self._write(
            f"< {response.status_code} after {self._seconds()}",
            *self._part("<", response.headers, response.content),
            *([f"! {failure}"] if failure else []),
        )

    def write_failure(self, why: str) -> None:
        self._write(f"! {why} after {self._seconds()}")

    def _write(self, *ending: str) -> None:
        request = self.outgoing
        moment = datetime.now(UTC).isoformat(timespec="milliseconds")
        lines = (
            f"{moment} {self.tracker} {request.method} {self.redact.text(request.url or '')}",
            *self._part(">", request.headers, request.body),
            *ending,
        )
        # The file is read in terminals, pagers and editors: nothing in it may act there.
        self.trace.write("\n".join(map(visible, lines)) + "\n\n")

    def _seconds(self) -> str:
        return f"{self.clock() - self.started:.3f} s"

    def _part(self, mark: str, headers: Mapping[str, str], body: object) -> list[str]:
        lines = [f"{name}: {value}" for name, value in self.redact.headers(headers).items()]
        if isinstance(body, (bytes, str)) and body:
            text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
            cut = f" ... ({len(text)} characters)" if len(text) > _LONGEST_BODY else ""
            excerpt = self.redact.excerpt(text, _LONGEST_BODY).replace("\r\n", "\n")
            lines += (excerpt + cut).split("\n")
        elif body:
            lines.append(f"({type(body).__name__})")
        return [f"{mark} {line}" for line in lines]
