"""The log of `--trace-http FILE`: requests and answers, without secrets."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from threading import Lock
from typing import IO, TYPE_CHECKING, Self

from unlatch.values import dataclass
from unlatch.worklog.text.neutral import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import requests

    from unlatch.transport.redact import Redactor

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
            shown = self.redact.excerpt(text, _LONGEST_BODY).replace("\r\n", "\n")
            lines += (shown + cut).split("\n")
        elif body:
            lines.append(f"({type(body).__name__})")
        return [f"{mark} {line}" for line in lines]
