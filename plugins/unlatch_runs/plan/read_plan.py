"""Reading a plan: `### Task 1-1-1: Title` with **Work**, **Acceptance Criteria**, **Blocked By**.

Headings and fields in code blocks and comments do not count. All mistakes are reported at once,
each with its line.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import field
from graphlib import CycleError, TopologicalSorter
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.errors import MistakesError
from unlatch.values import dataclass
from unlatch.worklog.text.markdown_lines import Line, scan
from unlatch_runs.plan.commands import ShellSyntax, command_lines, split_command
from unlatch_runs.plan.plan_model import Command, Plan, PlanTask

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


_ID = r"[A-Za-z0-9]+(?:[-._][A-Za-z0-9]+)*"
_HEADING = re.compile(rf"Task\s+(?P<id>{_ID})(?:\s*:|\s+[-\u2013\u2014]\s)\s*+(?P<title>.*\S)\s*\Z")
# An id that is none would be a task that is left out.
_LIKE_A_TASK = re.compile(r"Task\s+(?:\d|\S+\s*:)")
_FIELD = re.compile(r"\*\*(?P<name>[A-Za-z][A-Za-z ]*?)(?::\*\*|\*\*\s*:|\*\*\Z)\s*+(?P<rest>.*)\Z")
_SHELLS = frozenset({"bash", "sh", "shell", "zsh", "console"})
_CODE = re.compile(r"\[[ xX]\]\s+`([^`]+)`\s*\Z")
_REFERENCE = re.compile(rf"(?:Tasks?\s+)?`?\[?({_ID})\]?`?(?:\s*\(.*\))?\Z", re.IGNORECASE)
_NONE = frozenset({"", "none", "nothing", "n/a", "-", "\u2013", "\u2014"})
_LINE_END = re.compile(r"\r\n|\r|\n")
_LEVELS = (2, 3, 4, 5)
_HEADING_IS = (
    "a task's heading is 'Task ID: Title'; an ID has letters and digits, and '-', '.' or '_' "
    "between them"
)
WORK, CRITERIA, BLOCKED_BY = "work", "acceptance criteria", "blocked by"


def read_plan(text: str, source: str) -> Plan:
    """The plan in a Markdown text; `source` names it in errors and in the run.

    Raises:
        MistakesError: `plan-invalid`, with every mistake and its line as problems.
    """
    reader = _Reader(text)
    tasks = list(reader.tasks())
    mistakes = sorted([*reader.mistakes, *_graph_mistakes(tasks)])
    if not tasks and not mistakes:
        mistakes = [(1, "there is no task; a task begins with a heading '### Task 1-1-1: Title'")]
    if mistakes:
        count = "1 mistake" if len(mistakes) == 1 else f"{len(mistakes)} mistakes"
        problems = tuple(f"{source}:{line}: {problem}" for line, problem in mistakes)
        hint = f"correct {quote(source)}, then: unlatch run check {quote(source)}"
        message = f"the plan has {count}"
        raise MistakesError("plan-invalid", message, where=source, hint=hint, problems=problems)
    return Plan(source, {task.id: task for task in tasks})


@dataclass(slots=True)
class _Section:
    """The heading of a task, and its fields: name, first line, and the place of the text."""

    heading: Line
    id: str
    title: str
    fields: list[tuple[str, int, int, int]] = field(default_factory=list)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.scan = text, scan(text)
        # A plan may have 10,000 tasks: nothing is searched from its beginning for each.
        self._line_starts = [line.start for line in self.scan.lines]
        self._fence_starts = [fence.start for fence in self.scan.fences]
        self._ends = [match.end() for match in _LINE_END.finditer(text)]
        self.mistakes: list[tuple[int, str]] = []

    def tasks(self) -> Iterator[PlanTask]:
        for section in self._sections():
            yield self._task(section)

    def _sections(self) -> Iterator[_Section]:
        """The tasks with the places of their fields; a field ends where the next thing begins."""
        section: _Section | None = None
        begun: tuple[str, int, int] | None = None
        for line in (*self.scan.lines, None):
            heading = line is not None and self._heading(line)
            ends = line is None or bool(heading) or self._leaves(section, line)
            name = None if ends or line is None else _FIELD.match(line.words)
            if section and begun and (ends or name):
                end = len(self.text) if line is None else line.start
                section.fields.append((*begun, end))
                begun = None
            if ends:
                if section:
                    yield section
                section = heading or None
            elif section and name and line:
                rest = line.start + line.text.index(name["rest"], line.body + name.start("rest"))
                begun = (name["name"].strip().lower(), line.number, rest)

    def _heading(self, line: Line) -> _Section | None:
        if line.level not in _LEVELS:
            return None
        if match := _HEADING.match(line.words):
            return _Section(line, match["id"], match["title"])
        if _LIKE_A_TASK.match(line.words):
            self.mistakes.append((line.number, _HEADING_IS))
        return None

    def _leaves(self, section: _Section | None, line: Line) -> bool:
        return section is not None and 0 < line.level <= section.heading.level

    def _task(self, section: _Section) -> PlanTask:
        texts: dict[str, str] = {}
        commands: tuple[Command, ...] = ()
        blocked_by: tuple[str, ...] = ()
        for name, number, start, end in section.fields:
            if name in texts:
                problem = f"task {section.id} has two fields '{name.title()}'"
                self.mistakes.append((number, problem))
            texts[name] = self.text[start:end].strip()
            if name == CRITERIA:
                commands = tuple(self._commands(start, end))
            elif name == BLOCKED_BY:
                blocked_by = tuple(self._references(texts[name], number))
        own = (WORK, CRITERIA, BLOCKED_BY)
        return PlanTask(
            id=section.id,
            title=section.title,
            work=texts.get(WORK, ""),
            criteria=texts.get(CRITERIA, ""),
            commands=commands,
            blocked_by=blocked_by,
            notes=tuple((name, text) for name, text in texts.items() if name not in own),
            line=section.heading.number,
        )

    def _references(self, text: str, number: int) -> Iterator[str]:
        for word in re.split(r"[,;\n]|\band\b", text):
            bare = word.strip().lstrip("-*+ ").strip().rstrip(".")
            if bare.lower() in _NONE:
                continue
            if match := _REFERENCE.match(bare):
                yield match[1]
            else:
                self.mistakes.append((number, f"'{bare}' is not the id of a task"))

    def _commands(self, start: int, end: int) -> Iterator[Command]:
        """The commands of fenced blocks, and of check boxes that are nothing but code."""
        lines = [*self._in_fences(start, end), *self._in_boxes(start, end)]
        for number, text in sorted(lines):
            try:
                if argv := split_command(text):
                    yield Command(argv, number)
            except ShellSyntax as error:
                self.mistakes.append((number, f"acceptance command `{text}`: {error}"))

    def _in_fences(self, start: int, end: int) -> Iterator[tuple[int, str]]:
        for fence in self.scan.fences[_within(self._fence_starts, start, end)]:
            kind = fence.info.split(" ")[0].lower()
            if kind not in _SHELLS:
                continue
            first = bisect_right(self._ends, fence.start) + 2
            for offset, text in command_lines(self._block(fence.start, end)):
                prompt = kind == "console" and text.startswith("$ ")
                yield first + offset, text[2:] if prompt else text

    def _block(self, start: int, end: int) -> str:
        """The content of a fenced block whose first line ends at `start`, before `end`."""
        opening = self.text[self.text.rfind("\n", 0, start) + 1 : start].lstrip(" \t-*+")
        sign = opening[: len(opening) - len(opening.lstrip(opening[0]))]
        lines = []
        for line in self.text[start:end].splitlines()[1:]:
            if line.strip().startswith(sign) and not line.strip().strip(sign[0]):
                break
            lines.append(line)
        return "\n".join(lines)

    def _in_boxes(self, start: int, end: int) -> Iterator[tuple[int, str]]:
        for line in self.scan.lines[_within(self._line_starts, start, end)]:
            if match := _CODE.match(line.words):
                yield line.number, match[1]


def _within(starts: list[int], start: int, end: int) -> slice:
    return slice(bisect_left(starts, start), bisect_left(starts, end))


def _graph_mistakes(tasks: Sequence[PlanTask]) -> Iterator[tuple[int, str]]:
    """Ids that come twice or are unknown, and a cycle with its path; each with its line."""
    by_id: dict[str, PlanTask] = {}
    for task in tasks:
        if first := by_id.get(task.id):
            yield task.line, f"task {task.id} is defined in line {first.line} already"
        else:
            by_id[task.id] = task
    for task in tasks:
        for wanted in task.blocked_by:
            if wanted not in by_id:
                yield task.line, f"task {task.id} is blocked by {wanted}, an unknown task"
    graph = {name: by_id.keys() & task.blocked_by for name, task in by_id.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        # Each task of the path blocks the one behind it.
        path = list(reversed(error.args[1]))
        yield by_id[path[0]].line, f"the tasks block each other: {' <- '.join(path)}"
