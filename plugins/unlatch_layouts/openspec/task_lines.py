"""The tasks of a change: check boxes on any lines of its files, in code and comments too."""

import re
from collections.abc import Iterable, Iterator, Mapping

from unlatch.increments.documents.item_ids import with_edits
from unlatch.increments.documents.marks import NO_MARKS, Marks
from unlatch.increments.documents.spec_and_tasks import Task
from unlatch.increments.documents.task_lines import TaskGrammar, TaskLine, scan_tasks, width
from unlatch.increments.layouts.check_list import edits_of
from unlatch.worklog.text.markdown_lines import Line
from unlatch_layouts.openspec.schema import TASKS

# White space of JavaScript's `\s`.
_WS = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
# `1.1`, `1.`, `T1.1` or `T001`, also bold; a number alone is a word of the title.
_ID = re.compile(
    r"(?P<open>[*_`\[]{0,4})"
    r"(?P<id>T-?[0-9]{1,6}(?:\.[0-9]{1,6}){0,6}[a-z]?|[A-UW-Z]?[0-9]{1,6}(?:\.[0-9]{1,6}){1,6}[a-z]?"
    r"|[0-9]{1,6}(?=[.):]|[*_`\]]{1,4}(?:[.):]|[ \t]|\Z)))"
    r"(?:(?P<close>[*_`\]]{1,4})[.):]?|[.):](?P<late>[*_`\]]{1,4})?)?"
    r"(?=[ \t]|\Z|[^\x00-\x7f])[ \t]*(?:[:\u2013\u2014-][ \t]+)?"
)
GRAMMAR = TaskGrammar(
    Marks({}, knows_all=True),
    _ID,
    # The tool's own pattern (src/utils/task-progress.ts): one character; a link's text is no box.
    box=re.compile(
        rf"(?P<indent>[{_WS}]*+)(?:[-*+]|[0-9]{{1,9}}[.)])[{_WS}]*+\["
        rf"(?:[{_WS}]*+(?P<mark>[^\]{_WS}\U00010000-\U0010ffff])[{_WS}]*+\](?![(\[])"
        rf"|(?P<blank>[{_WS}]++|(?=\](?![(\[])))\])(?P<rest>[^\n]*)"
    ),
)
# The end of an empty box that would be the text of a link once it is ticked.
_LINKED = re.compile(rf"[{_WS}]*+\](?=[(\[])")
_BELOW = re.compile(r"(?P<indent>[ \t]+)[-*+][ \t]+(?P<kind>Requirement|Scenario):(?P<name>[^\n]+)")


def read_tasks(texts: Mapping[str, str]) -> list[Task]:
    """The tasks of files, by their paths; the offsets are those of the files in a row."""
    tasks: list[Task] = []
    start = 0
    for path, text in texts.items():
        prefix = prefix_of(path)
        for place, task_line in enumerate(scan_tasks(_lines(text, start), GRAMMAR), 1):
            tasks.append(_task(task_line, prefix, place))
        start += len(text)
    return tasks


def prefix_of(path: str) -> str:
    """What tells apart the ids of several files: the folder or name of one beside `tasks.md`."""
    name = path.removesuffix(TASKS).rstrip("/").removesuffix(".md")
    return f"{name}:" if name else ""


def _lines(text: str, start: int) -> Iterator[Line]:
    """The lines as the tool splits them; it takes a file without any newline for one line."""
    for number, line in enumerate(text.split("\n" if "\n" in text else "\r"), 1):
        yield Line(number, start, line, 0, 0)
        start += len(line) + 1


def _task(task_line: TaskLine, prefix: str, place: int) -> Task:
    match = _ID.match(task_line.text)
    title = task_line.text[match.end() :] if match else task_line.text
    if match and not (match["close"] or match["late"]):
        title = match["open"] + title
    below = filter(None, (_BELOW.match(line.text) for line in task_line.below))
    names = [
        (detail["kind"], detail["name"].strip())
        for detail in below
        if width(detail["indent"]) > task_line.indent
    ]
    return task_line.task(
        prefix + (match["id"] if match else f"#{place}"),
        title,
        next((name for kind, name in names if kind == "Requirement"), None),
        tuple(name for kind, name in names if kind == "Scenario"),
    )


def marked(
    texts: Mapping[str, str],
    ids: Iterable[str],
    *,
    done: bool,
    marks: Mapping[str, str] = NO_MARKS,
) -> dict[str, str]:
    """Tick or untick tasks of files; UsageError `item-unknown` or `item-ambiguous`."""
    whole = "".join(texts.values())
    edits = [
        (at, link.end(), f"{new}{link[0]} ")
        if (link := _LINKED.match(whole, to))
        else (at, to, new)
        for at, to, new in edits_of(whole, read_tasks(texts), ids, done=done, marks=marks)
    ]
    changed: dict[str, str] = {}
    start = 0
    for path, text in texts.items():
        end = start + len(text)
        own = [(at - start, to - start, new) for at, to, new in edits if start <= at < end]
        changed[path] = with_edits(text, own)
        start = end
    return changed
