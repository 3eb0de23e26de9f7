"""A task's file: its criteria, which the tool finds between markers, and scope changes of unlatch.

The criteria of a scope change are tasks: `backlog task` shows only what is in the tool's own
sections, so that is where its users and agents find new work.
"""

import re
from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from unlatch.increments.documents import front_matter
from unlatch.increments.documents.marks import Marks
from unlatch.increments.documents.spec_and_tasks import Criterion, Spec, Task
from unlatch.increments.documents.task_lines import TaskGrammar, TaskLine, scan_tasks
from unlatch.increments.layouts.interface import Work
from unlatch.worklog.text.markdown_lines import plain_lines

# The tool itself does not see a box with another mark.
_GRAMMAR = TaskGrammar(Marks({}), re.compile(r"#[0-9]"))
_MARKER = re.compile(
    r"<!-- (?P<section>SECTION:[A-Z][A-Z0-9_]*|COMMENTS?|AC|DOD):(?P<kind>BEGIN|END) -->"
)
_LINE = r"(?:\A\ufeff?|(?<=[\r\n]))"
_SECTION = re.compile(rf"{_LINE}##[ \t]+(?P<title>[^\r\n]+)")
_HEADING = re.compile(rf"{_LINE}#{{3,6}}[ \t]+(?P<title>[^\r\n]+)")
_SCOPE_CHANGE = re.compile(r"Scope change [0-9-]+ \((?P<id>[0-9A-Z]{26})\)")
_NUMBER = re.compile(r"#(?P<number>[0-9]{1,9})[ \t]+")
_LEAD = "- ["


class CheckList(NamedTuple):
    """A section with check boxes.

    Args:
        section: its name in the markers around the boxes.
        title: its heading; without markers the boxes below it count.
        prefix: what precedes the number in the ids of its boxes.
    """

    section: str
    title: str
    prefix: str


CRITERIA = CheckList("AC", "Acceptance Criteria", "#")
_DONE = CheckList("DOD", "Definition of Done", "DoD-")


class Span(NamedTuple):
    """A part of a file by its offsets."""

    start: int
    end: int


class Change(NamedTuple):
    """The part of a file with the tasks of a scope change, and the change's id."""

    start: int
    end: int
    id: str


AnySpan = TypeVar("AnySpan", Span, Change)


class Item(NamedTuple):
    """A check box of a section.

    Args:
        at: the offset of its mark in the file.
        number: the one that is written before its text, else its place in the section.
        is_numbered: whether it is written.
        scope_change: the id of the scope change that it is a task of, if any.
    """

    task: Task
    at: int
    number: int
    is_numbered: bool
    scope_change: str | None


def with_newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def title_in(text: str) -> str | None:
    return front_matter.title(with_newlines(text))


def read_work(text: str) -> Work:
    listed = [*items(text, CRITERIA), *items(text, _DONE)]
    listed.sort(key=lambda item: item.at)
    criteria = tuple(_criterion(text, item.task) for item in listed if not item.scope_change)
    tasks = tuple(item.task for item in listed if item.scope_change)
    return Work(Spec(text, title_in(text), criteria=criteria), tasks)


def entries(text: str) -> list[Task]:
    """The boxes of all sections."""
    return [item.task for section in (CRITERIA, _DONE) for item in items(text, section)]


def _criterion(text: str, task: Task) -> Criterion:
    return Criterion(
        task.id,
        task.title,
        task.done,
        task.line,
        box=f"[{text[slice(*task.box)]}]" if task.box else None,
        is_mark_known=task.is_mark_known,
    )


def items(text: str, section: CheckList) -> list[Item]:
    """The boxes of a section, in code and comments too; nested ones are no items to the tool."""
    others, marked, plain = _spans(text, section)
    listed = [
        box
        for box in scan_tasks(plain_lines(text), _GRAMMAR)
        if text[box.at - len(_LEAD) : box.at] == _LEAD
        and not box.indent
        and box.text
        and not _span_at(others, box.at)
    ]
    for spans in (marked, plain):
        if inside := [box for box in listed if _span_at(spans, box.at)]:
            changes = [*_scope_changes(text, spans)]
            return [_item(box, place, section, changes) for place, box in enumerate(inside, 1)]
    return []


