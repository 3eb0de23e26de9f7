"""What is kept of a site between runs: answers that hardly ever change.

Files in the transport's cache; whoever deletes them costs a request, and nothing else.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


class Kept:
    """Small JSON objects by name, for one site.

    Args:
        folder: an existing one.
        site: the site that they are about.
    """

    def __init__(self, folder: Path, site: str) -> None:
        self._folder = folder
        self._mark = hashlib.sha256(site.encode()).hexdigest()[:16]

    def get(self, name: str) -> dict[str, Any]:
        """What was kept; empty if nothing was, or nobody can read it."""
        try:
            found = json.loads(self._path(name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def put(self, name: str, value: Mapping[str, Any]) -> None:
        """Keep it for next time; a disk that takes nothing is no reason to fail."""
        with suppress(OSError):
            self._write(self._path(name), json.dumps(value))

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}-{self._mark}.json"

    def _write(self, path: Path, text: str) -> None:
        handle, temporary = tempfile.mkstemp(dir=self._folder, prefix=f"{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            Path(temporary).replace(path)
        except OSError:
            Path(temporary).unlink(missing_ok=True)
            raise
