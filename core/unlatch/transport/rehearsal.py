"""A transport for tests: no keyring, no waiting."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from unlatch.spi import Scheme
from unlatch.transport.credential import Credential
from unlatch.transport.transport import DEADLINE, MAX_WAIT, Transport

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.transport.trace import Trace
    from unlatch.transport.waits import Wait


class SkippingClock:
    """Time that passes only by sleeping, at once."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def for_tests(
    tracker: str,
    base_url: str,
    *,
    token: str | None,
    user: str | None = None,
    scheme: Scheme = Scheme.BEARER,
    cache: Path | None = None,
    max_wait: float = MAX_WAIT,
    on_wait: Callable[[Wait], None] | None = None,
    trace: Trace | None = None,
    timeouts: tuple[float, float] = (5.0, 30.0),
    deadline: float = DEADLINE,
    check: Callable[[str], None] | None = None,
    clock: SkippingClock | None = None,
) -> Transport:
    """A transport to `base_url`, whichever host that is, whose waits end at once.

    Waits are passed to `on_wait` and drawn on `max_wait` as ever. Without a `cache` it makes a
    folder that is removed when the process ends.
    """
    clock = clock or SkippingClock()
    return Transport(
        tracker,
        origin=base_url,
        credential=None if token is None else Credential(token, scheme, "the test", user),
        cache=cache or _temporary_folder(),
        on_wait=on_wait,
        max_wait=max_wait,
        trace=trace,
        timeouts=timeouts,
        deadline=deadline,
        check=check,
        clock=clock,
        sleep=clock.sleep,
    )


def _temporary_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="unlatch-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
