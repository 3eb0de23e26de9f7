"""spec.md and tasks.md follow what metadata.json says was changed about the work.

metadata.json is written first, and names the files that do not say so yet. They are written next,
and then the names are taken out. Whatever ends that halfway is mended by the next command that
changes the increment: writing a file for the second time changes nothing.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UsageError
from unlatch.increments.files.layout import METADATA, SPEC, TASKS
from unlatch.increments.files.reading import read_document, read_metadata
from unlatch.increments.model.amendment import Amended
from unlatch.increments.records.records import entries_of
from unlatch.worklog.atomic import replace_file
from unlatch.worklog.restore import or_restore
from unlatch.worklog.safe_open import exists

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from datetime import datetime
    from pathlib import Path

    from unlatch.increments.files.layout import Folder
    from unlatch.increments.model.amendment import Amendment
    from unlatch.increments.model.increment import Increment, Link, ReopenEntry
    from unlatch.spi.operation import Operation

DOCUMENTS = (SPEC, TASKS)


def plan_amendment(folder: Path, amended: Amended) -> Amended:
    """An amendment with its tasks' ids, and the names of the files that it is to be written to.

    Raises:
        StoreError: `document-unreadable`, one of them is no text.
        UsageError: `item-ambiguous`, a part occurs more than once by now.
    """
    texts = {name: document(folder, name) for name in DOCUMENTS}
    after, ids = _after(texts, amended)
    unwritten = tuple(name for name in DOCUMENTS if after[name] != texts[name])
    amendment = replace(amended.amendment, ids=ids, unwritten=unwritten)
    return replace(amended, amendment=amendment)


def amended_entry(before: Increment, entry: ReopenEntry, amendment: Amendment) -> ReopenEntry:
    """An entry of reopenHistory with what it changes about the work.

    Raises:
        StoreError, UsageError: as `plan_amendment`.
    """
    made = Amended(entry.id, entry.reopened_at, entry.reopened_by, amendment, entry.reason)
    return replace(entry, amendment=plan_amendment(before.folder, made).amendment)


def document(folder: Path, name: str) -> str:
    """A document of an increment; empty where there is none.

    Raises:
        StoreError: `document-unreadable`, it is no UTF-8 text.
    """
    text = read_document(folder / name)
    if text is not None:
        return text
    if not exists(folder / name):
        return ""
    raise StoreError(
        "document-unreadable",
        f"{name} cannot be read as UTF-8 text",
        where=str(folder / name),
        hint=or_restore("save it as UTF-8 text, or check its permissions", folder / name),
    )


def unreadable_documents(folder: Path) -> list[StoreError]:
    """Why spec.md and tasks.md were not read, for those that are there and cannot be."""
    found = []
    for name in DOCUMENTS:
        try:
            document(folder, name)
        except StoreError as error:
            found.append(error)
    return found


def documents_of(increment: Increment) -> dict[str, str]:
    """spec.md and tasks.md, with what they have yet to say; empty where they are no text.

    Raises:
        StoreError: `unsafe-path`, `not-a-file` or `file-too-large`.
    """
    texts = {name: read_document(increment.folder / name) or "" for name in DOCUMENTS}
    for amended in increment.amended:
        if amended.amendment.unwritten:
            try:
                texts, _ = _after(texts, amended)
            except UsageError:
                continue  # a part was taken out of the file, or stands there twice by now
    return texts


def _after(texts: Mapping[str, str], amended: Amended) -> tuple[dict[str, str], tuple[str, ...]]:
    from unlatch.increments.documents import amended_spec, amended_tasks  # noqa: PLC0415  (rarely needed)

    tasks, ids = amended_tasks(texts[TASKS], amended)
    return {SPEC: amended_spec(texts[SPEC], amended), TASKS: tasks}, ids


def write_amendments(folder: Folder, increment: Increment) -> list[str]:
    """Write what the documents do not say yet; what went wrong, if anything did.

    The increment's store lock is held by the caller.
    """
    warnings: list[str] = []
    written: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
    for amended in increment.amended:
        if amended.amendment.unwritten:
            left, ids = _write(folder.path, amended, warnings)
            written[amended.id] = (left, ids)
    try:
        _note(folder.path / METADATA, written)
    except StoreError as error:
        warnings.append(f"{error.message}; the next command looks at the documents again")
    return warnings


def _write(
    folder: Path, amended: Amended, warnings: list[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Write the documents of one amendment; the files that are left, and its tasks' ids."""
    left, ids = [], amended.amendment.ids
    for name in amended.amendment.unwritten:
        try:
            texts = {other: document(folder, name) if other == name else "" for other in DOCUMENTS}
            after, new = _after(texts, amended)
            if after[name] != texts[name]:
                replace_file(folder / name, after[name].encode("utf-8", errors="replace"))
            ids = new if name == TASKS else ids
        except UsageError as error:
            warnings.append(f"{name} is left as it is: {error.message}")
        except StoreError as error:
            warnings.append(f"{error.message}; the next command writes it")
            left.append(name)
    return tuple(left), ids


def _note(path: Path, written: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]) -> None:
    text = read_metadata(path)
    data = copy.deepcopy(text.value)
    for entry in entries_of(data):
        left, ids = written.get(entry["id"], ((), ()))
        for task, task_id in zip(entry.get("newTasks", ()), ids, strict=False):
            task["id"] = task_id
        if left:
            entry["unwritten"] = list(left)
        else:
            entry.pop("unwritten", None)
    if data != text.value:
        replace_file(path, text.with_value(data))


def enqueue_updates(
    new_id: Callable[[], str], links: Collection[Link], *, at: datetime, by: str
) -> tuple[Operation, ...]:
    """Operations that bring the check boxes of items up to date, by an intent of their own."""
    from unlatch.spi.operation import Kind, Operation  # noqa: PLC0415  (rarely needed)

    op = new_id() if links else ""
    return tuple(Operation(op, Kind.UPDATE, link.tracker, link.key, at, by) for link in links)
