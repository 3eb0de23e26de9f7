"""The tasks of a tasks.md: `- [ ] 1. Title`, `  - [ ] 1.1 Title`, `- [ ]* 1.2 Optional`.

Kiro runs the leaves that are not optional, so a task with tasks below it is not required itself
(kirodotdev/Kiro#8714); its own box often stays open (#2502). It is below another by its indent, or
by its number, as cc-sdd writes it.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from unlatch.increments.documents.item_ids import with_edits
from unlatch.increments.documents.marks import Marks, State
from unlatch.increments.documents.spec_and_tasks import Spec, Task
from unlatch.increments.documents.task_lines import TaskGrammar, TaskLine, task_lines
from unlatch_layouts.kiro.requirement_references import (
    keys_in,
    reference_in,
    stories_by_key,
    without_reference,
)

_NUMBER = r"[0-9]{1,9}(?:\.[0-9]{1,4}){0,5}[a-z]?"
_END = r"\\?[.):\uff1a\u3001"
GRAMMAR = TaskGrammar(
    # In progress, and queued (kirodotdev/Kiro#8859, #5723).
    Marks({"-": State.STARTED, "~": State.OPEN}),
    # `2.1`, `2.`, `T001` and `Task 2` are ids, the number of "2 files" is none.
    re.compile(
        r"(?P<star>\\?\*(?!\*)[ \t]*)?(?P<bold>\*\*|__)?"
        rf"(?=T|[0-9]{{1,9}}(?:\.[0-9]|[a-z]?(?:{_END}*]|__)))(?:Task[ \t]{{1,4}})?"
        rf"(?P<id>T-?[0-9]{{1,9}}|{_NUMBER})(?P<late>\\?\*(?=[ \t.:\\]|\Z))?(?:{_END}])*"
        r"(?P<close>\*\*|__)?[:\uff1a]?(?:[ \t]+|\Z)",
        re.IGNORECASE,
    ),
    nests=True,
)
_STAR = re.compile(r"\\?\*[ \t]")
# cc-sdd's mark of tasks that can run at the same time.
_PARALLEL = re.compile(r"\A\(P\)(?:[ \t]|\Z)|[ \t]\(P\)\Z")


class _Read(NamedTuple):
    """A task while it is read; the story and the criteria that it names are in `references`."""

    line: TaskLine
    id: str
    title: str
    starred: bool
    references: list[re.Match[str]]


def read_tasks(text: str, spec: Spec) -> list[Task]:
    """The tasks, with the stories and criteria of `spec` that they name."""
    stories, rows = stories_by_key(spec), _read(text)
    parents = {row.line.above for row in rows}
    starred: set[TaskLine | None] = set()
    tasks = []
    for line, key, title, is_starred, references in rows:
        if is_starred or line.above in starred:
            starred.add(line)
        optional = line in parents or line in starred
        tasks.append(line.task(key, title, *keys_in(references, stories), optional=optional))
    return tasks


def with_opened_below(text: str, tops: Iterable[Task]) -> str:
    """The text in which all tasks below these ones are open."""
    starts, edits = {task.line for task in tops}, []
    below: set[TaskLine | None] = set()
    for line in (row.line for row in _read(text)):
        if line.above in below:
            below.add(line)
            if line.marks.state(line.mark) is State.DONE:
                edits.append((line.at, line.at + 1, " "))
        elif line.line.number in starts:
            below.add(line)
    return with_edits(text, edits)


def _read(text: str) -> Sequence[_Read]:
    rows: list[_Read] = []
    numbered: dict[str, TaskLine] = {}
    for place, line in enumerate(task_lines(text, GRAMMAR), 1):
        words, reference = without_reference(line.text)
        match = GRAMMAR.id.match(words)
        key = match["id"] if match else f"#{place}"
        line.above = line.above or numbered.get(key.rpartition(".")[0])
        numbered[key] = line
        named = [reference, *(reference_in(below.text) for below in line.below)]
        rows.append(
            _Read(line, key, *_title(words, match), [mention for mention in named if mention])
        )
    return rows


def _title(words: str, match: re.Match[str] | None) -> tuple[str, bool]:
    """The title of a task, and whether it has the star of an optional one."""
    if match is None:
        star = _STAR.match(words)
        return (words[star.end() :].strip(), True) if star else (words, False)
    title = _PARALLEL.sub("", words[match.end() :])
    if match["bold"] and not match["close"]:
        title = title.replace(match["bold"], "", 1)
    return title.strip(), bool(match["star"] or match["late"])
