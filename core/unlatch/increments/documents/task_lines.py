"""The tasks in the lines of a Markdown file: one scanner for all tools.

A `TaskGrammar` says what tells the documents of a tool apart; what the words of a task mean beyond
its id, such as the story that it names, is read by the tool's layout.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import field

from unlatch.increments.documents.marks import MARK, Marks, State
from unlatch.increments.documents.spec_and_tasks import Task
from unlatch.patterns import pattern
from unlatch.values import dataclass
from unlatch.worklog.text.markdown_lines import Line, scan_work

_MARKER = r"(?:[-*+]|[0-9]{1,9}[.)])"
# The first item of a list may begin on the line of the item around it: `1. - [ ] Title`.
_ITEM = rf"(?P<indent>[ \t]*(?:{_MARKER}[ \t]{{1,4}}){{0,4}}){_MARKER}[ \t]"
# mdformat escapes both brackets of the box of an optional task, and its star.
_END = r"(?:\](?![(\[])|\\\](?=\\\*))"
_BOX = pattern(rf"{_ITEM}[ \t]*\\?\[\\?(?P<mark>{MARK}){_END}(?P<rest>.*)\Z")
_LIST_ITEM = pattern(_ITEM)


@dataclass(frozen=True, slots=True)
class TaskGrammar:
    """How a tool writes its tasks.

    Args:
        marks: what the marks in its boxes mean.
        id: the beginning of a task's text with its id. A letter or a digit in brackets is a box
            only before one: spec-kit's own template explains `[P]` in a list.
        nests: whether a task is a part of the one above it that is indented less.
        headings: whether headings can be tasks. Then `id` matches from their beginning, with a
            `mark` that may stand there; a list item is a task only if that is a box and it has an
            id, and not below such a heading.
        box: a list item with a check box; `blank` is white space alone in place of a `mark`.
    """

    marks: Marks
    id: re.Pattern[str]
    nests: bool = False
    headings: bool = False
    box: re.Pattern[str] = _BOX

    def is_box(self, mark: str, text: str) -> bool:
        """Whether brackets at the beginning of a list item are a check box."""
        return self.marks.knows(mark) or not mark.strip().isalnum() or bool(self.id.match(text))


@dataclass(slots=True, eq=False)
class TaskLine:
    """A line with a task; the words of a heading that is one are read by its layout.

    Args:
        indent: the width of the white space before it, a tab as four; -1 for a heading.
        mark: what stands in its check box, and `at` the offset of that in the file.
        text: what follows the box, without white space around it.
        headings: the headings above it, the highest level first.
        below: the lines that follow, up to the next task or heading.
        above: the task that it is a part of, where tasks nest.
    """

    line: Line
    indent: int
    marks: Marks
    mark: str = ""
    at: int = -1
    text: str = ""
    headings: tuple[Line, ...] = ()
    below: list[Line] = field(default_factory=list)
    above: "TaskLine | None" = None

    def task(
        self,
        id: str,
        title: str,
        story: str | None = None,
        criteria: tuple[str, ...] = (),
        *,
        struck: bool = False,
        optional: bool = False,
    ) -> Task:
        """The task of a check box; one that is `struck` out is discarded unless it is done."""
        state = self.marks.state(self.mark)
        is_open = state in (State.OPEN, State.STARTED)
        mark = (self.mark.strip() or None) if is_open else None
        return Task(
            id,
            title,
            state is State.DONE,
            mark,
            self.line.number,
            story,
            criteria,
            discarded=state is State.DISCARDED or (struck and is_open),
            optional=optional,
            mark=mark,
            is_mark_known=self.marks.knows(self.mark),
            box=(self.at, self.at + len(self.mark)),
        )


def scan_tasks(lines: Iterable[Line], grammar: TaskGrammar) -> list[TaskLine]:
    """The tasks in the lines of a file."""
    tasks: list[TaskLine] = []
    around: list[TaskLine] = []
    above: tuple[Line, ...] = ()
    begin = _headed if grammar.headings else _boxed
    for line in lines:
        level = line.level
        if not level and around and around[0].line.level:
            _owner(around, line).below.append(line)  # in a task with a heading
            continue
        if level:
            above = tuple(heading for heading in above if heading.level < level)
            around = [outer for outer in around if 0 < outer.line.level < level]
        if task := begin(line, grammar):
            task.headings = above
            around = [outer for outer in around if grammar.nests and outer.indent < task.indent]
            task.above = around[-1] if around else None
            around.append(task)
            tasks.append(task)
        elif level:
            above = (*above, line)
        elif around:
            _owner(around, line).below.append(line)
    return tasks


def _headed(line: Line, grammar: TaskGrammar) -> TaskLine | None:
    item = None if line.level else _LIST_ITEM.match(line.text)
    head = grammar.id.match(line.words) if line.level or item else None
    if head is None or (item and not (head["mark"] or "").startswith(("[", "\\"))):
        return None
    return TaskLine(line, width(item["indent"]) if item else -1, grammar.marks)


def _boxed(line: Line, grammar: TaskGrammar) -> TaskLine | None:
    match = None if line.level else grammar.box.match(line.text)
    if match is None:
        return None
    mark, at = match["mark"], match.start("mark")
    if mark is None:  # of white space alone, the character in the middle
        middle = len(match["blank"]) // 2
        mark, at = match["blank"][middle : middle + 1], match.start("blank") + middle
    text = match["rest"].strip()
    if not grammar.is_box(mark, text):
        return None
    return TaskLine(line, width(match["indent"]), grammar.marks, mark, line.start + at, text)


def _owner(around: Sequence[TaskLine], line: Line) -> TaskLine:
    """The innermost task that a line is indented below, else the last one."""
    if len(around) > 1:
        indent = width(line.text[: len(line.text) - len(line.text.lstrip(" \t"))])
        return next((outer for outer in reversed(around) if outer.indent < indent), around[-1])
    return around[-1]


def width(indent: str) -> int:
    return len(indent.expandtabs(4))


def task_lines(text: str, grammar: TaskGrammar) -> list[TaskLine]:
    """The tasks of a file outside of code and comments."""
    return scan_tasks(scan_work(text).lines, grammar)
