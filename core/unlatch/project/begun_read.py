"""A read of an item that runs while other work is done."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.spi import Snapshot


class BegunRead:
    """Reads an item in a thread that does not delay the end of the process."""

    def __init__(self, read: Callable[[], Snapshot]) -> None:
        self._began = time.monotonic()
        self._read = read
        self._requests = 0
        self._answer: Snapshot | Exception
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        from unlatch.transport import measure  # noqa: PLC0415  (nothing is sent without a tracker)

        with measure() as meter:
            try:
                self._answer = self._read()
            except Exception as error:  # noqa: BLE001  # raised where the item is needed
                self._answer = error
        self._requests = meter.requests

    @property
    def age(self) -> float:
        """The seconds since the read began."""
        return time.monotonic() - self._began

    def result(self) -> Snapshot:
        """Wait for the item; its requests count for the caller. Raises as the read did."""
        from unlatch.transport.request_context import count_request  # noqa: PLC0415

        self._thread.join()
        count_request(self._requests)
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer
