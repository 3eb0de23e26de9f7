"""What the code of a plugin prints goes to stderr: stdout has the output of unlatch alone."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_IS_PLUGIN = ContextVar("is plugin", default=False)


class _Stdout:
    """Stands for sys.stdout; it is sys.stderr where a plugin's code runs.

    `redirect_stdout` would redirect the output of all threads, and trackers work side by side.
    """

    def __init__(self, own: Any) -> None:
        self._own = own

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.stderr if _IS_PLUGIN.get() else self._own, name)


@contextmanager
def printing_aside() -> Iterator[None]:
    """Send to stderr what this code prints, also in the threads of `side_by_side`."""
    if not isinstance(sys.stdout, _Stdout):
        sys.stdout = _Stdout(sys.stdout)
    before = _IS_PLUGIN.set(True)
    try:
        yield
    finally:
        _IS_PLUGIN.reset(before)
