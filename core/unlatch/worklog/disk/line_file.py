"""Files that only grow by whole lines, and the repair of a last line that a crash cut short."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from unlatch.worklog.disk.atomic import PRIVATE, append_lines, check_single, replace_file, writing
from unlatch.worklog.json_text import json_or_none

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from unlatch.worklog.disk.folder import OpenFolder

_CHUNK = 1 << 16


def ending(opened: OpenFolder, name: str) -> tuple[bytes, bytes]:
    """The last complete line of a file and the rest after it, without line ends."""
    if not opened.has(name):
        return b"", b""
    with open(name, "rb", opener=opened.file) as file:
        place, tail = file.seek(0, os.SEEK_END), b""
        while place and tail.count(b"\n") < len("\n\n"):
            length = min(_CHUNK, place)
            place -= length
            file.seek(place)
            tail = file.read(length) + tail
    before, _, rest = tail.rpartition(b"\n")
    return before.rpartition(b"\n")[2], rest


def repair_ending(opened: OpenFolder, folder: Path, name: str, new_id: Callable[[], str]) -> str:
    """Move a cut last line to a backup; returns the backup's name.

    A JSON object without a line end gets one; then, as for a whole file, the result is "".
    """
    _, cut = ending(opened, name)
    if not cut:
        return ""
    if _is_object(cut):
        append_lines(folder / name, mode=PRIVATE)  # only its end is missing
        return ""
    check_single(opened.check_file(name), folder / name)
    backup = f"{name}.cut-{new_id()}"
    replace_file(folder / backup, cut, mode=PRIVATE)
    with writing(folder / name), open(name, "r+b", opener=opened.file) as file:
        file.truncate(file.seek(0, os.SEEK_END) - len(cut))
        file.flush()
        os.fsync(file.fileno())
    return backup


def _is_object(line: bytes) -> bool:
    return isinstance(json_or_none(line), dict)
