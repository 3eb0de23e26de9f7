"""Real changes, counted by other patterns; `UNLATCH_SAMPLES` names them."""

import re
from collections.abc import Iterator

import pytest
from tests.increments.layouts.openspec.making import REPOSITORIES, needs_samples, sample, work_of

from unlatch.testing.layouts import texts_of
from unlatch_layouts.openspec import OPENSPEC

pytestmark = needs_samples
# Of the program before it read further marks (1.10).
TASK = re.compile(r"^\s*[-*]\s*\[([\sxX])\]", re.MULTILINE)
REQUIREMENT = re.compile(r"^### Requirement: .+", re.MULTILINE)
SCENARIO = re.compile(r"^#### Scenario: .+", re.MULTILINE)
TITLE = re.compile(r"\A# (?:Change: )?(.+)")
TASKS_TITLE = re.compile(r"\A# Tasks: (.+)")
LINK = re.compile(r"\(?(https://\S+?/issues/[0-9]+)\)|(?<![\w\[-])(#[0-9]+)")

# Totals of the samples as they are; the tests compare with what the patterns find.
TOTALS = {
    "Fission-AI__OpenSpec": {
        "changes": 6, "titles": 3, "done": 43, "open": 33, "requirements": 8, "scenarios": 29,
        "links": 13,
    },
    "liqiongyu__agentpack": {
        "changes": 4, "titles": 4, "done": 53, "open": 0, "requirements": 13, "scenarios": 16,
        "links": 3,
    },
}  # fmt: skip


def contents(repository: str) -> Iterator[dict[str, str]]:
    """The texts of each change, by the names of their files."""
    changes = sample(repository) / "openspec" / "changes"
    for folder in (*changes.iterdir(), *(changes / "archive").glob("*")):
        if folder.name != "archive":
            yield {
                str(path.relative_to(folder)): path.read_bytes().decode()
                for path in folder.rglob("*.md")
            }


def by_patterns(repository: str) -> dict[str, int]:
    found = dict.fromkeys(TOTALS[repository], 0)
    for texts in contents(repository):
        proposal, tasks = texts["proposal.md"], texts.get("tasks.md", "")
        deltas = "\n".join(text for name, text in texts.items() if name.startswith("specs/"))
        marks = TASK.findall(tasks)
        found["changes"] += 1
        found["titles"] += bool(TITLE.match(proposal) or TASKS_TITLE.match(tasks))
        found["done"] += sum(mark in "xX" for mark in marks)
        found["open"] += sum(mark not in "xX" for mark in marks)
        found["requirements"] += len(REQUIREMENT.findall(deltas))
        found["scenarios"] += len(SCENARIO.findall(deltas))
        links = (
            url or name for text in (proposal, tasks, deltas) for url, name in LINK.findall(text)
        )
        found["links"] += len(set(links))
    return found


@pytest.mark.parametrize("repository", REPOSITORIES)
def test_as_much_is_read_as_other_patterns_find(repository: str) -> None:
    units = list(OPENSPEC.units(sample(repository)))
    found = [work_of(unit) for unit in units]
    tasks = [task for work in found for task in work.tasks]
    counted = {
        "changes": len(units),
        "titles": sum(work.spec.title is not None for work in found),
        "done": sum(task.done is True for task in tasks),
        "open": sum(task.done is False for task in tasks),
        "requirements": sum(len(work.spec.stories) for work in found),
        "scenarios": sum(len(work.spec.criteria) for work in found),
        "links": sum(len(OPENSPEC.links(texts_of(OPENSPEC, unit))) for unit in units),
    }
    assert by_patterns(repository) == counted
    assert TOTALS[repository] == counted
