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
from unlatch.increments.records.reopens import AMENDMENTS, read_reopens, write_reopen
from unlatch.worklog.digests import sha256
from unlatch.worklog.disk.user_files import read_user_file, state_folder
from unlatch.worklog.json_text import json_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from unlatch.spi.operation import OperationKey

    Data = Mapping[str, Any]  # the content of metadata.json

_NAME = "operations.jsonl"
_OWN, _AGREED, _READ = "own", "agreed", "read"
# Bytes; above that the older half of the lines goes.
_LARGEST = 1 << 19
# What an operation does and says; the text of a reopen is in its entry of reopenHistory.
_DEEDS = ("op", "kind", "tracker", "item", "by", "reason", "story", "labels")
_OPTIONS = (
    *("comment", "evenIfNotPlanned", "options", "commentAnyway"),
    *("addLabels", "removeLabels", "noLabels"),
)
_WORDS = ("reason", "reopenedBy", "scopeChange", "newTasks", "parts")


def note_own(root: Path, before: Data, after: Data) -> None:
    """Note what this checkout records in place of `before`: operations, and words of reopens.

    Operations and words of others stay theirs, also words that a new operation sends.
    """
    notes = [*_own_words(root, before, after), *_own_contents(root, before, after)]
    _append(root, [{"op": op, _OWN: digest} for op, digest in notes])


def _own_words(root: Path, before: Data, after: Data) -> Iterator[tuple[str, str]]:
    former = words_of(before)
    for op, words in words_of(after).items():
        if op not in former or (former[op] != words and former[op] in familiar_contents(root)):
            yield op, words


def _own_contents(root: Path, before: Data, after: Data) -> Iterator[tuple[str, str]]:
    if before.get("pending") == after.get("pending"):
        return
    former_contents, sent = contents_of(before), words_of(before)
    for key, content in contents_of(after).items():
        if former_contents.get(key) == content:
            continue
        former = {digest for other, digest in former_contents.items() if other[:2] == key[:2]}
        if not former and key[0] in sent:
            former = {sent[key[0]]}
        if not former or familiar_contents(root).issuperset(former):
            yield key[0], content


def note_agreed(root: Path, data: Data, keys: Iterable[OperationKey]) -> None:
    """Note that this user agreed to pending operations of others, and to the words they send."""
    contents, words = contents_of(data), words_of(data)
    agreed = {(key[0], contents[key]) for key in keys}
    agreed |= {(op, words[op]) for op, _ in agreed if op in words}
    _append(root, [{"op": op, _AGREED: digest} for op, digest in sorted(agreed)])


def own_operations(root: Path) -> frozenset[str]:
    """The operations that this checkout recorded."""
    return frozenset(op for op, note in _notes(root) if note.get(_OWN))


def familiar_contents(root: Path) -> frozenset[str]:
    """The digests of the operations and words that this user recorded here or agreed to."""
    noted = (note.get(_OWN) or note.get(_AGREED) for _, note in _notes(root))
    return frozenset(content for content in noted if isinstance(content, str))


def contents_of(data: Data) -> dict[OperationKey, str]:
    """A digest of what each pending operation does and says."""
    pending = read_pending(data)
    words = _words(data) if pending else {}
    digests = {}
    for operation, raw in zip(pending, data.get("pending", ()), strict=True):
        digests[operation.key] = _digest(*map(raw.get, _DEEDS + _OPTIONS), words.get(operation.op))
    return digests


def words_of(data: Data) -> dict[str, str]:
    """A digest of the words of each reopen and each change of scope, by its operation."""
    return {op: _digest(words) for op, words in _words(data).items()}


def _words(data: Data) -> dict[str, list[list[object]]]:
    words: dict[str, list[list[object]]] = {}
    # Entries of other tools have no id in the file.
    reopens = map(write_reopen, read_reopens(data, {}))
    for entry in (*reopens, *data.get(AMENDMENTS, ())):
        words.setdefault(entry["id"], []).append([entry.get(name) for name in _WORDS])
    return words


def _digest(*content: object) -> str:
    return sha256(json.dumps(content, sort_keys=True).encode())[:32]


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
        note = json_object(line)
        if isinstance(op := note.get("op"), str):
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
