"""Reading spec.md."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from unlatch.increments.documents.headings import (
    CRITERION_ID,
    Heading,
    read_story_heading,
    read_task_heading,
)
from unlatch.increments.documents.lines import Line, scan
from unlatch.increments.documents.model import Criterion, Spec, Story
from unlatch.increments.documents.state_words import BOX, State, state_of_box

if TYPE_CHECKING:
    from collections.abc import Iterable

_CRITERION = re.compile(
    rf"(?:(?P<box>{BOX})[ \t]{{1,8}})?(?P<open>[*_~`]{{0,4}})(?P<id>{CRITERION_ID})(?![\w-]*\w)"
    r"(?P<close>[*_~`]{0,4}[ \t]{0,4}(?P<colon>:)?[*_~`]{0,4}[ \t]*)"
)
_STORY_KEY = re.compile(r"US-?0*(?P<key>[0-9].*)", re.IGNORECASE)
_CRITERION_KEY = re.compile(r"AC-US0*(?P<key>[0-9]+[A-Za-z]?)-", re.IGNORECASE)


@dataclass(slots=True)
class StoryPlace:
    """A story, where its heading stands, and the criteria that belong to it."""

    line: Line
    heading: Heading
    criteria: list[CriterionPlace] = field(default_factory=list)

    @property
    def key(self) -> str:
        """Its number, as its criteria spell it: "9A" for US-009A."""
        match = _STORY_KEY.fullmatch(self.heading.id)
        return match["key"].upper() if match else ""


@dataclass(slots=True)
class CriterionPlace:
    """A criterion and where its check box stands, or would stand.

    Args:
        start: where its check box is, or where one would have to go.
        box: the check box as written, if it has one.
        section: the story under whose heading it stands.
        story: the story that it belongs to.
    """

    line: Line
    id: str
    text: str
    start: int
    box: str | None
    section: StoryPlace | None
    story: StoryPlace | None = None

    @property
    def read(self) -> Criterion:
        """What it says."""
        done = state_of_box(self.box) is State.DONE if self.box else None
        story = self.story.heading.id if self.story else None
        return Criterion(self.id, self.text, done, self.line.number, story)


def read_spec(text: str) -> Spec:
    """Read a spec.md in any of the spellings that are known from real ones."""
    lines = scan(text).lines
    stories, criteria = story_places(lines)
    return Spec(
        text,
        _title(lines),
        tuple(_story(place) for place in stories),
        tuple(place.read for place in criteria),
    )


def story_places(lines: Iterable[Line]) -> tuple[list[StoryPlace], list[CriterionPlace]]:
    """The stories and the criteria of a file with where they stand."""
    stories: list[StoryPlace] = []
    criteria: list[CriterionPlace] = []
    within: StoryPlace | None = None
    for line in lines:
        if criterion := _criterion(line, within):
            criteria.append(criterion)
        elif line.level:
            heading = None if read_task_heading(line.words) else read_story_heading(line.words)
            if heading:
                within = StoryPlace(line, heading)
                stories.append(within)
            elif within and line.level <= within.line.level:
                within = None
    _settle(stories, criteria)
    return stories, criteria


def _criterion(line: Line, within: StoryPlace | None) -> CriterionPlace | None:
    match = _CRITERION.match(line.text, line.body)
    if match is None or not any(char.isdigit() for char in match["id"]):
        return None
    if not (match["box"] or match["colon"]):
        return None
    if within and line.level and line.level <= within.line.level:
        within = None
    start = match.start("box") if match["box"] else match.start("open")
    said = line.text[match.end() : line.body + len(line.words)]
    return CriterionPlace(line, match["id"], said, line.start + start, match["box"], within)


def _settle(stories: list[StoryPlace], criteria: list[CriterionPlace]) -> None:
    """Give each criterion to the story that its id names, else to the one that it stands under."""
    named: dict[str, StoryPlace] = {}
    for story in stories:
        named.setdefault(story.key, story)
    for criterion in criteria:
        match = _CRITERION_KEY.match(criterion.id)
        key, section = (match["key"].upper() if match else ""), criterion.section
        is_here = section is not None and section.key == key
        criterion.story = section if is_here else named.get(key, section)
        if criterion.story:
            criterion.story.criteria.append(criterion)


def _title(lines: Iterable[Line]) -> str | None:
    titles = (line.words for line in lines if line.level == 1)
    return next(filter(None, titles), None)


def _story(place: StoryPlace) -> Story:
    criteria = tuple(criterion.read for criterion in place.criteria)
    return Story(place.heading.id, place.heading.title, place.line.number, criteria)
