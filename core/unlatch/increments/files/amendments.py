"""Writing amendments, which metadata.json records, into spec.md and tasks.md.

metadata.json is written first, with the names of the documents to write. These are written next,
and then the names are removed. After an interruption, the next command that changes the increment
completes this: writing a document twice changes nothing.
"""

import copy
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from unlatch.errors import StoreError, UsageError
from unlatch.increments.files.layout import METADATA, SPEC, TASKS
from unlatch.increments.files.reading import DOCUMENTS, document, read_document, read_metadata
from unlatch.increments.model.increment import AppliedAmendment, Increment
from unlatch.increments.records.reopens import entries_of
from unlatch.worklog.collection import Folder
from unlatch.worklog.disk.atomic import replace_file

# The unwritten documents of an amendment, and the ids of its tasks.
_Written = tuple[list[str], tuple[str, ...]]


def plan_amendment(folder: Path, amended: AppliedAmendment) -> AppliedAmendment:
    """An amendment with the ids of its tasks, and the names of the documents to write."""
    texts = {name: document(folder, name) for name in DOCUMENTS}
    after, ids = _after(texts, amended)
    unwritten = tuple(name for name in DOCUMENTS if after[name] != texts[name])
    tasks = zip(amended.amendment.tasks, ids, strict=True)
    planned = tuple(replace(task, id=task_id) for task, task_id in tasks)
    amendment = replace(amended.amendment, tasks=planned, unwritten=unwritten)
    return replace(amended, amendment=amendment)


def documents_of(increment: Increment) -> dict[str, str]:
    """spec.md and tasks.md with all amendments; empty if they are not UTF-8 text."""
    texts = {name: read_document(increment.folder / name) or "" for name in DOCUMENTS}
    for amended in increment.amended:
        if amended.amendment.unwritten:
            try:
                texts, _ = _after(texts, amended)
            except UsageError:
                continue  # a part was removed from the file, or now occurs twice
    return texts


def _after(
    texts: Mapping[str, str], amended: AppliedAmendment
) -> tuple[dict[str, str], tuple[str, ...]]:
    from unlatch.increments.documents.scope_change import amended_spec, amended_tasks  # noqa: PLC0415  (rarely needed)

    tasks, ids = amended_tasks(texts[TASKS], amended)
    return {SPEC: amended_spec(texts[SPEC], amended), TASKS: tasks}, ids


def write_amendments(folder: Folder, increment: Increment) -> list[str]:
    """Write the documents that lack an amendment, under the store lock; returns warnings."""
    warnings: list[str] = []
    written = {
        amended.id: _write(folder.path, amended, warnings)
        for amended in increment.amended
        if amended.amendment.unwritten
    }
    try:
        _note(folder.path / METADATA, written)
    except StoreError as error:
        warnings.append(f"{error.message}; the next command checks the documents again")
    return warnings


def _write(folder: Path, amended: AppliedAmendment, warnings: list[str]) -> _Written:
    left: list[str] = []
    ids = amended.amendment.ids
    for name in amended.amendment.unwritten:
        try:
            before = document(folder, name)
            after, new = _after({**dict.fromkeys(DOCUMENTS, ""), name: before}, amended)
            if after[name] != before:
                replace_file(folder / name, after[name].encode("utf-8", errors="replace"))
            ids = new if name == TASKS else ids
        except UsageError as error:
            warnings.append(f"{name} is left as it is: {error.message}")
        except StoreError as error:
            warnings.append(f"{error.message}; the next command writes it")
            left.append(name)
    return left, ids


def _note(path: Path, written: Mapping[str, _Written]) -> None:
    text = read_metadata(path)
    data = copy.deepcopy(text.value)
    for entry in entries_of(data):
        left, ids = written.get(entry["id"], ([], ()))
        for task, task_id in zip(entry.get("newTasks", ()), ids, strict=False):
            task["id"] = task_id
        if left:
            entry["unwritten"] = left
        else:
            entry.pop("unwritten", None)
    if data != text.value:
        replace_file(path, text.with_value(data))
