"""Reading spec.md in any of the spellings known from real files."""

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
    """A story, the place of its heading, and its criteria."""

    line: Line
    heading: Heading
    criteria: list[CriterionPlace] = field(default_factory=list)

    @property
    def id(self) -> str:
        return self.heading.id

    @property
    def key(self) -> str:
        """Its number as its criteria spell it: "9A" for US-009A."""
        match = _STORY_KEY.fullmatch(self.id)
        return match["key"].upper() if match else ""


@dataclass(slots=True)
class CriterionPlace:
    """A criterion and the place of its check box.

    Args:
        start: the offset of its check box, or of the place for one.
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


def read_spec(text: str) -> Spec:
    """Read a spec.md."""
    lines = scan(text).lines
    stories, criteria = story_places(lines)
    title = next((line.words for line in lines if line.level == 1 and line.words), None)
    return Spec(text, title, tuple(map(_read_story, stories)), _read_criteria(criteria))


def _read_story(place: StoryPlace) -> Story:
    criteria = _read_criteria(place.criteria)
    return Story(place.id, place.heading.title, place.line.number, criteria)


def _read_criteria(places: Iterable[CriterionPlace]) -> tuple[Criterion, ...]:
    return tuple(
        Criterion(
            one.id,
            one.text,
            state_of_box(one.box) is State.DONE if one.box else None,
            one.line.number,
            one.story.id if one.story else None,
        )
        for one in places
    )


def story_places(lines: Iterable[Line]) -> tuple[list[StoryPlace], list[CriterionPlace]]:
    """The stories and the criteria of a file with their places."""
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
    _assign(stories, criteria)
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
    text = line.text[match.end() : line.body + len(line.words)]
    return CriterionPlace(line, match["id"], text, line.start + start, match["box"], within)


def _assign(stories: list[StoryPlace], criteria: list[CriterionPlace]) -> None:
    """Add each criterion to the story that its id names, else to the one that it stands under."""
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
