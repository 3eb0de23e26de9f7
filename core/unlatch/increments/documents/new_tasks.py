"""Appending tasks to a tasks.md in the style of those that it has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from unlatch.increments.documents.headings import read_story_heading, read_task_heading
from unlatch.increments.documents.lines import Line, append_lines, scan
from unlatch.increments.documents.quoting import as_heading, as_title, label_value, quoted
from unlatch.increments.documents.task_style import StatusStyle, is_bare, label, most_common
from unlatch.increments.documents.tasks import TaskBlock, marks_headings, task_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from unlatch.increments.model.amendment import NewTask

_STORY_LABEL = "**User Story**: "
_CRITERIA_LABEL = "**Satisfies ACs**: "
_NUMBER = re.compile(r"T-?(?P<digits>[0-9]+)")
_UPPER_NUMBER = re.compile(r"T-?[0-9]+-(?P<digits>[0-9]{1,9})\Z")


def with_tasks(text: str, new: Sequence[NewTask], *, heading: str) -> tuple[str, tuple[str, ...]]:
    """Append tasks, numbered from the highest number that the file has.

    Args:
        text: a tasks.md; may be empty.
        new: the tasks, in order.
        heading: the heading above them, one level higher where there is one.

    Returns:
        The new text, and the ids of the new tasks.
    """
    if not new:
        return text, ()
    scanned = scan(text).lines
    found = task_blocks(scanned)
    level = most_common(block.head.level for block in found) or 3
    lines = [] if text.strip("\ufeff \t\r\n") else ["# Tasks", ""]
    if level > 1:
        above = min([level - 1, *_open_sections(scanned)])
        lines += [f"{'#' * above} {as_heading(heading)}", ""]
    ids, writer = _next_ids(found, len(new)), _TaskWriter(found, level)
    for task_id, task in zip(ids, new, strict=True):
        lines += [*writer.lines(task_id, task), ""]
    return append_lines(text, lines[:-1]), ids


def _open_sections(lines: Iterable[Line]) -> list[int]:
    """The levels of the stories that the end of the file stands under."""
    found: list[int] = []
    for line in lines:
        if line.level:
            while found and found[-1] >= line.level:
                found.pop()
            if not read_task_heading(line.words) and read_story_heading(line.words):
                found.append(line.level)
    return found


def _next_ids(found: Sequence[TaskBlock], count: int) -> tuple[str, ...]:
    prefix = most_common("T-" if block.id.startswith("T-") else "T" for block in found) or "T-"
    numbers = [_number(block.id) for block in found]
    width = most_common(len(digits) for digits, _ in numbers) or 3
    first = max((number for _, number in numbers), default=0) + 1
    return tuple(f"{prefix}{number:0{width}}" for number in range(first, first + count))


def _number(id: str) -> tuple[str, int]:
    match = _NUMBER.match(id)
    digits = match["digits"] if match else ""
    # T-025-039 stands for all from 25 to 39.
    upper = _UPPER_NUMBER.fullmatch(id)
    return digits, max(int(digits or 0), int(upper["digits"]) if upper else 0)


class _TaskWriter:
    """Writes tasks in a file's style, or in a sensible one if it has no tasks."""

    def __init__(self, found: Sequence[TaskBlock], level: int) -> None:
        headings = [block.heading for block in found]
        box = most_common(heading.mark.startswith("[") for heading in headings)
        spaced = most_common(_is_spaced(block) for block in found if block.first)
        self._head = f"{'#' * level} {'[ ] ' if box else ''}"
        self._separator = most_common(one.separator for one in headings if one.title) or ": "
        self._gap = [] if spaced is False else [""]
        style = StatusStyle(found)
        # Without a status to follow, a file that marks its headings gets no status line.
        has_status = style.spelling(done=False) or style.spelling(done=True)
        plain = not has_status and (box or marks_headings(found))
        self._status = None if plain else style.words(done=False)
        self._labels = _labels(found, style.label(self._status))

    def lines(self, id: str, task: NewTask) -> list[str]:
        values = {
            "story": label_value(task.story or ""),
            "criteria": label_value(", ".join(task.criteria)),
            "status": self._status,
        }
        labelled = [text + value for kind, text in self._labels if (value := values[kind])]
        lines = [f"{self._head}{id}{self._separator}{as_title(task.title)}".rstrip(" \t")]
        if labelled:
            lines += [*self._gap, *labelled]
        if task.description and task.description.strip():
            lines += ["", *quoted(task.description)]
        return lines


def _is_spaced(block: TaskBlock) -> bool:
    return block.first is not None and block.first.number > block.line + 1


def _labels(found: Sequence[TaskBlock], status_label: str) -> tuple[tuple[str, str], ...]:
    """The labels of a story, the criteria and a status, in the file's order."""
    criteria = (one.values.get("criteria") for one in found)
    texts = {
        "story": label((one.values.get("story") for one in found), _STORY_LABEL),
        "criteria": label((one for one in criteria if one and "AC-" in one.value), _CRITERIA_LABEL),
        "status": status_label,
    }
    kinds = list(most_common(shape for block in found if len(shape := _order(block)) > 1) or ())
    if is_bare(status_label):  # it only counts as the first
        kinds = ["status", "story", "criteria"]
    if "story" not in kinds:
        kinds.insert(0, "story")
    if "criteria" not in kinds:
        kinds.insert(kinds.index("story") + 1, "criteria")
    if "status" not in kinds:
        kinds.append("status")
    return tuple((kind, texts[kind]) for kind in kinds)


def _order(block: TaskBlock) -> tuple[str, ...]:
    return tuple(sorted(block.values, key=lambda kind: block.values[kind].start))
