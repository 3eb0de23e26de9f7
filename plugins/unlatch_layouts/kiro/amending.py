"""Write an amendment into the documents of a spec.

Kiro lists the tasks of one numbered list, and shows no Start button where tasks stand below
headings or have other numbers (kirodotdev/Kiro#1203, #2796, #3810, #7563). So new tasks continue
the list, before sections like "Notes" and "Task Dependency Graph", and their details have the
amendment's id, in place of a heading. The change itself is a section of requirements.md.
"""

import re
from collections.abc import Iterable, Sequence

from unlatch.increments.documents.quoting import label_value, one_line, quoted
from unlatch.increments.documents.spec_and_tasks import Spec, Task
from unlatch.increments.documents.task_lines import TaskLine, task_lines
from unlatch.increments.model.reopens import AppliedAmendment, NewTask
from unlatch.worklog.text.markdown_lines import append_lines, line_ending, scan_work
from unlatch_layouts.kiro.requirement_references import as_reference, neutralised, reference_in
from unlatch_layouts.kiro.tasks import GRAMMAR, read_tasks

_TITLE = ("# Implementation Plan", "")
_LINE = re.compile(r"(?P<text>[^\r\n]*+)(?:\r\n?+|\n)?+")
_HEADING = re.compile(r"#{1,6}(?:[ \t]|\Z)")
_NUMBER = re.compile(r"(?:T-?)?(?P<number>[0-9]{1,9})", re.IGNORECASE)
_MARKER = re.compile(r"\A[-*+][ \t]+")
_BULLET = "- "
_HEAD = re.compile(r"(?<![^\r\n\ufeff])[ \t]*[-*+][ \t]{1,4}\Z")
_LONGEST_HEAD = 40
_LABEL = "Requirements"


def with_new_tasks(
    text: str, amended: AppliedAmendment, *, existing: Iterable[str]
) -> tuple[str, tuple[str, ...]]:
    """A tasks.md with the new tasks of an amendment, and their ids.

    Args:
        existing: the ids of its tasks.
    """
    tasks = amended.amendment.tasks
    if not tasks or amended.id in text:
        return text, amended.amendment.ids
    numbers = (match["number"] for task_id in existing if (match := _NUMBER.match(task_id)))
    first = max(map(int, numbers), default=0) + 1
    ids = tuple(str(number) for number in range(first, first + len(tasks)))
    listed, label = task_lines(text, GRAMMAR), _label(text)
    details = [_details(task, amended, label) for task in tasks]
    titles = [neutralised(one_line(task.title)) for task in tasks]
    heads = [f"[ ] {number}. {title}" for number, title in zip(ids, titles, strict=True)]
    new = list(zip(heads, details, strict=True))
    after = _inserted(text, listed, _lines(new, _bullet(text, listed)))
    # In a block of code that is left open they would be no tasks for Kiro. It is closed, unless
    # that would hide tasks, or what belongs to them, which stand in it.
    closes = scan_work(text).open_at is not None and _tasks(text) == _tasks(append_lines(text, ()))
    if not closes and len(task_lines(after, GRAMMAR)) == len(listed) + len(tasks):
        return after, ids
    title = () if text.strip("\ufeff \t\r\n") else _TITLE
    return append_lines(text, [*title, *_lines(new, _BULLET)[1:]], closes=closes), ids


def _tasks(text: str) -> list[Task]:
    return read_tasks(text, Spec(text=""))


def _lines(tasks: Iterable[tuple[str, Sequence[str]]], bullet: str) -> list[str]:
    inner = " " * len(bullet.expandtabs(4))
    lines: list[str] = []
    for head, details in tasks:
        lines += ["", f"{bullet}{head}".rstrip(), *(f"{inner}- {detail}" for detail in details)]
    return lines


def _details(task: NewTask, amended: AppliedAmendment, label: str) -> list[str]:
    told = [line[2:].strip() for line in quoted(task.description or "")]
    details = [neutralised(_MARKER.sub("", line, count=1)) for line in told]
    details = [detail for detail in details if detail]
    details.append(f"_Scope change: {amended.at:%Y-%m-%d} ({amended.id})_")
    reference = as_reference(task.story, task.criteria, label=label)
    return [*details, label_value(reference)] if reference else details


def _bullet(text: str, listed: Sequence[TaskLine]) -> str:
    """The beginning of the last top task, up to its box."""
    if not listed:
        return _BULLET
    indent = min(box.indent for box in listed)
    at = [box.at for box in listed if box.indent == indent][-1] - 1
    head = _HEAD.search(text, max(0, at - _LONGEST_HEAD), at)
    return head[0] if head else _BULLET


def _label(text: str) -> str:
    """The word for requirements that most of the references use, in the file's language."""
    references = (reference_in(line.text) for line in reversed(scan_work(text).lines))
    labels = (match["label"] for match in references if match and match["colon"])
    return next(labels, _LABEL)


def _inserted(text: str, listed: Sequence[TaskLine], lines: Sequence[str]) -> str:
    if not listed:
        return text
    at, end = _end_of_list(text, listed), line_ending(text)
    before, behind = text[:at], text[at:]
    added = "".join(line + end for line in lines)
    if not before.endswith(("\r", "\n")):
        added = end + added
    if behind.strip("\r\n") and behind[0] not in "\r\n":
        added += end
    return before + added + behind


def _end_of_list(text: str, listed: Sequence[TaskLine]) -> int:
    """The offset behind the last line of the list with the last task."""
    indent = min(box.indent for box in listed)
    end, after_blank = listed[-1].at, False
    for match in _LINE.finditer(text, listed[-1].at):
        line = match["text"].lstrip(" \t")
        width = len(match["text"][: len(match["text"]) - len(line)].expandtabs(4))
        is_below = match.start() == listed[-1].at or width > indent
        if line and not is_below and (after_blank or _HEADING.match(line)):
            break
        if line:
            end = match.end()
        after_blank = not line
    return end
