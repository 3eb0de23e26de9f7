"""What this checkout knows about pending operations that its files do not say.

An operation that this checkout recorded, and that no pushed commit has, can have been sent by
nobody else. Of any other one a request may still take effect, until the tracker has settled since
it was first read here. The notes are in the user's state folder, so that nothing from a clone is
taken for them; without them a delivery waits once more.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from unlatch.worklog.disk.user_files import read_user_file, state_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_NAME = "operations.jsonl"
_OWN, _READ = "own", "read"
# Bytes; above that the older half of the lines goes.
_LARGEST = 1 << 17


def note_own(root: Path, ops: Iterable[str]) -> None:
    """Note operations that this checkout has just recorded."""
    _append(root, [{"op": op, _OWN: True} for op in sorted(ops)])


def own_operations(root: Path) -> frozenset[str]:
    """The operations that this checkout recorded."""
    return frozenset(op for op, note in _notes(root) if note.get(_OWN) is True)


def seconds_since_read(root: Path, ops: Iterable[str]) -> Mapping[str, float]:
    """For how long this checkout has known operations of others; new ones are noted now."""
    now = time.time()
    first: dict[str, float] = {}
    for op, note in _notes(root):
        if isinstance(at := note.get(_READ), int | float):
            first.setdefault(op, at)
    new = sorted({*ops} - first.keys())
    _append(root, [{"op": op, _READ: now} for op in new])
    # A clock that was set back says nothing: the operation counts as read just now.
    return {op: max(0.0, now - first.get(op, now)) for op in ops}


def _notes(root: Path) -> list[tuple[str, dict[str, object]]]:
    try:
        lines = read_user_file(state_folder(root) / _NAME).splitlines()
    except OSError:
        return []
    notes = []
    for line in lines:
        with suppress(ValueError):
            note = json.loads(line)
            if isinstance(note, dict) and isinstance(op := note.get("op"), str):
                notes.append((op, note))
    return notes


def _append(root: Path, notes: list[dict[str, object]]) -> None:
    """Append lines; they are lost where the folder cannot be written."""
    if not notes:
        return
    path = state_folder(root) / _NAME
    text = "".join(f"{json.dumps(note)}\n" for note in notes)
    with suppress(OSError):
        opened = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(opened, "ab") as file:
            file.write(text.encode())
            is_large = file.tell() > _LARGEST
        if is_large:
            _shorten(path)


def _shorten(path: Path) -> None:
    from unlatch.worklog.disk.atomic import replace_file  # noqa: PLC0415  (rarely needed)

    lines = read_user_file(path).splitlines(keepends=True)
    replace_file(path, b"".join(lines[len(lines) // 2 :]))
