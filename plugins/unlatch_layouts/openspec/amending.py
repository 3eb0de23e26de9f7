"""Append the tasks of an amendment to the tasks of a change, as a further numbered group."""

import re
from collections.abc import Iterator, Mapping, Sequence

from unlatch.increments.documents.quoting import one_line, quoted
from unlatch.increments.layouts.check_list import known_parts
from unlatch.increments.model.reopens import AppliedAmendment, NewTask
from unlatch.worklog.text.markdown_lines import append_lines, line_ending, scan
from unlatch_layouts.openspec.schema import TASKS
from unlatch_layouts.openspec.task_lines import marked, prefix_of, read_tasks

# `## 2. Setup`; not `### 2.1 Setup`, a part of a group.
_GROUP = re.compile(r"(?P<number>[0-9]{1,6})(?:[.):](?![0-9])|[ \t]|\Z)")
_NUMBER = re.compile(r"[0-9]+")
_LEVEL = 2


def amended(
    texts: Mapping[str, str], change: AppliedAmendment
) -> tuple[dict[str, str], tuple[str, ...]]:
    """The files with an amendment, and the ids of its new tasks; a second time changes nothing."""
    amendment = change.amendment
    after = marked(texts, known_parts(amendment.parts, read_tasks(texts)), done=False)
    if any(change.id in text for text in texts.values()):
        return after, amendment.ids
    if not amendment.tasks and amendment.change is None:
        return after, ()
    path = TASKS if TASKS in texts else next(iter(texts))
    level, number = _next_group(texts, path)
    heading = f"{'#' * level} {number}. Scope change {change.at:%Y-%m-%d} ({change.id})"
    ids = tuple(f"{number}.{place}" for place, _ in enumerate(amendment.tasks, 1))
    lines = [] if texts[path].strip("\ufeff \t\r\n") else ["# Tasks", ""]
    lines += [heading, "", *_reasons(change)]
    for key, task in zip(ids, amendment.tasks, strict=True):
        lines += _task(key, task)
    after[path] = _appended(after[path], lines if lines[-1] else lines[:-1])
    return after, tuple(prefix_of(path) + key for key in ids)


def _next_group(texts: Mapping[str, str], path: str) -> tuple[int, int]:
    """The level of the last numbered heading, and a number above those of groups and tasks."""
    level, highest = _LEVEL, 0
    for line in scan(texts[path]).lines:
        if line.level and (match := _GROUP.match(line.words)):
            level, highest = line.level, max(highest, int(match["number"]))
    own = read_tasks({TASKS: texts[path]})
    numbers = (_NUMBER.search(task.id) for task in own if not task.id.startswith("#"))
    return level, max([highest, *(int(match[0]) for match in numbers if match)]) + 1


def _reasons(change: AppliedAmendment) -> Iterator[str]:
    """The change and its reason, as quotes."""
    for label, text in (("Change", change.amendment.change), ("Reason", change.reason)):
        if text and text.strip():
            yield from (f"**{label}**:", "", *quoted(text), "")


def _task(key: str, task: NewTask) -> Iterator[str]:
    yield f"- [ ] {key} {one_line(task.title)}".rstrip()
    if task.story:
        yield f"  - Requirement: {one_line(task.story)}"
    for name in task.criteria:
        yield f"  - Scenario: {one_line(name)}"
    if task.description and task.description.strip():
        yield from (f"  {line}" for line in quoted(task.description))


def _appended(text: str, lines: Sequence[str]) -> str:
    """The text with lines at its end; a carriage return ends no line in a file with newlines."""
    if line_ending(text) != "\r" or "\n" not in text:
        return append_lines(text, lines)
    return f"{text}\n\n" + "".join(f"{line}\n" for line in lines)
