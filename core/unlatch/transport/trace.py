"""The log of `--trace-http FILE`: requests and answers, without secrets."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import IO, Self

import requests

from unlatch.transport.redact import Redactor
from unlatch.worklog.neutral import visible

_LONGEST_BODY = 4096


class Trace:
    """A file that several transports may write to; only its owner can read it."""

    def __init__(self, path: Path) -> None:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        self._file: IO[str] = os.fdopen(descriptor, "w", encoding="utf-8")
        if path.is_file():
            path.chmod(0o600)  # it may have existed with a wider mode
        self._lock = Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._file.close()

    def write(self, exchange: str) -> None:
        """Append one exchange, whole."""
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
    started: float = field(init=False)

    def __post_init__(self) -> None:
        self.started = self.clock()

    def write_answer(self, response: requests.Response) -> None:
        self._write(
            f"< {response.status_code} after {self._seconds()}",
            *self._headers("<", response.headers),
            *self._body("<", response.content),
        )

    def write_failure(self, why: str) -> None:
        self._write(f"! {why} after {self._seconds()}")

    def _write(self, *ending: str) -> None:
        request = self.outgoing
        moment = datetime.now(UTC).isoformat(timespec="milliseconds")
        lines = (
            f"{moment} {self.tracker} {request.method} {self.redact.text(request.url or '')}",
            *self._headers(">", request.headers),
            *self._body(">", request.body),
            *ending,
        )
        # The file is read in terminals, pagers and editors: nothing in it may act there.
        self.trace.write("\n".join(map(visible, lines)) + "\n\n")

    def _seconds(self) -> str:
        return f"{self.clock() - self.started:.3f} s"

    def _headers(self, mark: str, headers: Mapping[str, str]) -> list[str]:
        return [f"{mark} {name}: {value}" for name, value in self.redact.headers(headers).items()]

    def _body(self, mark: str, body: object) -> list[str]:
        if not body:
            return []
        if not isinstance(body, (bytes, str)):
            return [f"{mark} ({type(body).__name__})"]
        text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
        cut = f" ... ({len(text)} characters)" if len(text) > _LONGEST_BODY else ""
        shown = self.redact.excerpt(text, _LONGEST_BODY).replace("\r\n", "\n")
        return [f"{mark} {line}" for line in (shown + cut).split("\n")]
