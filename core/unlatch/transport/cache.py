"""A plugin's cache of answers between runs: small JSON files in the transport's cache folder.

A lost file costs a request. A file that cannot be read or written is treated as missing.
"""

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from unlatch.worklog.json_text import load_json


class Cache:
    """JSON values by name, one file each, readable by its owner alone.

    Args:
        folder: the folder of the files, made if its parent exists.
        seconds: how long a value is valid; None for no limit.
        most: how many files are kept; the oldest are removed. None for no limit.
        now: seconds since the epoch.
    """

    def __init__(
        self,
        folder: Path,
        *,
        seconds: float | None = None,
        most: int | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._folder, self._seconds, self._most, self._now = folder, seconds, most, now

    def get(self, *name: str) -> Any:
        """The value stored under `name`; None if there is none, or it is too old."""
        with suppress(OSError, ValueError, KeyError, TypeError):
            kept = load_json(self._file(name).read_bytes(), levels=None)
            at, value = kept["at"], kept["value"]
            if kept["sum"] == _sum(name, at, value) and self._is_valid(at):
                return value
        return None

    def put(self, *name: str, value: Any) -> None:
        """Store `value` under `name`.

        The file is replaced as a whole, so that concurrent runs never read half of one.
        """
        at = self._now()
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, exist_ok=True)
            self._make_room()
        with suppress(OSError):
            _write(self._file(name), {"at": at, "value": value, "sum": _sum(name, at, value)})

    def _is_valid(self, at: float) -> bool:
        # A time in the future means that the clock was set back.
        return self._seconds is None or 0 <= self._now() - at < self._seconds

    def _file(self, name: tuple[str, ...]) -> Path:
        return self._folder / f"{name[0]}-{_digest(list(name))[:32]}.json"

    def _make_room(self) -> None:
        if self._most is None:
            return
        with os.scandir(self._folder) as entries:
            files = [(entry.stat().st_mtime, entry.path) for entry in entries]
        for _, path in sorted(files)[: max(0, len(files) - self._most + 1)]:
            Path(path).unlink(missing_ok=True)


def _sum(name: tuple[str, ...], at: Any, value: Any) -> str:
    # Files are not synced to the disk; after a power cut a broken one fails its check sum. So does
    # the file of another name.
    return _digest([name, at, value])


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _write(file: Path, value: Mapping[str, Any]) -> None:
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(value, stream)
        Path(temporary).replace(file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
