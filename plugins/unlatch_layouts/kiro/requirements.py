"""The stories and criteria of requirements.md and bugfix.md.

A story is `### Requirement 1: Title`, in any language, and its criteria are the numbered lines
below it. bugfix.md numbers its criteria itself: `2.1 WHEN ...` below "Expected Behavior", `3.1`
below "Unchanged Behavior"; the lines about the defect (`1.1`) are no criteria.

Tasks have the same numbers, so the ids of stories and criteria begin with an R: `R1`, `R1.2`.
"""

import re
from collections.abc import Iterator
from dataclasses import field

from unlatch.increments.documents.marks import BLANK, BOX
from unlatch.increments.documents.spec_and_tasks import Criterion, Spec, Story
from unlatch.increments.documents.titles import REQUIREMENT
from unlatch.values import dataclass
from unlatch.worklog.text.markdown_lines import Line, scan_work

NUMBER = r"(?:[A-Z]{1,5}-?)?[0-9]{1,4}(?:\.[0-9]{1,4}){0,3}[a-z]?(?!\w)"
_WORD = r"[^\W\d_]{1,30}"
_HEADING = re.compile(
    rf"[*_]{{0,3}}(?:(?P<word>{_WORD}(?:[ \t]{_WORD})?)(?:[ \t]{{1,3}}|(?=[0-9])))??"
    rf"(?P<id>{NUMBER})(?P<rest>.*)"
)
_IS_REQUIREMENT = re.compile(rf"(?<![A-Za-z]){REQUIREMENT}", re.IGNORECASE)
_ITEM = re.compile(
    rf"(?P<indent>[ \t]{{0,12}})(?:[-*+][ \t]{{1,4}})?(?:{BOX}{BLANK}{{1,4}})?[*_]{{0,3}}"
    r"(?:(?P<dotted>(?:[A-Z]{1,5}-?)?[0-9]{1,4}(?:\.[0-9]{1,4}){1,3})[.)]?|(?P<plain>[0-9]{1,4})[.)])"
    r"[*_]{0,3}[:\uff1a]?[*_]{0,3}[ \t]+(?P<text>\S.*)"
)
# The line of the user story below a heading without a title.
_LABELLED = re.compile(r"[*_]{2,3}[^*_]{1,60}[*_]{2,3}[:\uff1a]?[ \t]*(?P<text>\S.*)")
_LONGEST_TITLE = 120
_DEFECT = "1"


@dataclass(slots=True)
class _Story:
    """A story while it is read; `lists` are its numbered lines, a list for each heading in it."""

    number: str
    title: str
    line: int
    level: int
    is_sure: bool
    lists: list[list[tuple[re.Match[str], int]]] = field(default_factory=lambda: [[]])

    @property
    def id(self) -> str:
        return key(self.number)

    def criteria(self) -> Iterator[Criterion]:
        """Those below the first heading that has numbered lines, else those of the story itself."""
        below = next((lines for lines in self.lists[1:] if lines), self.lists[0])
        last, deepest = 0, len(below[0][0]["indent"]) if below else 0
        for match, line in below:
            if len(match["indent"]) > deepest:
                continue
            # In a list of which each line begins with "1." the lines are counted.
            last = max(int(match["plain"] or 0), last + 1)
            number = match["dotted"] or f"{self.number}.{last}"
            yield Criterion(key(number), match["text"].rstrip(), None, line, story=self.id)


def key(number: str) -> str:
    """The id of a story or criterion with this number."""
    return f"R{number}" if number[:1].isdigit() else number


def number_of(key: str) -> str:
    """The number in the id of a story or criterion."""
    return key[1:] if key[:1] in "Rr" and key[1:2].isdigit() else key


def read_requirements(text: str) -> Spec:
    return _spec(text, [story for story in _stories(text) if story.is_sure or any(story.lists)])


def read_bugfix(text: str) -> Spec:
    return _spec(
        text, [story for story in _stories(text) if any(story.lists) and story.number != _DEFECT]
    )


def _spec(text: str, drafts: list[_Story]) -> Spec:
    stories = tuple(
        Story(draft.id, draft.title, draft.line, tuple(draft.criteria())) for draft in drafts
    )
    criteria = tuple(criterion for story in stories for criterion in story.criteria)
    return Spec(text, None, stories, criteria)


def _stories(text: str) -> list[_Story]:
    stories: list[_Story] = []
    numbered: dict[str, _Story] = {}
    current: _Story | None = None
    heading: Line | None = None
    for line in scan_work(text).lines:
        if line.level:
            heading = line
            if current and line.level <= current.level:
                current = None
            if story := _story(line):
                current = story
                stories.append(story)
            elif current:
                current.lists.append([])
        elif match := _ITEM.match(line.text):
            if current is None and match["dotted"]:
                _add_numbered(stories, numbered, match, heading or line).append(
                    (match, line.number)
                )
            elif current:
                current.lists[-1].append((match, line.number))
        elif current and not current.title and (label := _LABELLED.match(line.text.strip())):
            current.title = _shortened(label["text"].strip())
    return stories


def _add_numbered(
    stories: list[_Story], numbered: dict[str, _Story], match: re.Match[str], heading: Line
) -> list[tuple[re.Match[str], int]]:
    """The list of the story that a criterion with a number of its own belongs to."""
    number = match["dotted"].partition(".")[0]
    if number not in numbered:
        title = heading.words if heading.level else ""
        story = _Story(number, title, heading.number, heading.level, is_sure=False)
        numbered[number] = story
        stories.append(story)
    return numbered[number].lists[-1]


def _story(line: Line) -> _Story | None:
    match = _HEADING.match(line.words)
    if match is None:
        return None
    word, number = match["word"], match["id"]
    is_named = bool(word and _IS_REQUIREMENT.search(word))
    if word and not is_named:
        return None
    title = match["rest"].lstrip(" \t*_:\uff1a.),\u3001\u2013\u2014-").rstrip(" \t*_")
    is_sure = is_named or not number[0].isdigit()
    return _Story(number, title, line.number, line.level, is_sure)


def _shortened(words: str) -> str:
    if len(words) <= _LONGEST_TITLE:
        return words
    return words[:_LONGEST_TITLE].rpartition(" ")[0] + "..."
