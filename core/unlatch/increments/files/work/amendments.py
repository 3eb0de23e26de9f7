"""Writing amendments, which metadata.json records, into the documents, and counting done marks.

metadata.json is written first, with the names of the documents to write. These are written next,
and then the names are removed. After an interruption, the next command that changes the increment
completes this: writing a document twice changes nothing.

A reopen counts them, and must not wait for the parsers of tasks and criteria.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UsageError
from unlatch.increments.files.metadata_file import document, read_document, read_metadata
from unlatch.increments.files.paths import METADATA, SPEC, TASKS
from unlatch.increments.files.work.files import WorkFiles, files_of, work_files
from unlatch.increments.records.reopens import entries_of
from unlatch.patterns import pattern
from unlatch.worklog.disk.atomic import replace_file
from unlatch.worklog.json_text.nodes import copied

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from unlatch.increments.layouts.interface import Texts, Work
    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.reopens import AppliedAmendment
    from unlatch.worklog.collection import Folder


# The unwritten documents of an amendment, and the ids of its tasks.
_Written = tuple[list[str], tuple[str, ...]]


def plan_amendment(increment: Increment, amended: AppliedAmendment) -> AppliedAmendment:
    """An amendment with the ids of its tasks, and the names of the documents to write."""
    files = files_of(increment)
    texts = files.checked_texts()
    after, ids = files.layout.amend(texts, amended)
    unwritten = tuple(name for name in files.names if after[name] != texts[name])
    tasks = zip(amended.amendment.tasks, ids, strict=True)
    planned = tuple(replace(task, id=task_id) for task, task_id in tasks)
    amendment = replace(amended.amendment, tasks=planned, unwritten=unwritten)
    return replace(amended, amendment=amendment)


def texts_of(increment: Increment) -> Texts:
    """The documents with all amendments; empty if they are not UTF-8 text."""
    files = files_of(increment)
    texts: Texts = files.texts()
    for amended in increment.amended:
        if amended.amendment.unwritten:
            try:
                texts, _ = files.layout.amend(texts, amended)
            except UsageError:
                continue  # a part was removed from the file, or now occurs twice
    return texts


def work_of(increment: Increment) -> Work:
    """The stories, criteria and tasks of an increment, with all amendments."""
    return files_of(increment).layout.read(texts_of(increment))


def write_amendments(folder: Folder, increment: Increment) -> list[str]:
    """Write the documents that lack an amendment, under the store lock; returns warnings."""
    warnings: list[str] = []
    files = work_files(folder.path, increment.unit)
    written = {
        amended.id: _write(files, amended, warnings)
        for amended in increment.amended
        if amended.amendment.unwritten
    }
    try:
        _note(folder.path / METADATA, written)
    except StoreError as error:
        warnings.append(f"{error.message}; the next command checks the documents again")
    return warnings


def _write(files: WorkFiles, amended: AppliedAmendment, warnings: list[str]) -> _Written:
    left: list[str] = []
    ids = amended.amendment.ids
    for name in amended.amendment.unwritten:
        try:
            before = document(files.place, name)
            alone = {**dict.fromkeys(files.names, ""), name: before}
            after, new = files.layout.amend(alone, amended)
            if after[name] != before:
                files.write(name, after[name].encode("utf-8", errors="replace"))
            ids = new if name == files.listing else ids
        except UsageError as error:
            warnings.append(f"{name} is left as it is: {error.message}")
        except StoreError as error:
            warnings.append(f"{error.message}; the next command writes it")
            left.append(name)
    return left, ids


def _note(path: Path, written: Mapping[str, _Written]) -> None:
    text = read_metadata(path)
    data = copied(text.value)
    for entry in entries_of(data):
        left, ids = written.get(entry.get("id", ""), ([], ()))
        for task, task_id in zip(entry.get("newTasks", ()), ids, strict=False):
            task["id"] = task_id
        if left:
            entry["unwritten"] = left
        else:
            entry.pop("unwritten", None)
    if data != text.value:
        replace_file(path, text.with_value(data))


# A ticked box, a sign, or a status in words: `- [x]`, `### T-001 ✅`, `**Status**: completed`.
_DONE = pattern(
    r"\[[xX]\]|[\u2705\u2611\u2714]|^(?:[^\S\r\n]|[>*-])*+status\W{1,6}(?:completed?|done)\b",
    re.IGNORECASE | re.MULTILINE,
)


def count_done(increment: Increment) -> int:
    """The done marks in the documents, with the amendments that are not written yet."""
    return sum(len(_DONE.findall(text)) for text in _texts(increment))


def _texts(increment: Increment) -> Iterable[str]:
    if increment.unit is None and not increment.unwritten:
        return [read_document(increment.folder / name) or "" for name in (SPEC, TASKS)]

    return texts_of(increment).values()
