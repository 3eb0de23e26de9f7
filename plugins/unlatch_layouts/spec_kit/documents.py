"""The spec.md and the tasks.md of spec-kit, as its templates and people write them."""

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from unlatch.increments.documents.marks import BLANK, BOX, NATIVE
from unlatch.increments.documents.spec_and_tasks import Criterion, Spec, Story, Task
from unlatch.increments.documents.task_lines import TaskGrammar, TaskLine, task_lines
from unlatch.increments.documents.titles import name_in
from unlatch.worklog.text.markdown_lines import Line, first_title, scan_work

_PLACEHOLDER = re.compile(r"\[[A-Z# ]+\]")

_STORY = re.compile(
    r"(?:(?:User[ \t]+)?Story[ \t]+(?P<number>[0-9]{1,4}[a-z]?)|(?P<id>US-?[0-9]{1,4}[a-z]?))"
    r"(?![0-9A-Za-z])",
    re.IGNORECASE,
)
# In any language: words, a number, a title, and the priority that the template asks for.
_NUMBERED = re.compile(r"[^\d:]{1,30}(?P<number>[0-9]{1,4})[ \t]*[-\u2013\u2014:\uff1a]")
_PRIORITY = re.compile(r"[(\uff08][^()\uff08\uff09]{0,40}P[0-9][^()\uff08\uff09]{0,40}[)\uff09]")
_GAP = " \t-\u2013\u2014:\uff1a."

_CRITERION = r"(?:FR|SC|NFR)-(?:[A-Z]{1,5}-)?[0-9]{1,4}[a-z]?"
_OTHER = r"(?:[A-Z]{1,5}-){1,2}[0-9]{1,4}[a-z]?|[A-Z]{1,3}[0-9]{3}[a-z]?"
_REQUIREMENT = re.compile(rf"(?:{BOX}{BLANK}+)?(?:\*\*)?(?P<id>{_CRITERION})(?![\w-])")
_BOLD_REQUIREMENT = re.compile(rf"(?:{BOX}{BLANK}+)?\*\*(?P<id>{_OTHER})(?![\w-])")
_REQUIREMENTS = re.compile(r"\b(?:requirements?|criteria|outcomes)\b", re.IGNORECASE)
_NAMED = re.compile(
    rf"(?<![\w-])(?:US-?[0-9]{{1,4}}/AC[0-9]{{1,4}}|{_CRITERION}|{_OTHER})(?![\w-])"
)
_SCENARIO = re.compile(r"\*\*|(?:Given|When)\b", re.IGNORECASE)
_STEP = re.compile(r"\*{0,2}(?:Given|When)\b", re.IGNORECASE)

_ID = re.compile(
    r"(?P<open>(?:~~|\*\*|`|\[){0,2})"
    r"(?P<id>(?P<prefix>T(?:ASK)?[-_]?)(?P<digits>[0-9]{1,9})[A-Za-z]?"
    r"(?:[.-][0-9]{1,4}[A-Za-z]?){0,3})(?!\w)(?P<close>(?:~~|\*\*|`|\]){0,2}[:.)]?(?:\*\*)?)",
    re.IGNORECASE,
)
_ONE_STORY = r"US-?[0-9]{1,4}[a-z]?"
_MARKER = re.compile(
    rf"[ \t]*(?:\*\*)?\[(?:P[0-9]?|(?P<story>{_ONE_STORY})(?:[ ,/&+]{{1,3}}{_ONE_STORY}){{0,9}})\]"
    r"(?:\*\*)?",
    re.IGNORECASE,
)
_LATER_STORY = re.compile(rf"(?<!\\)\[(?P<story>{_ONE_STORY})[\] ,/&+]", re.IGNORECASE)
# Its templates use `[ ]` and `[x]`; people drop tasks with `[-]`, as in native documents.
GRAMMAR = TaskGrammar(
    NATIVE, re.compile(rf"(?:{_MARKER.pattern}){{0,4}}[ \t]{{0,4}}{_ID.pattern}", re.IGNORECASE)
)
_COMMENT = re.compile(r"(?<![ \t])[ \t]*+<!--[^<>]{0,200}-->")
# A heading can be of any length, and stands above many tasks.
_MOST = 300


class TaskId(NamedTuple):
    """The id that a task begins with: "**T001**:" is "**", "T", "001" and "**:"."""

    opening: str
    prefix: str
    digits: str
    closing: str


def id_in(text: str) -> TaskId | None:
    match = _ID.match(_without_markers(text)[1])
    if match is None:
        return None
    opening, closing = match["open"].replace("~~", ""), match["close"].replace("~~", "")
    return TaskId(opening, match["prefix"], match["digits"], closing)


def read_tasks(text: str, criteria: Collection[str]) -> list[Task]:
    """The tasks of a tasks.md; `criteria` are the ids that they may name."""
    return [
        _task(task_line, n, criteria) for n, task_line in enumerate(task_lines(text, GRAMMAR), 1)
    ]