def _item(box: TaskLine, place: int, section: CheckList, changes: Sequence[Change]) -> Item:
    written = _NUMBER.match(box.text)
    number = int(written["number"]) if written else place
    title = box.text[written.end() :] if written else box.text
    task = box.task(f"{section.prefix}{number}", title)
    change = _span_at(changes, box.at)
    return Item(task, box.at, number, bool(written), change.id if change else None)


def _spans(text: str, section: CheckList) -> tuple[list[Span], list[Span], list[Span]]:
    """The marked sections of other kinds; those of this kind; and those that have no markers."""
    markers = [*_MARKER.finditer(text)]
    ends = [*(match.start() for match in _SECTION.finditer(text)), len(text)]
    paired = _pairs(match for match in markers if match["section"] != section.section)
    # A section of boxes that is never closed is no part of another one either.
    unclosed = (
        span
        for other in (CRITERIA, _DONE)
        if other != section
        for span in _marked([match for match in markers if match["section"] == other.section], ends)
    )
    others = _merged([*paired, *unclosed])
    outside = (match for match in markers if not _span_at(others, match.start()))
    own = [match for match in outside if match["section"] == section.section]
    headings = [match for match in _SECTION.finditer(text) if not _span_at(others, match.start())]
    starts = [match.start() for match in headings]
    marked = [*_marked(own, [*starts, len(text)])]
    plain = [
        Span(heading.end(), end)
        for heading, end in zip(headings, (*starts[1:], len(text)), strict=False)
        if heading["title"].strip().casefold() == section.title.casefold()
    ]
    begins = [span.start for span in marked]
    without = [span for span in plain if bisect(begins, span.end) == bisect(begins, span.start)]
    return others, marked, without


def _pairs(markers: Iterable[re.Match[str]]) -> Iterator[Span]:
    """What is between the markers of each section."""
    opened: dict[str, list[int]] = {}
    for marker in markers:
        starts = opened.setdefault(marker["section"], [])
        if marker["kind"] == "BEGIN":
            starts.append(marker.start())
        elif starts:
            yield Span(starts.pop(), marker.end())


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Spans in order, without overlaps."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def _marked(markers: Sequence[re.Match[str]], ends: Sequence[int]) -> Iterator[Span]:
    """What is between markers; a section that is never closed ends at the next heading."""
    for place, marker in enumerate(markers):
        following = markers[place + 1] if place + 1 < len(markers) else None
        if marker["kind"] == "BEGIN":
            is_closed = following is not None and following["kind"] == "END"
            below = ends[min(bisect(ends, marker.end()), len(ends) - 1)]
            ends_at = following.start() if following else below
            yield Span(marker.end(), ends_at if is_closed else min(ends_at, below))


def _scope_changes(text: str, spans: Iterable[Span]) -> Iterator[Change]:
    for span in spans:
        headings = [*_HEADING.finditer(text, *span)]
        ends = [*(heading.start() for heading in headings[1:]), span.end]
        for heading, end in zip(headings, ends, strict=False):
            if match := _SCOPE_CHANGE.match(heading["title"]):
                yield Change(heading.end(), end, match["id"])


def _span_at(spans: Sequence[AnySpan], at: int) -> AnySpan | None:
    """Of spans in order, the one that an offset is in."""
    place = bisect(spans, at, key=lambda span: span.start) - 1
    return spans[place] if place >= 0 and at < spans[place].end else None


def place_for_more(text: str) -> tuple[Span | None, bool]:
    """The last section with criteria, and whether it has markers; None if there is none."""
    _, marked, plain = _spans(text, CRITERIA)
    listed = items(text, CRITERIA)
    is_plain = bool(listed) and _span_at(plain, listed[0].at) is not None
    if marked and not is_plain:
        return marked[-1], True
    return (plain[-1] if plain else None), False
