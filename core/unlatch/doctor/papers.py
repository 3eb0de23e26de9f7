"""spec.md and tasks.md: whether they can be read, and whether they agree with the status."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

from unlatch.doctor.finding import Finding, Severity, below, from_error
from unlatch.errors import StoreError
from unlatch.increments.documents import Criterion, Task, open_work, read_spec, read_tasks
from unlatch.increments.files.layout import EVENTS, SPEC, TASKS
from unlatch.increments.files.reading import read_document
from unlatch.increments.model.status import Status
from unlatch.worklog.safe_open import exists

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from unlatch.increments.model.increment import Increment

# git writes all three, in this order, each at the beginning of a line.
_MARKS = tuple(re.compile(mark, re.MULTILINE) for mark in (r"^<{7} ", r"^={7}\r?$", r"^>{7} "))
_MOST_NAMED = 5


def odd_papers(increment: Increment, root: Path) -> Iterator[Finding]:
    """What is odd about an increment's documents."""
    texts: dict[str, str] = {}
    for name in (SPEC, TASKS):
        path = increment.folder / name
        try:
            text = read_document(path)
        except StoreError as error:
            yield from_error(error, root, increment=increment.id)
            continue
        if text is not None:
            texts[name] = text
        elif exists(path):
            yield _finding(Severity.WARNING, "document-unreadable", "is no UTF-8 text", path, root)
        else:
            yield _finding(Severity.NOTE, "document-missing", "is not there", path, root)
    with suppress(StoreError):  # reported with its lines
        texts[EVENTS] = read_document(increment.folder / EVENTS) or ""
    for name, text in texts.items():
        if (line := _conflict(text)) is not None:
            yield _in_conflict(increment, increment.folder / name, root, line)
    yield from _said(increment, root, texts)


def _said(increment: Increment, root: Path, texts: dict[str, str]) -> Iterator[Finding]:
    spec, tasks = read_spec(texts.get(SPEC, "")), read_tasks(texts.get(TASKS, ""))
    yield from _twice(tasks.tasks, "task-id-twice", increment.folder / TASKS, root)
    yield from _twice(spec.criteria, "criterion-id-twice", increment.folder / SPEC, root)
    left = open_work(spec, tasks)
    if left and increment.status is Status.COMPLETED:
        named = ", ".join(one.id for one in left[:_MOST_NAMED])
        more = f" and {len(left) - _MOST_NAMED} more" if len(left) > _MOST_NAMED else ""
        where = TASKS if any(isinstance(one, Task) for one in left) else SPEC
        yield _finding(
            Severity.WARNING,
            "completed-with-open-work",
            f"it is completed, and this is not ticked: {named}{more}",
            increment.folder / where,
            root,
            hint=f"tick what is done, or unlatch resume {increment.id}",
        )


def _twice(
    found: Iterable[Task | Criterion], name: str, path: Path, root: Path
) -> Iterator[Finding]:
    lines: dict[str, list[int]] = {}
    for one in found:
        lines.setdefault(one.id.casefold(), []).append(one.line)
    spelled = {one.id.casefold(): one.id for one in found}
    for key, places in lines.items():
        if len(places) > 1:
            where = ", ".join(map(str, places))
            message = f"{spelled[key]} stands in lines {where}; it cannot be named by its id"
            yield _finding(Severity.WARNING, name, message, path, root)


def _conflict(text: str) -> int | None:
    """The line that a conflict left by git begins in, if there is one."""
    at, first = 0, None
    for mark in _MARKS:
        match = mark.search(text, at)
        if match is None:
            return None
        first = match.start() if first is None else first
        at = match.end()
    return text.count("\n", 0, first) + 1


def _in_conflict(increment: Increment, path: Path, root: Path, line: int) -> Finding:
    return Finding(
        Severity.WARNING,
        "document-in-conflict",
        "holds git conflict markers",
        f"{below(path, root)}:{line}",
        "resolve it by hand, then git add it",
        increment.id,
    )


def _finding(
    severity: Severity, name: str, message: str, path: Path, root: Path, *, hint: str | None = None
) -> Finding:
    return Finding(severity, name, message, below(path, root), hint, path.parent.name)
