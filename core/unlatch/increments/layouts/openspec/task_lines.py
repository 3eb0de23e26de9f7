"""The tasks of a change: check boxes on any lines of its files, in code and comments too."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from unlatch.increments.documents.marks import NO_MARKS, Marks
from unlatch.increments.documents.model import Task
from unlatch.increments.layouts.check_list import Box, Entry, edits_of, with_edits
from unlatch.increments.layouts.openspec.schema import TASKS

# White space of JavaScript's `\s`.
_WS = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
# The tool's own pattern (src/utils/task-progress.ts): one character, a link's text is no box.
_BOX = re.compile(
    rf"(?P<indent>[{_WS}]*+)(?:[-*+]|[0-9]{{1,9}}[.)])[{_WS}]*+\["
    rf"(?:(?P<lead>[{_WS}]*+)(?P<mark>[^\]{_WS}\U00010000-\U0010ffff]?)[{_WS}]*+\](?![(\[])"
    rf"|(?P<blank>[{_WS}]++)\])(?P<rest>[^\n]*)"
)
MARKS = Marks({}, knows_all=True)
# `1.1`, `1.`, `T1.1` or `T001`, also bold; a number alone is a word of the title.
_ID = re.compile(
    r"(?P<open>[*_`\[]{0,4})"
    r"(?P<id>T-?[0-9]{1,6}(?:\.[0-9]{1,6}){0,6}[a-z]?|[A-UW-Z]?[0-9]{1,6}(?:\.[0-9]{1,6}){1,6}[a-z]?"
    r"|[0-9]{1,6}(?=[.):]|[*_`\]]{1,4}(?:[.):]|[ \t]|\Z)))"
    r"(?:(?P<close>[*_`\]]{1,4})[.):]?|[.):](?P<late>[*_`\]]{1,4})?)?"
    r"(?=[ \t]|\Z|[^\x00-\x7f])[ \t]*(?:[:\u2013\u2014-][ \t]+)?"
)
_BELOW = re.compile(r"(?P<indent>[ \t]+)[-*+][ \t]+(?P<kind>Requirement|Scenario):(?P<name>[^\n]+)")


class Line(NamedTuple):
    """A line of a file with its number, from 1, and the offset of its beginning."""

    number: int
    start: int
    text: str


def entries(texts: Mapping[str, str]) -> list[Entry]:
    """The tasks of files, by their paths; the offsets are those of the files in a row."""
    found: list[Entry] = []
    start = 0
    for path, text in texts.items():
        prefix = prefix_of(path)
        for task, box in _entries(text):
            moved = box._replace(at=start + box.at)
            found.append(Entry(replace(task, id=prefix + task.id), moved))
        start += len(text)
    return found


def prefix_of(path: str) -> str:
    """What tells apart the ids of several files: the folder or name of one beside `tasks.md`."""
    name = path.removesuffix(TASKS).rstrip("/").removesuffix(".md")
    return f"{name}:" if name else ""


def _entries(text: str) -> Iterator[Entry]:
    entry: Entry | None = None
    place = 0
    for line in _lines(text):
        if match := _BOX.match(line.text):
            if entry:
                yield entry
            place += 1
            entry = _entry(line, match, place)
        elif entry and (below := _BELOW.match(line.text)):
            entry = _with(entry, below)
    if entry:
        yield entry


def _lines(text: str) -> Iterator[Line]:
    """The lines as the tool splits them; it takes a file without any newline for one line."""
    start = 0
    for number, line in enumerate(text.split("\n" if "\n" in text else "\r"), 1):
        yield Line(number, start, line)
        start += len(line) + 1


def _entry(line: Line, match: re.Match[str], place: int) -> Entry:
    words = match["rest"].strip()
    own, title = _split(words)
    mark, at = _mark(match)
    state = MARKS.state(mark)
    box = Box(mark, state, line.start + at, line.number, len(match["indent"]), words)
    task = Task(own or f"#{place}", title, box.is_done, box.open_mark, line.number)
    return Entry(replace(task, mark=box.open_mark), box)


def _mark(match: re.Match[str]) -> tuple[str, int]:
    """The character in a box and its offset; of white space, that in the middle."""
    if mark := match["mark"]:
        return mark, match.start("mark")
    group = "lead" if match["blank"] is None else "blank"
    space = match[group]
    middle = len(space) // 2
    return space[middle : middle + 1], match.start(group) + middle


def _split(words: str) -> tuple[str | None, str]:
    match = _ID.match(words)
    if match is None:
        return None, words
    is_open = match["open"] and not (match["close"] or match["late"])
    return match["id"], (match["open"] if is_open else "") + words[match.end() :]


def _with(entry: Entry, below: re.Match[str]) -> Entry:
    """The task with the requirement or scenario that a line below it names."""
    task, name = entry.task, below["name"].strip()
    if len(below["indent"].expandtabs(4)) <= entry.box.indent:
        return entry
    if below["kind"] == "Scenario":
        return entry._replace(task=replace(task, criteria=(*task.criteria, name)))
    return entry._replace(task=replace(task, story=task.story or name))


def marked(
    texts: Mapping[str, str],
    ids: Iterable[str],
    *,
    done: bool,
    marks: Mapping[str, str] = NO_MARKS,
) -> dict[str, str]:
    """Tick or untick tasks of files; raises as `find_entries`."""
    edits = edits_of(entries(texts), ids, done=done, marks=marks)
    changed: dict[str, str] = {}
    start = 0
    for path, text in texts.items():
        end = start + len(text)
        own = {at - start: edit for at, edit in edits.items() if start <= at < end}
        changed[path] = with_edits(text, own)
        start = end
    return changed
