"""A transport for tests, without keyring and waits."""

import atexit
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from unlatch.spi import Scheme
from unlatch.transport.breaker import DEFAULT_OPTIONS, TransportOptions, Wait
from unlatch.transport.credentials import Credential
from unlatch.transport.trace import Trace
from unlatch.transport.transport import Transport


class SkippingClock:
    """A clock that only `sleep` advances, at once."""

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
    max_wait: float = DEFAULT_OPTIONS.max_wait,
    on_wait: Callable[[Wait], None] | None = None,
    trace: Trace | None = None,
    timeouts: tuple[float, float] = DEFAULT_OPTIONS.timeouts,
    deadline: float = DEFAULT_OPTIONS.deadline,
    check: Callable[[str], None] | None = None,
    clock: SkippingClock | None = None,
) -> Transport:
    """A transport to any host, whose waits end at once.

    Waits are passed to `on_wait` and charged to `max_wait` as usual. Without a `cache`, a temporary
    folder is made and removed at the end of the process.
    """
    clock = clock or SkippingClock()
    if cache is None:
        cache = Path(tempfile.mkdtemp(prefix="unlatch-"))
        atexit.register(shutil.rmtree, cache, ignore_errors=True)
    credential = None if token is None else Credential(token, scheme, "the test", user)
    options = TransportOptions(on_wait, max_wait, trace, timeouts, deadline, clock, clock.sleep)
    return Transport(
        tracker, origin=base_url, credential=credential, cache=cache, check=check, options=options
    )
