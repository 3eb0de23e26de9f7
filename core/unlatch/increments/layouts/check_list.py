"""Tasks as check boxes in a Markdown list, as most tools write them."""

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from unlatch.errors import UsageError
from unlatch.increments.documents.model import Task
from unlatch.increments.documents.quoting import shown
from unlatch.increments.model.status import Status
from unlatch.increments.model.unit import Evidence
from unlatch.worklog.markdown_lines import append_lines, scan

_BOX = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\[(?P<mark>[ xX~/-])\](?P<rest>.*)\Z")
_LINES = re.compile(r"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_BOM = "\ufeff"
_DONE = frozenset("xX")


class Box(NamedTuple):
    """One check box.

    Args:
        mark: the character between the brackets, and `at` its offset in the file.
        line: the number of its line, from 1.
        indent: the width of the white space before it, a tab as four.
        text: what follows the box, without white space around it.
        headings: the headings above it, the highest level first.
    """

    mark: str
    at: int
    line: int
    indent: int
    text: str
    headings: tuple[str, ...] = ()

    @property
    def is_done(self) -> bool:
        return self.mark in _DONE


class Entry(NamedTuple):
    """A task, and the box that says whether it is done."""

    task: Task
    box: Box


def boxes(text: str) -> Iterator[Box]:
    """The check boxes of a file outside of code and comments."""
    headings: list[tuple[int, str]] = []
    for line in scan(text).lines:
        if line.level:
            headings = [one for one in headings if one[0] < line.level]
            headings.append((line.level, line.words))
        elif found := _box(line.number, line.start, line.text):
            yield found._replace(headings=tuple(words for _, words in headings))


def boxes_anywhere(text: str) -> Iterator[Box]:
    """The check boxes of a file on any line, also in code."""
    for number, match in enumerate(_LINES.finditer(text, text.startswith(_BOM)), 1):
        if found := _box(number, match.start(), match[1]):
            yield found


def _box(number: int, start: int, line: str) -> Box | None:
    match = _BOX.match(line)
    if match is None:
        return None
    lead = line[: len(line) - len(line.lstrip(" \t"))]
    indent = len(lead.expandtabs(4))
    return Box(match["mark"], start + match.start("mark"), number, indent, match["rest"].strip())


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


def with_marked(
    text: str, entries: Sequence[Entry], ids: Iterable[str], *, done: bool, tick: str = "x"
) -> str:
    """Tick or untick boxes; those that fit already stay. Raises as `find_entries`.

    Args:
        tick: the tick in a file without done tasks; elsewhere that of the nearest one is used.
    """
    ticked = sorted((one.box for one in entries if one.box.is_done), key=lambda box: box.line)
    lines = [box.line for box in ticked]
    edits: dict[int, str] = {}
    for task, box in find_entries(entries, ids):
        if box.is_done is not done or task.discarded:
            near = bisect(lines, box.line)
            both = ticked[max(near - 1, 0) : near + 1]
            nearest = min(both, key=lambda one: abs(one.line - box.line), default=None)
            edits[box.at] = (nearest.mark if nearest else tick) if done else " "
    return _replaced(text, edits)


def _replaced(text: str, edits: Mapping[int, str]) -> str:
    parts, end = [], 0
    for at in sorted(edits):
        parts += [text[end:at], edits[at]]
        end = at + 1
    return "".join((*parts, text[end:]))


def append_section(text: str, heading: str, lines: Sequence[str]) -> str:
    """The text with a heading and the lines below it at its end."""
    return append_lines(text, [heading, "", *lines])


def evidence_of(tasks: Iterable[Task]) -> Evidence | None:
    """The status that the required tasks show; None without any."""
    required = [task for task in tasks if not (task.discarded or task.optional)]
    if not required:
        return None
    done = sum(task.done is True for task in required)
    by = f"{done}/{len(required)} tasks"
    if done == len(required):
        return Evidence(Status.COMPLETED, by)
    is_begun = done or any(task.status for task in required)
    return Evidence(Status.ACTIVE if is_begun else Status.PLANNING, by)
