"""What was learnt from the tracker and stays true for a while: small JSON files.

Losing one costs a request. Files are replaced as a whole, so that runs side by side never read half
of one; a file that cannot be read or written is as good as none.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

DAY = 24 * 60 * 60
_VERSION = 1


class Cache:
    """JSON values by name, each for a day.

    Args:
        folder: where the files are.
        now: seconds since the epoch.
    """

    def __init__(self, folder: Path, *, now: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._now = now

    def get(self, *name: str) -> Any:
        """The value that was put under `name` within the last day, or None."""
        try:
            kept = json.loads(self._file(name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if not isinstance(kept, dict) or kept.get("version") != _VERSION:
            return None
        # The name is compared, so that files whose digests collide are not taken for each other.
        at = kept.get("at")
        if kept.get("name") != list(name) or not isinstance(at, int | float):
            return None
        # A time in the future comes from a clock that has been set back.
        return kept.get("value") if 0 <= self._now() - at < DAY else None

    def put(self, *name: str, value: Any) -> None:
        """Keep `value` under `name`."""
        kept = {"version": _VERSION, "name": list(name), "at": self._now(), "value": value}
        with contextlib.suppress(OSError):
            _replace(self._file(name), json.dumps(kept))

    def _file(self, name: tuple[str, ...]) -> Path:
        digest = hashlib.sha256("\0".join(name).encode()).hexdigest()[:32]
        return self._folder / f"ado-{digest}.json"


def _replace(file: Path, text: str) -> None:
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        Path(temporary).replace(file)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise
