"""A plugin's cache of answers between runs: small JSON files in the transport's cache folder.

A lost file costs a request. A file that cannot be read or written is treated as missing.
"""

import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any


def read_cache(file: Path) -> dict[str, Any]:
    """The stored value; empty if there is none that can be read."""
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def write_cache(file: Path, value: Mapping[str, Any]) -> None:
    """Store `value`, readable by its owner alone.

    The file is replaced as a whole, so that concurrent runs never read half of one. It is not
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
