"""The requirements and scenarios of a specification, or of the changes to one."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import field

from unlatch.increments.documents.spec_and_tasks import Criterion, Story
from unlatch.values import dataclass
from unlatch_layouts.openspec.changes import capability

_BREAK = re.compile(r"\r\n?|\n")
_SECTION = re.compile(r"##[ \t]++(?P<title>.+)")
_REQUIREMENT = re.compile(r"###[ \t]*+Requirement:[ \t]*+(?P<name>.+)", re.IGNORECASE)
# Each heading of this level is a scenario to the tool.
_SCENARIO = re.compile(r"####[ \t]++(?:Scenario:)?(?P<name>.+)", re.IGNORECASE)
_FENCE = re.compile(r"[ \t]*(?P<sign>`{3,}|~{3,})")
_BULLET = re.compile(r"(?:[-*+]|[0-9]{1,9}[.)])[ \t]+")


@dataclass(slots=True)
class Scenario:
    name: str
    line: int
    lines: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Requirement:
    """A requirement; `section` is the heading that it stands under: "ADDED Requirements"."""

    name: str
    section: str
    line: int
    lines: list[str] = field(default_factory=list)
    scenarios: list[Scenario] = field(default_factory=list)

    @property
    def folded(self) -> str:
        """Its name as the tool compares it to find spelling mistakes."""
        return " ".join(self.name.lower().split())

    @property
    def content(self) -> str:
        return "\n".join(line.rstrip() for line in self.lines).strip()


def requirements(text: str) -> list[Requirement]:
    """The requirements of a file; headings in code do not count."""
    listed: list[Requirement] = []
    current: Requirement | None = None
    section = ""
    for number, line, is_code in _lines(text):
        if not is_code and (match := _SECTION.match(line)):
            section, current = match["title"].strip(), None
        elif not is_code and (match := _REQUIREMENT.match(line)):
            current = Requirement(_name(match["name"]), section, number)
            listed.append(current)
        elif current:
            current.lines.append(line)
            if not is_code and (match := _SCENARIO.match(line)):
                current.scenarios.append(Scenario(_name(match["name"]), number))
            elif current.scenarios:
                current.scenarios[-1].lines.append(line)
    return listed


def _lines(text: str) -> Iterator[tuple[int, str, bool]]:
    """The lines with their numbers, and whether each is code, as the tool reads fences."""
    fence = ""
    for number, line in enumerate(_BREAK.split(text.removeprefix("\ufeff")), 1):
        match = _FENCE.match(line)
        yield number, line, bool(fence or match)
        if not fence:
            fence = match["sign"] if match else ""
        elif match and match["sign"].startswith(fence) and line.strip() == match["sign"]:
            fence = ""


def _name(words: str) -> str:
    """A heading without the `#` that may close it; `C#` keeps its own."""
    name = words.strip()
    opened = name.rstrip("#")
    return opened.strip() if opened.endswith((" ", "\t")) else name


def stories(texts: Mapping[str, str]) -> tuple[Story, ...]:
    """The requirements of the changes to specifications, with their scenarios as criteria.

    Names are the ids; where several have one name, what they belong to is put before it.
    """
    listed = [
        (capability(path), requirement)
        for path, text in texts.items()
        for requirement in requirements(text)
    ]
    names = Counter(requirement.name.casefold() for _, requirement in listed)
    scenarios = Counter(
        scenario.name.casefold() for _, requirement in listed for scenario in requirement.scenarios
    )
    named = []
    for owner, requirement in listed:
        story = (
            requirement.name
            if names[requirement.name.casefold()] == 1
            else f"{owner}/{requirement.name}"
        )
        criteria = (_criterion(scenario, story, scenarios) for scenario in requirement.scenarios)
        named.append(Story(story, requirement.name, requirement.line, tuple(criteria)))
    return tuple(named)


def _criterion(scenario: Scenario, story: str, names: Mapping[str, int]) -> Criterion:
    steps = (_BULLET.sub("", line.strip(), count=1) for line in scenario.lines)
    text = " ".join(filter(None, steps))
    own = scenario.name if names[scenario.name.casefold()] == 1 else f"{story}/{scenario.name}"
    return Criterion(own, text, None, scenario.line, story, is_below=True)
