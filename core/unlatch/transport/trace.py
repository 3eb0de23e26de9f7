"""The log of requests and answers that `--trace-http FILE` writes, without secrets."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from threading import Lock
from typing import IO, TYPE_CHECKING

from unlatch.worklog.neutral import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    import requests

    from unlatch.transport.redact import Redactor

_LONGEST_BODY = 4096


class Trace:
    """A file that several transports may write to; only its owner can read it."""

    def __init__(self, path: Path) -> None:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        self._file: IO[str] = os.fdopen(descriptor, "w", encoding="utf-8")
        if path.is_file():
            # It may have been there before, with a wider mode.
            path.chmod(0o600)
        self._lock = Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Nothing more will be written."""
        self._file.close()

    def write(self, exchange: str) -> None:
        """Append one exchange, whole."""
        with self._lock:
            self._file.write(exchange)
            self._file.flush()


class Exchange:
    """One request and what became of it, written as one piece when that is known."""

    def __init__(
        self,
        outgoing: requests.PreparedRequest,
        *,
        tracker: str,
        trace: Trace,
        redact: Redactor,
        clock: Callable[[], float],
    ) -> None:
        self._outgoing = outgoing
        self._tracker = tracker
        self._trace = trace
        self._redact = redact
        self._clock = clock
        self._started = clock()

    def answered(self, response: requests.Response) -> None:
        """An answer came, and was read."""
        self._write(
            f"< {response.status_code} after {self._seconds()}",
            *self._headers("<", response.headers),
            *self._body("<", response.content),
        )

    def unanswered(self, why: str) -> None:
        """No answer came, or not the whole of it."""
        self._write(f"! {why} after {self._seconds()}")

    def _write(self, *ending: str) -> None:
        # The file is read in terminals, pagers and editors: nothing in it may act there.
        lines = (visible(line) for line in (*self._request(), *ending))
        self._trace.write("\n".join(lines) + "\n\n")

    def _request(self) -> list[str]:
        request = self._outgoing
        moment = datetime.now(UTC).isoformat(timespec="milliseconds")
        return [
            f"{moment} {self._tracker} {request.method} {self._redact.text(request.url or '')}",
            *self._headers(">", request.headers),
            *self._body(">", request.body),
        ]

    def _seconds(self) -> str:
        return f"{self._clock() - self._started:.3f} s"

    def _headers(self, mark: str, headers: Mapping[str, str]) -> list[str]:
        return [f"{mark} {name}: {value}" for name, value in self._redact.headers(headers).items()]

    def _body(self, mark: str, body: object) -> list[str]:
        if not body:
            return []
        if not isinstance(body, (bytes, str)):
            return [f"{mark} ({type(body).__name__})"]
        text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
        cut = f" ... ({len(text)} characters)" if len(text) > _LONGEST_BODY else ""
        shown = self._redact.excerpt(text, _LONGEST_BODY).replace("\r\n", "\n")
        return [f"{mark} {line}" for line in (shown + cut).split("\n")]
