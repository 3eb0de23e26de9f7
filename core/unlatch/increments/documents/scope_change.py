"""Write a change of the work into spec.md and tasks.md; a second write changes nothing."""

import re
from collections.abc import Iterable, Sequence

from unlatch.increments.documents.done_marks import with_marked
from unlatch.increments.documents.headings import read_story_heading, read_task_heading
from unlatch.increments.documents.quoting import as_heading, as_title, label_value, literal, quoted
from unlatch.increments.documents.spec import read_spec
from unlatch.increments.documents.spec_and_tasks import Criterion, Spec, Story, Task
from unlatch.increments.documents.status_style import StatusStyle, is_bare, label, most_common
from unlatch.increments.documents.tasks import TaskBlock, marks_headings, read_tasks, task_blocks
from unlatch.increments.model.reopens import AppliedAmendment, NewTask
from unlatch.patterns import pattern
from unlatch.worklog.text.markdown_lines import Line, append_lines, scan_work

_STORY_LABEL = "**User Story**: "
_CRITERIA_LABEL = "**Satisfies ACs**: "
_NUMBER = pattern(r"T-?(?P<digits>[0-9]+)", re.IGNORECASE)
# The number of tasks in the front matter of a tasks.md, as SpecWeave writes it.
_TOTAL = pattern(
    r"\A\ufeff?---[ \t]*+(?:\r\n?+|\n)(?:(?!---|\.\.\.)[^\r\n]*+(?:\r\n?+|\n))*?"
    r"total_tasks:[ \t]*+(?P<count>[0-9]{1,9}+)(?=[ \t]*+(?:#[^\r\n]*+)?+[\r\n])"
)
_UPPER_NUMBER = pattern(r"T-?[0-9]+-(?P<digits>[0-9]{1,9})\Z", re.IGNORECASE)


def with_tasks(text: str, new: Sequence[NewTask], *, heading: str) -> tuple[str, tuple[str, ...]]:
    """Append tasks to a tasks.md, numbered from its highest number; their ids are returned too.

    The heading above them, if any, is one level higher.
    """
    if not new:
        return text, ()
    scanned = scan_work(text).lines
    blocks = task_blocks(scanned)
    level = _level(blocks)
    lines = [] if text.strip("\ufeff \t\r\n") else ["# Tasks", ""]
    if level != 1:
        above = min([(level or 3) - 1, *_open_sections(scanned)])
        lines += [f"{'#' * above} {as_heading(heading)}", ""]
    ids = _next_ids(blocks, len(new))
    writer = _TaskWriter([block for block in blocks if block.head.level or not level], level)
    for task_id, task in zip(ids, new, strict=True):
        lines += writer.lines(task_id, task)
    return append_lines(text, lines[:-1] if not lines[-1] else lines, closes=False), ids


def _level(blocks: Sequence[TaskBlock]) -> int:
    """The level of new tasks: that of most headings, or 0 in a file that lists its tasks."""
    levels = [block.head.level for block in blocks]
    return most_common(level for level in levels if level) or (0 if levels else 3)


def _open_sections(lines: Iterable[Line]) -> list[int]:
    """The levels of the stories that are open at the end of the file."""
    levels: list[int] = []
    for line in lines:
        if line.level:
            while levels and levels[-1] >= line.level:
                levels.pop()
            if not read_task_heading(line.words) and read_story_heading(line.words):
                levels.append(line.level)
    return levels


def _next_ids(blocks: Sequence[TaskBlock], count: int) -> tuple[str, ...]:
    prefix = most_common(block.id[: 1 + (block.id[1] == "-")] for block in blocks) or "T-"
    numbers = [_number(block.id) for block in blocks]
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
    """Writes tasks in the file's style, or in a default style if it has no tasks."""

    def __init__(self, blocks: Sequence[TaskBlock], level: int) -> None:
        headings = [block.heading for block in blocks]
        box = most_common(heading.has_box for heading in headings)
        spaced = most_common(_is_spaced(block) for block in blocks if block.first)
        start = "#" * level or most_common(map(_item_sign, blocks)) or "-"
        # The maximum indent of a label.
        self._indent = None if level else " " * min(len(start) + 1, 3)
        self._head = f"{start} {'[ ] ' if box else ''}"
        self._separator = (
            most_common(heading.separator for heading in headings if heading.title) or ": "
        )
        self._opening = "**" if most_common(map(_is_bold, blocks)) else ""
        self._closing = "" if "**" in self._separator else self._opening
        self._gap = [] if spaced is False else [""]
        style = StatusStyle(blocks)
        # Without a status to follow, a file that marks its headings gets no status line.
        has_status = style.spelling(done=False) or style.spelling(done=True)
        plain = not has_status and (box or marks_headings(blocks))
        self._status = None if plain else style.words(done=False)
        self._labels = _labels(blocks, style.label(self._status))

    def lines(self, id: str, task: NewTask) -> list[str]:
        values = {
            "story": label_value(task.story or ""),
            "criteria": label_value(", ".join(task.criteria)),
            "status": self._status,
        }
        labelled = [text + value for kind, text in self._labels if (value := values[kind])]
        spelled_id = f"{self._opening}{id}{self._closing}"
        title = as_title(task.title)
        read = read_task_heading(f"{spelled_id}{self._separator}{title}")
        if read is None or read.id != id:  # a range, as T-1 - T-2, or a longer id
            title = literal(title)
        lines = [f"{self._head}{spelled_id}{self._separator}{title}".rstrip(" \t")]
        below = [*self._gap, *labelled] if labelled else []
        if task.description and task.description.strip():
            below += ["", *quoted(task.description)]
        if self._indent is None:
            return [*lines, *below, ""]
        return lines + [self._indent + line for line in below if line]


