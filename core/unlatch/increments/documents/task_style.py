"""New tasks in the style of those that a file has."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.increments.documents.headings import read_story_heading, read_task_heading
from unlatch.increments.documents.quoting import as_title, label_value, quoted
from unlatch.increments.documents.state_words import State, opposite, read_status
from unlatch.increments.documents.style import (
    CRITERIA_LABEL,
    STORY_LABEL,
    is_bare,
    label,
    most_common,
    spelling,
    status_label,
)
from unlatch.increments.documents.tasks import marks_headings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from unlatch.increments.documents.lines import Line
    from unlatch.increments.documents.tasks import Place
    from unlatch.increments.model.amendment import NewTask

_NUMBER = re.compile(r"T-?(?P<digits>[0-9]+)")
_UPPER_NUMBER = re.compile(r"T-?[0-9]+-(?P<digits>[0-9]{1,9})\Z")


@dataclass(frozen=True, slots=True)
class TaskStyle:
    """How a file writes its tasks.

    Args:
        level: of their headings.
        heading_level: of a heading that a group of them can stand under.
        prefix: what ids begin with, "T-" or "T".
        width: how many digits they have at least.
        highest: the highest number that is taken.
        mark: what open tasks have before their id.
        separator: what stands between id and title.
        spaced: whether an empty line follows the heading.
        labels: what stands before a story, the criteria and a status, in the file's order.
        status: how an open task writes it; None where headings alone tell.
    """

    level: int
    heading_level: int
    prefix: str
    width: int
    highest: int
    mark: str
    separator: str
    spaced: bool
    labels: tuple[tuple[str, str], ...]
    status: str | None

    def ids(self, count: int) -> tuple[str, ...]:
        """The next ids."""
        first = self.highest + 1
        return tuple(f"{self.prefix}{n:0{self.width}}" for n in range(first, first + count))

    def lines(self, id: str, task: NewTask) -> list[str]:
        """One task."""
        head = f"{self.mark}{id}{self.separator}{as_title(task.title)}".rstrip(" \t")
        values = {
            "story": label_value(task.story or ""),
            "criteria": label_value(", ".join(task.criteria)),
            "status": self.status,
        }
        said = [text + value for kind, text in self.labels if (value := values[kind])]
        lines = [f"{'#' * self.level} {head}"]
        if said:
            lines += ["", *said] if self.spaced else said
        if task.description and task.description.strip():
            lines += ["", *quoted(task.description)]
        return lines


def style_of(places: Sequence[Place], lines: Iterable[Line]) -> TaskStyle:
    """How a file writes its tasks; a sensible style for one that has none."""
    level = most_common(place.level for place in places) or 3
    numbers = [_number(place) for place in places]
    headings = [place.heading for place in places]
    box = most_common(heading.mark.startswith("[") for heading in headings)
    status = _status(places, is_boxed=bool(box))
    return TaskStyle(
        level,
        min([level - 1, *_open_sections(lines)]),
        most_common("T-" if heading.id.startswith("T-") else "T" for heading in headings) or "T-",
        most_common(len(digits) for digits, _ in numbers) or 3,
        max((number for _, number in numbers), default=0),
        "[ ] " if box else "",
        most_common(heading.separator for heading in headings if heading.title) or ": ",
        most_common(_is_spaced(place) for place in places if place.first) is not False,
        _labels(places, status),
        status,
    )


def _number(place: Place) -> tuple[str, int]:
    match = _NUMBER.match(place.heading.id)
    digits = match["digits"] if match else ""
    # T-025-039 stands for all from 25 to 39.
    upper = _UPPER_NUMBER.fullmatch(place.heading.id)
    return digits, max(int(digits or 0), int(upper["digits"]) if upper else 0)


def _open_sections(lines: Iterable[Line]) -> list[int]:
    """The levels of the stories that the end of the file stands under."""
    found: list[int] = []
    for line in lines:
        if line.level:
            while found and found[-1] >= line.level:
                found.pop()
            if not read_task_heading(line.words) and read_story_heading(line.words):
                found.append(line.level)
    return found


def _is_spaced(place: Place) -> bool:
    return place.first is not None and place.first.number > place.line.number + 1


def _labels(places: Sequence[Place], status: str | None) -> tuple[tuple[str, str], ...]:
    texts = {
        "story": label((place.story for place in places), STORY_LABEL),
        "criteria": label(
            (p.criteria for p in places if p.criteria and "AC-" in p.criteria.value), CRITERIA_LABEL
        ),
        "status": status_label(places, status),
    }
    order = most_common(shape for place in places if len(shape := _order(place)) > 1) or ()
    if is_bare(texts["status"]):  # which only counts up front
        order = ("status", "story", "criteria")
    return tuple((kind, texts[kind]) for kind in _completed(order))


def _completed(order: Sequence[str]) -> list[str]:
    """The order with what the file never writes: the story first, the criteria behind it."""
    kinds = list(order)
    if "story" not in kinds:
        kinds.insert(0, "story")
    if "criteria" not in kinds:
        kinds.insert(kinds.index("story") + 1, "criteria")
    return kinds if "status" in kinds else [*kinds, "status"]


def _order(place: Place) -> tuple[str, ...]:
    found = {"story": place.story, "criteria": place.criteria, "status": place.status}
    return tuple(
        kind for _, kind in sorted((field.start, kind) for kind, field in found.items() if field)
    )


def _status(places: Sequence[Place], *, is_boxed: bool) -> str | None:
    if written := spelling(places, done=False):
        return written
    statuses = (read_status(place.status.value) for place in places if place.status)
    known = next((status for status in statuses if status.state is State.DONE), None)
    if known is None and (is_boxed or marks_headings(places)):
        return None
    return opposite(known, done=False)
