"""Write a scope change into the criteria of a task's file, where `backlog task` shows new work."""

import re
from collections.abc import Iterator, Sequence

from unlatch.increments.documents.quoting import one_line, quoted
from unlatch.increments.layouts.check_list import with_marked
from unlatch.increments.model.reopens import AppliedAmendment, NewTask
from unlatch.worklog.text.markdown_lines import append_lines, line_ending
from unlatch_layouts.backlog_md.task_file import CRITERIA, Span, entries, items, place_for_more

# In a section without numbers.
_NUMBER = re.compile(r"\A#(?=[0-9])")
_BREAKS = ("\n", "\r")


def amended(text: str, change: AppliedAmendment) -> tuple[str, tuple[str, ...]]:
    """The file with an amendment, and the ids of its new tasks; a second time changes nothing."""
    amendment = change.amendment
    listed = entries(text)
    task_ids = {task.id.casefold() for task in listed}
    parts = [part for part in amendment.parts if part.strip().casefold() in task_ids]
    opened = with_marked(text, listed, parts, done=False)
    criteria = items(opened, CRITERIA)
    if change.id in opened:
        own = (item.task.id for item in criteria if item.scope_change == change.id)
        return opened, amendment.ids or tuple(own)
    if not amendment.tasks and amendment.change is None:
        return opened, ()
    span, is_marked = place_for_more(opened)
    first = max([len(criteria), *(item.number for item in criteria)]) + 1
    numbers = range(first, first + len(amendment.tasks))
    is_numbered = is_marked or span is None or any(item.is_numbered for item in criteria)
    lines = [f"### Scope change {change.at:%Y-%m-%d} ({change.id})", "", *_reasons(change)]
    for number, task in zip(numbers, amendment.tasks, strict=True):
        lines += _task_lines(task, number if is_numbered else None)
    ids = tuple(f"{CRITERIA.prefix}{number}" for number in numbers)
    return _inserted(opened, _as_text(lines), span), ids


def _reasons(change: AppliedAmendment) -> Iterator[str]:
    for label, words in (("Change", change.amendment.change), ("Reason", change.reason)):
        if words and words.strip():
            yield from (f"**{label}**:", "", *quoted(words), "")


def _task_lines(task: NewTask, number: int | None) -> Iterator[str]:
    title = one_line(task.title)
    words = f"#{number} {title}" if number else _NUMBER.sub(r"\\#", title, count=1)
    yield f"- [ ] {words}"
    if task.belongs_to:
        yield f"  - For {', '.join(map(one_line, task.belongs_to))}"
    if task.description and task.description.strip():
        yield from (f"  {line}" for line in quoted(task.description))


def _as_text(lines: Sequence[str]) -> list[str]:
    """The lines without comments: the tool finds its markers anywhere in a line."""
    return [line.replace("\\<!--", "&lt;!--").replace("<!--", "&lt;!--") for line in lines]


def _inserted(text: str, lines: Sequence[str], span: Span | None) -> str:
    """The text with lines at the end of a section, or with a section for them at its own end."""
    if span is None:
        section = CRITERIA.section
        begin, end = (f"<!-- {section}:{kind} -->" for kind in ("BEGIN", "END"))
        return append_lines(text, [f"## {CRITERIA.title}", begin, *lines, end])
    ending = line_ending(text)
    before, after = text[: span.end], text[span.end :]
    if not before.endswith(_BREAKS):
        before += ending
    has_items = bool(text[span.start : span.end].strip())
    is_apart = before.endswith(("\n\n", "\n\r\n", "\r\r")) or not has_items
    gap = "" if is_apart else ending
    below = ending if after.startswith("##") else ""
    return before + gap + "".join(line + ending for line in lines) + below + after