def _item_sign(block: TaskBlock) -> str:
    return block.head.text[: block.head.body].strip(" \t")


def _is_bold(block: TaskBlock) -> bool:
    return block.head.words[len(block.heading.mark) :].startswith("**")


def _is_spaced(block: TaskBlock) -> bool:
    return block.first is not None and block.first.number > block.line + 1


def _labels(blocks: Sequence[TaskBlock], status_label: str) -> tuple[tuple[str, str], ...]:
    """The labels of a story, the criteria and a status, in the file's order."""
    criteria = (block.values.get("criteria") for block in blocks)
    texts = {
        "story": label((block.values.get("story") for block in blocks), _STORY_LABEL),
        "criteria": label(
            (
                criteria_field
                for criteria_field in criteria
                if criteria_field and "AC-" in criteria_field.value
            ),
            _CRITERIA_LABEL,
        ),
        "status": status_label,
    }
    kinds = list(most_common(shape for block in blocks if len(shape := _order(block)) > 1) or ())
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


_NO_REASON = "(none was given)"


def amended_spec(text: str, amended: AppliedAmendment) -> str:
    """A spec.md with an amendment: its criteria open again, and the change at the end."""
    ours = _known(amended.amendment.parts, _parts(read_spec(text)))
    text = with_marked(text, ours, done=False)
    return with_change(text, amended)


def with_change(text: str, amended: AppliedAmendment) -> str:
    """A text with the change of an amendment at its end, if it has one."""
    change = amended.amendment.change
    # The id of the reopen stands below the heading, so that nothing is appended twice.
    if change is None or amended.id in text:
        return text
    return with_scope_change(
        text,
        change=change,
        reason=amended.reason or _NO_REASON,
        date=f"{amended.at:%Y-%m-%d}",
        reopen=amended.id,
    )


def with_scope_change(text: str, *, change: str, reason: str, date: str, reopen: str) -> str:
    """Append a change and its reason, both quoted, to a spec.md under a heading of its own."""
    heading = [
        f"## {as_heading(f'Scope change ({date})')}",
        "",
        f"**Reopen**: {label_value(reopen)}",
    ]
    quotes = ["", "**Reason**:", "", *quoted(reason), "", "**Change**:", "", *quoted(change)]
    return append_lines(text, [*heading, *quotes], closes=False)


def amended_tasks(text: str, amended: AppliedAmendment) -> tuple[str, tuple[str, ...]]:
    """A tasks.md with an amendment, its tasks open again and new ones at the end, and their ids."""
    amendment = amended.amendment
    tasks_before = read_tasks(text).tasks
    text = with_marked(text, _known(amendment.parts, tasks_before), done=False)
    if amended.id in text:
        return text, amendment.ids
    heading = f"Scope change {amended.at:%Y-%m-%d} ({amended.id})"
    after, ids = with_tasks(text, amendment.tasks, heading=heading)
    # Where tasks are top headings, no heading can stand above them.
    is_marked = amended.id in after
    if not is_marked and amendment.ids and set(amendment.ids) <= {task.id for task in tasks_before}:
        return text, amendment.ids
    if total := _TOTAL.match(after):
        start, end = total.span("count")
        after = f"{after[:start]}{int(total['count']) + len(ids)}{after[end:]}"
    return after, ids


def _parts(spec: Spec) -> tuple[Story | Criterion, ...]:
    return (*spec.stories, *spec.criteria)


def _known(parts: Iterable[str], items: Iterable[Criterion | Story | Task]) -> list[str]:
    """The parts that a file still has."""
    ids_here = {item.id.casefold() for item in items}
    return [part for part in parts if part.casefold() in ids_here]
