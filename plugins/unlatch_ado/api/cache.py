"""A cache of answers that rarely change, as small JSON files.

Losing one costs a request.
"""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING, Any

from unlatch.transport import read_cache, write_cache

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DAY = 24 * 60 * 60
_VERSION = 1


class Cache:
    """JSON values by name, each valid for a day.

    Args:
        folder: the folder of the files.
        now: seconds since the epoch.
    """

    def __init__(self, folder: Path, *, now: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._now = now

    def get(self, *name: str) -> Any:
        """The value stored under `name` within the last day, or None."""
        kept = read_cache(self._file(name))
        at = kept.get("at")
        # The name is compared, in case digests collide.
        is_it = kept.get("version") == _VERSION and kept.get("name") == list(name)
        if not is_it or not isinstance(at, int | float):
            return None
        # A time in the future means that the clock was set back.
        return kept.get("value") if 0 <= self._now() - at < DAY else None

    def put(self, *name: str, value: Any) -> None:
        """Store `value` under `name`."""
        kept = {"version": _VERSION, "name": list(name), "at": self._now(), "value": value}
        write_cache(self._file(name), kept)

    def _file(self, name: tuple[str, ...]) -> Path:
        digest = hashlib.sha256("\0".join(name).encode()).hexdigest()[:32]
        return self._folder / f"ado-{digest}.json"
