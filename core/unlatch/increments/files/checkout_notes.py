"""What this checkout knows about pending operations that its files do not say.

An operation that this checkout recorded, and that no pushed commit has, can have been sent by
nobody else. Of any other one a request may still take effect, until the tracker has settled since
it was first read here. And the text of any other one may be a stranger's, which this user has to
agree to. The notes are in the user's state folder, so that nothing from a clone is taken for them;
without them a delivery waits and asks once more.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from unlatch.increments.records.pending import read_pending
from unlatch.worklog.digests import sha256
from unlatch.worklog.disk.user_files import read_user_file, state_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from unlatch.spi.operation import OperationKey

    Data = Mapping[str, Any]  # the content of metadata.json

_NAME = "operations.jsonl"
_OWN, _AGREED, _READ = "own", "agreed", "read"
# Bytes; above that the older half of the lines goes.
_LARGEST = 1 << 19
# What an operation does and says; the text of a reopen is in its entry of reopenHistory.
_DEEDS = ("op", "kind", "tracker", "item", "reason", "story")
_WORDS = ("reason", "scopeChange", "newTasks", "parts")


def note_own(root: Path, before: Data, after: Data) -> None:
    """Note the operations that this checkout records in place of `before`, or moves to an item.

    Operations of others stay theirs.
    """
    if before.get("pending") == after.get("pending"):
        return
    known, notes = contents_of(before), list[dict[str, object]]()
    for key, content in contents_of(after).items():
        if known.get(key) == content:
            continue
        former = {one for other, one in known.items() if other[:2] == key[:2]}
        if not former or familiar_contents(root).issuperset(former):
            notes.append({"op": key[0], _OWN: content})
    _append(root, notes)


def note_agreed(root: Path, contents: Mapping[OperationKey, str]) -> None:
    """Note that this user agreed to operations of others."""
    _append(root, [{"op": key[0], _AGREED: content} for key, content in contents.items()])


def own_operations(root: Path) -> frozenset[str]:
    """The operations that this checkout recorded."""
    return frozenset(op for op, note in _notes(root) if note.get(_OWN))


def familiar_contents(root: Path) -> frozenset[str]:
    """The digests of the operations that this user recorded here or agreed to."""
    noted = (note.get(_OWN) or note.get(_AGREED) for _, note in _notes(root))
    return frozenset(content for content in noted if isinstance(content, str))


def contents_of(data: Data) -> dict[OperationKey, str]:
    """A digest of what each pending operation does and says."""
    pending = read_pending(data)
    words: dict[object, list[list[object]]] = {}
    for entry in (*data.get("reopenHistory", ()), *data.get("amendments", ())) if pending else ():
        words.setdefault(entry.get("id"), []).append([entry.get(name) for name in _WORDS])
    found = {}
    for operation, raw in zip(pending, data.get("pending", ()), strict=True):
        content = [*(raw.get(name) for name in _DEEDS), words.get(operation.op)]
        found[operation.key] = sha256(json.dumps(content, sort_keys=True).encode())[:32]
    return found


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
