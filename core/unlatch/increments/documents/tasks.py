"""Reading tasks.md in any of the spellings known from real files."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from itertools import takewhile, zip_longest
from typing import NamedTuple

from unlatch.increments.documents.headings import (
    CRITERION_ID,
    STORY_ID,
    TASK,
    Heading,
    read_story_heading,
    read_task_heading,
    story_behind,
)
from unlatch.increments.documents.marks import BLANK, NATIVE, READ_BOX, State, mark_in, state_of_box
from unlatch.increments.documents.spec_and_tasks import Task, Tasks
from unlatch.increments.documents.state_words import read_status, split_note
from unlatch.increments.documents.task_lines import TaskGrammar, TaskLine, scan_tasks
from unlatch.patterns import pattern
from unlatch.values import dataclass
from unlatch.worklog.text.markdown_lines import Line, scan_work

_LABEL = pattern(
    r"(?P<lead>\A[ \t]{0,8}(?:[-*+][ \t]{1,4})?|[|\u00b7][ \t]{0,4})"
    r"(?:\*\*(?P<bold>[A-Za-z][A-Za-z -]{0,30})(?::\*\*|\*\*[ \t]{0,4}:)|(?P<plain>[Ss]tatus):)"
    rf"{BLANK}{{0,8}}"
)
# The kinds of known labelled values, by their labels in lower case.
_KINDS = {
    "status": "status",
    **dict.fromkeys(("user story", "user stories", "story", "us"), "story"),
    **dict.fromkeys(("ac", "acs", "ac-id", "ac-ids", "linked acs", "satisfies"), "criteria"),
    **dict.fromkeys(("satisfies acs", "satisfies ac"), "criteria"),
    **dict.fromkeys(("acceptance criteria", "acceptance criterion"), "criteria"),
}
_BOXED = pattern(rf"[ \t]*[-*+][ \t]{{1,4}}(?P<value>(?P<box>{READ_BOX}){BLANK}.*)\Z")
_STORY = pattern(rf"(?<![\w-]){STORY_ID}")
_CRITERION = pattern(rf"(?<![\w-]){CRITERION_ID}", re.IGNORECASE)
_DISCARDED_ID = pattern(
    r".*-(?:discarded|deferred|cancelled|canceled|abandoned|skipped|dropped|obsolete)",
    re.IGNORECASE,
)


class Field(NamedTuple):
    """A labelled value of a task: `**Status**: [x] completed`.

    Args:
        name: the label in lower case.
        label: everything before the value, as the next task would repeat it.
        start: the offset of the value in the file.
    """

    name: str
    label: str
    start: int
    value: str
    line: int

    @property
    def end(self) -> int:
        return self.start + len(self.value)


def fields(line: Line) -> Iterable[Field]:
    """The values of a line that begins with a label; `|` or a middle dot separates several."""
    matches = _labels(line)
    return _fields(line, matches) if matches and not matches[0].start() else ()


def _labels(line: Line) -> list[re.Match[str]]:
    if "**" not in line.text and "tatus:" not in line.text:
        return []
    return list(_LABEL.finditer(line.text))


def _fields(line: Line, matches: list[re.Match[str]]) -> Iterator[Field]:
    for match, following in zip_longest(matches, matches[1:]):
        value = line.text[match.end() : following.start() if following else None].rstrip(" \t")
        lead = match["lead"]
        label = match[0].removeprefix(lead) if lead.startswith(("|", "\u00b7")) else match[0]
        if match["plain"] and value and read_status(value).state is None:
            continue  # such as the status of a decision: Accepted
        name = (match["bold"] or match["plain"]).strip(" -").lower()
        yield Field(name, label, line.start + match.end(), value, line.number)


@dataclass(slots=True)
class TaskBlock:
    """A task and the lines of its parts.

    Args:
        section: the story that it stands under.
        indent: the white space before a task that is an item of a list; None for a heading.
        first: the first line below the heading.
        values: its status, the line that names its story and the one with its criteria, by kind; a
            check box may stand for the status.
        boxes: the check boxes below an empty Status line, with their offsets in the file.
    """

    head: Line
    heading: Heading
    section: str | None
    indent: str | None = None
    first: Line | None = None
    values: dict[str, Field] = field(default_factory=dict)
    boxes: list[tuple[int, str]] = field(default_factory=list)

    @property
    def id(self) -> str:
        return self.heading.id

    @property
    def line(self) -> int:
        return self.head.number

    @property
    def status(self) -> Field | None:
        return self.values.get("status")

    @property
    def status_state(self) -> State | None:
        """The state in its Status line."""
        if self.status is None:
            return None
        if self.status.value or not self.boxes:
            return read_status(self.status.value).state
        is_done = all(state_of_box(box) is State.DONE for _, box in self.boxes)
        return State.DONE if is_done else State.OPEN

    @property
    def state(self) -> State | None:
        """The state by all marks: an open box counts first, then the status, then the heading."""
        state, heading = self.status_state, self.heading
        if state is State.DONE:
            return State.OPEN if heading.has_box and heading.mark_state is State.OPEN else state
        marks = (heading.suffix_state, heading.mark_state)
        if State.DISCARDED in marks or discarded_by_id(self.id):
            return State.DISCARDED
        return state or marks[0] or marks[1]

    def has(self, line: Line) -> bool:
        """Whether a line below an item of a list belongs to it, by its indent."""
        return line.text.startswith((f"{self.indent} ", f"{self.indent}\t"))

    def take(self, line: Line) -> None:
        """Read a line below the heading."""
        if self.indent is not None:  # any part of an item may be indented further
            line = _without_indent(line)
        status = self.values.get("status")
        is_next = status and not status.value and line.number == status.line + len(self.boxes) + 1
        if is_next and (match := _BOXED.match(line.text)):
            self.boxes.append((line.start + match.start("box"), match["box"]))
        for value in fields(line):
            if value.name in _KINDS:
                self.values.setdefault(_KINDS[value.name], value)
        if self.first is None:
            self.first = line
            if self.indent is None and (bare := _bare_status(line)):
                self.values.setdefault("status", bare)


GRAMMAR = TaskGrammar(NATIVE, TASK, headings=True)


def read_tasks(text: str) -> Tasks:
    blocks = task_blocks(scan_work(text).lines)
    is_marked = marks_headings(blocks)
    return Tasks(text, tuple(_task(block, is_marked=is_marked) for block in blocks))


def task_blocks(lines: Iterable[Line]) -> list[TaskBlock]:
    blocks = [block for task in scan_tasks(lines, GRAMMAR) if (block := _block(task))]
    # Items of a list that repeats tasks with headings, such as an overview, are no tasks.
    headings = {block.id.upper() for block in blocks if block.indent is None}
    return [block for block in blocks if block.indent is None or block.id.upper() not in headings]


def _block(task: TaskLine) -> TaskBlock | None:
    head, values = _split(task.line)
    heading = read_task_heading(head.words)
    if heading is None:
        return None
    stories = map(read_story_heading, (line.words for line in reversed(task.headings)))
    section = next((story.id for story in stories if story), None)
    indent = None if task.line.level else head.text[: -len(head.text.lstrip(" \t"))]
    block = TaskBlock(head, heading, section, indent, values=values)
    # All that is below a heading belongs to it.
    for line in task.below if indent is None else takewhile(block.has, task.below):
        block.take(line)
    return block


def _split(line: Line) -> tuple[Line, dict[str, Field]]:
    """The first line of a task without the fields behind its title, if its status is there."""
    if not (matches := _labels(line)):
        return line, {}
    values = {_KINDS[value.name]: value for value in _fields(line, matches) if value.name in _KINDS}
    if "status" not in values:
        return line, {}
    return line._replace(text=line.text[: matches[0].start()]), values


def _without_indent(line: Line) -> Line:
    cut = len(line.text) - len(line.text.lstrip(" \t"))
    return line._replace(start=line.start + cut, text=line.text[cut:], body=line.body - cut)


def discarded_by_id(id: str) -> bool:
    """Whether an id marks its task as given up: T-001-DISCARDED."""
    return id[-1:].isalpha() and _DISCARDED_ID.fullmatch(id) is not None


def marks_headings(blocks: Sequence[TaskBlock]) -> bool:
    """Whether a file marks done tasks in their headings, so that a task without a mark is open.

    Check boxes in headings do not count: open tasks have them as well.
    """
    return any(block.heading.is_marked_done for block in blocks if not block.heading.has_box)


def _task(block: TaskBlock, *, is_marked: bool) -> Task:
    heading, state = block.heading, block.state
    raw = block.status.value if block.status else None
    if state is None and (raw or is_marked):
        state = State.OPEN  # also a status in words that nobody knows
    boxes = [heading.mark.rstrip() if heading.has_box else None, *(b for _, b in block.boxes)]
    boxes.append(read_status(raw).box if raw else None)
    return Task(
        heading.id,
        heading.title,
        None if state in (None, State.DISCARDED) else state is State.DONE,
        raw or (heading.mark + heading.suffix).strip() or None,
        block.line,
        story=_story(block),
        criteria=_criteria(block),
        discarded=state is State.DISCARDED,
        is_mark_known=all(NATIVE.knows(mark_in(box)) for box in boxes if box),
    )


def _story(block: TaskBlock) -> str | None:
    if value := block.values.get("story"):
        named = _STORY.search(value.value)
        return named[0] if named else None
    return story_behind(block.heading.title) or block.section


def _criteria(block: TaskBlock) -> tuple[str, ...]:
    if (value := block.values.get("criteria")) is None:
        return ()
    named = _CRITERION.findall(value.value)
    return tuple(dict.fromkeys(name for name in named if any(map(str.isdigit, name))))


def _bare_status(line: Line) -> Field | None:
    match = _BOXED.match(line.text)
    if match is None:
        return None
    value = match["value"].rstrip(" \t")
    status = read_status(split_note(value)[0])
    if status.word is None or status.note:
        return None
    start = match.start("value")
    return Field("status", line.text[:start], line.start + start, value, line.number)