def _task(task_line: TaskLine, place: int, criteria: Collection[str]) -> Task:
    before, words = _without_markers(task_line.text)
    is_struck = words.startswith(("~~", "**~~"))
    match = _ID.match(words)
    behind, words = _without_markers(words[match.end() :] if match else words)
    if match and "**" in match["open"] and "**" not in match["close"]:
        words = words.replace("**", "", 1)
    later = _LATER_STORY.search(words)
    story = before or behind or (later and _spelled(later["story"]))
    named = (name[0] for name in _NAMED.finditer(task_line.text))
    return task_line.task(
        match["id"] if match else f"#{place}",
        _COMMENT.sub("", words).replace("~~", "").strip(_GAP),
        story or _story_above(task_line.headings),
        tuple(dict.fromkeys(name for name in named if name in criteria)),
        struck=is_struck,
    )


def _without_markers(words: str) -> tuple[str | None, str]:
    story, end = None, 0
    while marker := _MARKER.match(words, end):
        story, end = story or marker["story"], marker.end()
    return story and _spelled(story), words[end:].lstrip(" \t")


def _story_above(headings: Sequence[Line]) -> str | None:
    """The story of the nearest heading that names exactly one."""
    for line in reversed(headings):
        stories = {_story_id(match) for match in _STORY.finditer(line.words, 0, _MOST)}
        if stories:
            return stories.pop() if len(stories) == 1 else None
    return None


def _story_id(match: re.Match[str]) -> str:
    return _spelled(match["id"]) if match["id"] else _numbered(match)


def _numbered(match: re.Match[str]) -> str:
    return f"US{match['number'].lstrip('0') or '0'}"


def _spelled(story: str) -> str:
    """The id of a story with its first letters in upper case."""
    return story[:2].upper() + story[2:]


def read_spec(text: str, tasks: str) -> Spec:
    """The spec.md; its title is that of the tasks.md if it has none."""
    stories, criteria = _Reader().read(scan_work(text).lines)
    return Spec(text, title_in(text, tasks), stories, criteria)


def title_in(spec: str, tasks: str) -> str | None:
    """The title of the spec.md, else that of the tasks.md."""
    return _title(spec) or _title(tasks)


def _title(text: str) -> str | None:
    title = name_in(first_title(text))
    return None if title and _PLACEHOLDER.fullmatch(title) else title


class _Reader:
    """Reads stories with their scenarios, and requirements, from the lines of a spec.md."""

    def __init__(self) -> None:
        self._stories: dict[str, Story] = {}
        self._criteria: dict[str, Criterion] = {}
        self._level = 0  # of the story's heading
        self._count = 0  # of its scenarios
        self._above: list[tuple[int, bool]] = []  # levels, and whether of requirements
        self._story = ""

    def read(self, lines: Sequence[Line]) -> tuple[tuple[Story, ...], tuple[Criterion, ...]]:
        for line in lines:
            if line.level:
                self._take_heading(line)
            elif line.text[: line.body].strip(" \t"):
                self._take_item(line)
        criteria = tuple(self._criteria.values())
        below: dict[str | None, list[Criterion]] = defaultdict(list)
        for criterion in criteria:
            below[criterion.story].append(criterion)
        stories = self._stories.values()
        return tuple(replace(story, criteria=tuple(below[story.id])) for story in stories), criteria

    def _take_heading(self, line: Line) -> None:
        is_of_requirements = bool(_REQUIREMENTS.search(line.words, 0, _MOST))
        self._above = [heading for heading in self._above if heading[0] < line.level]
        self._above.append((line.level, is_of_requirements))
        if line.level <= self._level:
            self._level = 0
        story = _story(line) if line.level > 1 else None
        if story and story.id not in self._stories:
            self._stories[story.id] = story
            self._story, self._level, self._count = story.id, line.level, 0

    def _take_item(self, line: Line) -> None:
        words = line.words
        match = _REQUIREMENT.match(words)
        if match is None and any(of_requirements for _, of_requirements in self._above):
            match = _BOLD_REQUIREMENT.match(words)
        if match:
            text = _rest(words[match.end() :], is_bold="**" in match[0])
            self._add(Criterion(match["id"], text, None, line.number), line)
        elif self._level and _is_scenario(line, words):
            self._count += 1
            key = f"{self._story}/AC{self._count}"
            self._add(Criterion(key, words, None, line.number, self._story, is_below=True), line)

    def _add(self, criterion: Criterion, line: Line) -> None:
        start, end = line.start + line.body, line.start + len(line.text)
        self._criteria.setdefault(criterion.id, replace(criterion, start=start, end=end))


def _story(line: Line) -> Story | None:
    words = line.words
    match = _STORY.match(words)
    priority = _PRIORITY.search(words)
    numbered = _NUMBERED.match(words) if priority and not match else None
    if numbered:
        key, start = _numbered(numbered), numbered.end()
    elif match:
        key, start = _story_id(match), match.end()
    else:
        return None
    end = priority.start() if priority and priority.start() >= start else len(words)
    return Story(key, words[start:end].strip(_GAP), line.number)


def _is_scenario(line: Line, words: str) -> bool:
    """Whether an item is a scenario: `1. **Given** ...`, or `- Given ...`."""
    marker = line.text[: line.body].strip(" \t")
    return bool((_SCENARIO if marker[0].isdigit() else _STEP).match(words))


def _rest(words: str, *, is_bold: bool) -> str:
    """The text of a requirement, with the label that may follow its id in bold."""
    label, _, text = words.partition("**") if is_bold else ("", "", words)
    return " ".join(part for part in (label.strip(_GAP), text.strip(_GAP)) if part)
