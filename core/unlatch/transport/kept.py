"""What a plugin keeps of answers between runs: small JSON files in the transport's cache.

Losing one costs a request. A file that cannot be read or written is as good as none.
"""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def read_kept(file: Path) -> dict[str, Any]:
    """What was kept; empty if nothing was, or nobody can read it."""
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def keep(file: Path, value: Mapping[str, Any]) -> None:
    """Keep `value` for next time, readable by its owner alone.

    The file is replaced as a whole, so that runs side by side never read half of one. It is not
    synced to the disk.
    """
    with suppress(OSError):
        handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                json.dump(value, stream)
            Path(temporary).replace(file)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
