"""Tasks as check boxes in a Markdown list, as most tools write them."""

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from unlatch.errors import UsageError
from unlatch.increments.documents.marks import MARK, NO_MARKS, Marks, State
from unlatch.increments.documents.model import Task
from unlatch.increments.documents.quoting import shown
from unlatch.increments.model.status import Status
from unlatch.increments.model.unit import GRAMMAR, Evidence
from unlatch.values import dataclass
from unlatch.worklog.markdown_lines import append_lines, scan_work

_BOX = re.compile(
    rf"[ \t]*(?:[-*+]|[0-9]{{1,9}}[.)])[ \t]+\[(?P<mark>{MARK})\](?![(\[])(?P<rest>.*)\Z"
)
_LINES = re.compile(r"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class TaskGrammar:
    """How a tool writes its tasks.

    Args:
        marks: what the marks in its boxes mean.
        id: the beginning of a task's text with its id. A letter or a digit in brackets is a box
            only before one: spec-kit's own template explains `[P]` in a list.
    """

    marks: Marks
    id: re.Pattern[str]

    def is_box(self, mark: str, text: str) -> bool:
        """Whether brackets at the beginning of a list item are a check box."""
        return self.marks.knows(mark) or not mark.strip().isalnum() or bool(self.id.match(text))


class Box(NamedTuple):
    """One check box.

    Args:
        mark: what stands between the brackets, and `at` its offset in the file.
        state: what the mark means in its layout; a mark that is not `known` is open.
        line: the number of its line, from 1.
        indent: the width of the white space before it, a tab as four.
        text: what follows the box, without white space around it.
        headings: the headings above it, the highest level first.
    """

    mark: str
    state: State
    at: int
    line: int
    indent: int
    text: str
    headings: tuple[str, ...] = ()
    known: bool = True

    @property
    def is_done(self) -> bool:
        return self.state is State.DONE

    @property
    def open_mark(self) -> str | None:
        """What a box that is neither done nor dropped has instead of a space, if anything."""
        is_open = self.state in (State.OPEN, State.STARTED)
        return (self.mark.strip() or None) if is_open else None


class Entry(NamedTuple):
    """A task, and the box that says whether it is done."""

    task: Task
    box: Box


def boxes(text: str, grammar: TaskGrammar) -> Iterator[Box]:
    """The check boxes of a file outside of code and comments."""
    headings: list[tuple[int, str]] = []
    for line in scan_work(text).lines:
        if line.level:
            headings = [one for one in headings if one[0] < line.level]
            headings.append((line.level, line.words))
        elif found := _box(line.number, line.start, line.text, grammar):
            yield found._replace(headings=tuple(words for _, words in headings))


def boxes_anywhere(text: str, grammar: TaskGrammar) -> Iterator[Box]:
    """The check boxes of a file on any line, also in code."""
    for number, match in enumerate(_LINES.finditer(text, text.startswith(_BOM)), 1):
        if found := _box(number, match.start(), match[1], grammar):
            yield found


def _box(number: int, start: int, line: str, grammar: TaskGrammar) -> Box | None:
    match = _BOX.match(line)
    if match is None:
        return None
    lead = line[: len(line) - len(line.lstrip(" \t"))]
    indent = len(lead.expandtabs(4))
    mark, text = match["mark"], match["rest"].strip()
    if not grammar.is_box(mark, text):
        return None
    at, marks = start + match.start("mark"), grammar.marks
    return Box(mark, marks.state(mark), at, number, indent, text, known=marks.knows(mark))


def find_entries(entries: Sequence[Entry], ids: Iterable[str]) -> list[Entry]:
    """The entries that ids mean: that of a task, or those of a story or a criterion.

    Raises:
        UsageError: `item-unknown` or `item-ambiguous`.
    """
    own, part = _indexed(entries)
    found: dict[int, Entry] = {}
    for wanted in ids:
        key = wanted.strip().casefold()
        if len(own[key]) > 1:
            lines = " and ".join(str(one.box.line) for one in own[key][:10])
            message = f"the id '{shown(wanted)}' is on lines {lines}"
            raise UsageError("item-ambiguous", message, hint="give each of them an id of its own")
        if not own[key] and not part[key]:
            raise _unknown(wanted, entries)
        # A story is done without its discarded tasks.
        meant = own[key] or [one for one in part[key] if not one.task.discarded]
        found.update({one.box.at: one for one in meant})
    return list(found.values())


_Index = dict[str, list[Entry]]


def _indexed(entries: Iterable[Entry]) -> tuple[_Index, _Index]:
    """The entries by the ids of their tasks, and by those of stories and criteria."""
    own: _Index = defaultdict(list)
    part: _Index = defaultdict(list)
    for one in entries:
        own[one.task.id.casefold()].append(one)
        belongs_to = (one.task.story, *one.task.criteria)
        for key in {name.casefold() for name in belongs_to if name}:
            part[key].append(one)
    return own, part


def _unknown(wanted: str, entries: Sequence[Entry]) -> UsageError:
    ids = [one.task.id for one in entries]
    hint = f"its ids run from {ids[0]} to {ids[-1]}" if ids else "the file lists no tasks"
    message = f"no task, story or criterion has the id '{shown(wanted)}'"
    return UsageError("item-unknown", message, hint=hint)


# The old and the new mark of each box that changes, by its offset.
Edits = Mapping[int, tuple[str, str]]


def edits_of(
    entries: Sequence[Entry],
    ids: Iterable[str],
    *,
    done: bool,
    tick: str = "x",
    marks: Mapping[str, str] = NO_MARKS,
) -> Edits:
    """What ticks or unticks boxes; those that fit already stay. Raises as `find_entries`.

    Args:
        tick: the tick in a file without done tasks; elsewhere that of the nearest one is used.
        marks: what stood in boxes before they were ticked, by the ids of tasks in lower case.
    """
    ticked = sorted((one.box for one in entries if one.box.is_done), key=lambda box: box.line)
    lines = [box.line for box in ticked]
    edits: dict[int, tuple[str, str]] = {}
    for task, box in find_entries(entries, ids):
        if box.is_done is not done or task.discarded:
            near = bisect(lines, box.line)
            both = ticked[max(near - 1, 0) : near + 1]
            nearest = min(both, key=lambda one: abs(one.line - box.line), default=None)
            before = marks.get(task.id.casefold(), " ")
            edits[box.at] = (box.mark, (nearest.mark if nearest else tick) if done else before)
    return edits


def with_marked(
    text: str,
    entries: Sequence[Entry],
    ids: Iterable[str],
    *,
    done: bool,
    tick: str = "x",
    marks: Mapping[str, str] = NO_MARKS,
) -> str:
    """The text with boxes ticked or unticked, as `edits_of`."""
    return with_edits(text, edits_of(entries, ids, done=done, tick=tick, marks=marks))


def with_edits(text: str, edits: Edits) -> str:
    parts, end = [], 0
    for at, (old, new) in sorted(edits.items()):
        parts += [text[end:at], new]
        end = at + len(old)
    return "".join((*parts, text[end:]))


def append_section(text: str, heading: str, lines: Sequence[str]) -> str:
    """The text with a heading and the lines below it at its end."""
    return append_lines(text, [heading, "", *lines], closes=False)


def evidence_of(tasks: Iterable[Task]) -> Evidence | None:
    """The status that the required tasks show; None without any."""
    required = [task for task in tasks if not (task.discarded or task.optional)]
    now = _evidence(required)
    # Earlier releases read no task in a box with a mark that they did not know, but for `[/]`.
    before = [task for task in required if task.is_mark_known or task.mark == "/"]
    return replace(now, grammar=GRAMMAR, former=_evidence(before)) if now else None


def _evidence(required: Sequence[Task]) -> Evidence | None:
    if not required:
        return None
    done = sum(task.done is True for task in required)
    by = f"{done}/{len(required)} tasks"
    if done == len(required):
        return Evidence(Status.COMPLETED, by)
    is_begun = done or any(task.status for task in required)
    return Evidence(Status.ACTIVE if is_begun else Status.PLANNING, by)
