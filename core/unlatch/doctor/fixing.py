"""Mending what can be mended without deciding anything.

Safe is what unlatch reads in the same way before and after, and what nothing but a crash or another
tool can have left behind. Whatever needs a person's word (dates, duplicate keys, conflicts, a
status that nobody knows) is only told.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.doctor.finding import below
from unlatch.errors import StoreError
from unlatch.increments.files import front_matter
from unlatch.increments.files.layout import EVENTS, METADATA, SPEC
from unlatch.increments.files.locks import store_lock
from unlatch.increments.files.reading import ID_KEYS, read_document, read_metadata
from unlatch.increments.files.snapshots import snapshot
from unlatch.increments.model.status import read_status
from unlatch.increments.records.events import LOG, read_events, reopened_event
from unlatch.worklog.atomic import remove_file, replace_file, unfinished_files
from unlatch.worklog.safe_open import read_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from unlatch.increments.files.layout import Folder, Layout
    from unlatch.increments.model.increment import Increment
    from unlatch.project.workspace import Workspace
    from unlatch.worklog.json_text.document import JsonText


@dataclass(frozen=True, slots=True)
class Fix:
    """One file, as it is and as it would be.

    Args:
        id: the finding that it mends.
        increment: the folder's name of the increment that the file belongs to.
        path: the file, from the project's root.
        before: its content; None if it is not there.
        after: what it becomes; None if it is removed.
    """

    id: str
    increment: str
    path: str
    before: bytes | None
    after: bytes | None


def safe_fixes(workspace: Workspace) -> Iterator[Fix]:
    """All that is safe to mend, in the order of the increments; nothing is written."""
    root = workspace.layout.root
    for folder in listable_folders(workspace.layout):
        try:
            for path in unfinished_files(folder.path):
                if (content := _content(path)) is not None:
                    yield Fix("unfinished-file", folder.name, below(path, root), content, None)
            text = read_metadata(folder.path / METADATA)
            increment = snapshot(folder, text, workspace.manager.shapes)
        except StoreError:
            continue  # what cannot be read has to be mended by hand
        yield from _id(folder, text, root)
        yield from _status(increment, root)
        yield from _events(increment, root)


def listable_folders(layout: Layout) -> Iterator[Folder]:
    """The folders of increments, as far as they can be listed; `examine` reports what cannot."""
    with suppress(StoreError):
        yield from layout.folders()


def apply_fix(workspace: Workspace, wanted: Fix) -> bool:
    """Write what was shown; False if the file has changed since.

    Raises:
        StoreError: `not-writable`.
    """
    path = workspace.layout.root / wanted.path
    with store_lock(workspace.layout, wanted.increment):
        if _content(path) != wanted.before:
            return False
        if wanted.after is not None:
            replace_file(path, wanted.after)
        else:
            remove_file(path)
    return True


def _id(folder: Folder, text: JsonText, root: Path) -> Iterator[Fix]:
    key = next((key for key in ID_KEYS if text.value.get(key)), None)
    if key is None or text.duplicates or text.value[key] == folder.name:
        return
    path = folder.path / METADATA
    after = text.with_value({**text.value, key: folder.name})
    yield Fix("id-differs", folder.name, below(path, root), _content(path), after)


def _status(increment: Increment, root: Path) -> Iterator[Fix]:
    path = increment.folder / SPEC
    try:
        spec = read_document(path)
    except StoreError:
        return
    said = front_matter.status(spec) if spec is not None else None
    if spec is None or said is None or read_status(said) is increment.status:
        return
    after = front_matter.with_status(spec, increment.status.value).encode()
    yield Fix("spec-status-differs", increment.id, below(path, root), spec.encode(), after)


def _events(increment: Increment, root: Path) -> Iterator[Fix]:
    path = increment.folder / EVENTS
    try:
        known = {event.id for event in read_events(increment.folder)}
    except StoreError:
        return
    missing = [reopened_event(entry) for entry in increment.reopens if entry.id not in known]
    if missing:
        before = _content(path)
        lines = "".join(f"{LOG.line(event)}\n" for event in missing)
        joint = b"\n" if before and not before.endswith(b"\n") else b""
        after = (before or b"") + joint + lines.encode(errors="backslashreplace")
        yield Fix("event-missing", increment.id, below(path, root), before, after)


def _content(path: Path) -> bytes | None:
    try:
        return read_file(path)
    except (OSError, StoreError):
        return None
