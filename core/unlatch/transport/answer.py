"""What a tracker answered, as error tables read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from unlatch.errors import TrackerError
from unlatch.transport.asked import asked_wait
from unlatch.transport.parsing import parse_json

# A page of a hundred comments of 64 KiB each, the largest that GitHub takes, is 7 MB.
MOST_BYTES = 12 * 1024 * 1024
# Of an error, some words are shown, and tables look through all of it.
MOST_ERROR_BYTES = 2 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer.

    Args:
        method: of the request, in capitals.
        url: that the request went to.
        status: the HTTP status.
        headers: looked up without regard to case.
        body: decoded from its transfer and content encoding, complete; at most `MOST_BYTES`,
            or `MOST_ERROR_BYTES` where the status is one of an error.
    """

    method: str
    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text; what is not UTF-8 in it is replaced."""
        return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        """The body as JSON, or None if it is none that can be read."""
        try:
            return parse_json(self.body)
        except ValueError:
            return None

    @property
    def retry_after(self) -> float | None:
        """Seconds that the tracker asks to wait, by any of the headers known for it."""
        return asked_wait(self.headers)


# A plugin's error table. It is asked about every answer, because some trackers say "no" with 200 or
# 203; None means that it has nothing of its own to say and the general rules apply.
Explain = Callable[[Answer], TrackerError | None]
