"""Reading spec.md in any of the spellings known from real files."""

import re
from collections import defaultdict
from collections.abc import Iterable

from unlatch.increments.documents.headings import (
    CRITERION_ID,
    LINK_END,
    Heading,
    read_story_heading,
    read_task_heading,
)
from unlatch.increments.documents.marks import BLANK, NATIVE, READ_BOX, State, mark_in, state_of_box
from unlatch.increments.documents.spec_and_tasks import Criterion, Spec, Story
from unlatch.patterns import pattern
from unlatch.worklog.text.markdown_lines import Line, scan_work

_CRITERION = pattern(
    rf"(?:(?P<box>{READ_BOX}){BLANK}{{1,8}}\[?)?(?P<open>[*_~`]{{0,4}})(?P<id>{CRITERION_ID})(?![\w-]*\w)"
    rf"(?P<close>[*_~`]{{0,4}}{LINK_END}[ \t]{{0,4}}(?P<colon>:)?[*_~`]{{0,4}}[ \t]*)",
    re.IGNORECASE,
)
# The number of a story, as its criteria spell it: "9A" for US-009A.
_STORY_KEY = pattern(r"US-?(?=[0-9])0*+(?P<key>.*)", re.IGNORECASE)
_CRITERION_KEY = pattern(r"AC-US(?=[0-9])0*+(?P<key>[0-9]*+[A-Za-z]?)-", re.IGNORECASE)


def read_spec(text: str) -> Spec:
    lines = scan_work(text).lines
    title = next((line.words for line in lines if line.level == 1 and line.words), None)
    return Spec(text, title, *read_stories(lines))


def read_stories(lines: Iterable[Line]) -> tuple[tuple[Story, ...], tuple[Criterion, ...]]:
    headings: list[tuple[Line, Heading]] = []
    matches: list[tuple[Line, re.Match[str], int | None]] = []
    section: int | None = None  # the story that the line stands under
    for line in lines:
        is_outside = section is not None and 0 < line.level <= headings[section][0].level
        if match := _match_criterion(line):
            matches.append((line, match, None if is_outside else section))
        elif line.level:
            heading = None if read_task_heading(line.words) else read_story_heading(line.words)
            if heading:
                section = len(headings)
                headings.append((line, heading))
            elif is_outside:
                section = None
    return _assign(headings, matches)


def _match_criterion(line: Line) -> re.Match[str] | None:
    match = _CRITERION.match(line.text, line.body)
    if match is None or not any(map(str.isdigit, match["id"])):
        return None
    return match if match["box"] or match["colon"] else None


def _assign(
    headings: list[tuple[Line, Heading]], matches: list[tuple[Line, re.Match[str], int | None]]
) -> tuple[tuple[Story, ...], tuple[Criterion, ...]]:
    """Assign each criterion to the story that its id names, else to the story above it."""
    keys = [_key(_STORY_KEY, heading.id) for _, heading in headings]
    first = {key: number for number, key in reversed([*enumerate(keys)])}
    criteria: list[Criterion] = []
    owned: dict[int | None, list[Criterion]] = defaultdict(list)
    for line, match, section in matches:
        key = _key(_CRITERION_KEY, match["id"])
        is_here = section is not None and keys[section] == key
        story = section if is_here else first.get(key, section)
        box = match["box"]
        state = state_of_box(box) if box else None
        criterion = Criterion(
            match["id"],
            line.text[match.end() : line.body + len(line.words)],
            None if state in (State.DISCARDED, None) else state is State.DONE,
            line.number,
            None if story is None else headings[story][1].id,
            box=box,
            start=line.start + match.start("box" if box else "open"),
            end=line.start + line.body + len(line.words),
            is_below=story is not None and story == section,
            discarded=state is State.DISCARDED,
            is_mark_known=box is None or NATIVE.knows(mark_in(box)),
        )
        criteria.append(criterion)
        owned[story].append(criterion)
    stories = (
        Story(heading.id, heading.title, line.number, tuple(owned[number]))
        for number, (line, heading) in enumerate(headings)
    )
    return tuple(stories), tuple(criteria)


def _key(spelling: re.Pattern[str], id: str) -> str:
    match = spelling.match(id)
    return match["key"].upper() if match else ""
