"""Real specs read as plain regular expressions count them, and keep their bytes."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.increments.layouts.kiro.specs import amendment

from unlatch.increments.layouts.interface import Texts
from unlatch.increments.model.reopens import NewTask
from unlatch.increments.model.unit import Unit
from unlatch.testing.layouts import texts_of
from unlatch_layouts.kiro import KIRO

SAMPLES = Path(os.environ.get("UNLATCH_SAMPLES", "missing")) / "layouts/kiro"
REPOSITORIES = sorted(SAMPLES.iterdir()) if SAMPLES.is_dir() else []
pytestmark = pytest.mark.skipif(not REPOSITORIES, reason="UNLATCH_SAMPLES names no real specs")
each_repository = pytest.mark.parametrize("root", REPOSITORIES, ids=lambda root: root.name)

COUNTED = {
    "tasks": r"^ *- \[.\]",
    "done": r"^ *- \[[xX]\]",
    "started": r"^ *- \[-\]",
    "starred": r"^ *- \[.\](?:\*| [\d.]+\*)",
    "stories": r"^### Requirement \d+",
    "criteria": r"^\d+\. \S",
}


def units(root: Path) -> Iterator[tuple[Unit, Texts]]:
    for unit in KIRO.units(root):
        yield unit, texts_of(KIRO, unit)


def counted(root: Path) -> dict[str, int]:
    """The numbers by regular expressions, over all files of these names."""
    found = {"units": len({path.parent for path in root.rglob("tasks.md")})}
    for name, pattern in COUNTED.items():
        document = "requirements.md" if name in ("stories", "criteria") else "tasks.md"
        texts = [path.read_text() for path in root.rglob(document)]
        if name == "criteria":
            texts = [re.split(r"^## Requirements$", text, flags=re.MULTILINE)[1] for text in texts]
        found[name] = sum(len(re.findall(pattern, text, re.MULTILINE)) for text in texts)
    links = [
        re.findall(r"[\w-]+/[\w-]+#\d+|/issues/\d+", path.read_text())
        for path in root.rglob("*.md")
    ]
    found["links"] = sum(map(len, links))
    titles = [
        re.findall(r"^# [A-Z][\w ]+: (.+)$", path.read_text(), re.MULTILINE)
        for path in root.rglob("tasks.md")
    ]
    found["titles"] = sum(map(len, titles))
    return found


def read(root: Path) -> dict[str, int]:
    works = [(KIRO.read(texts), KIRO.links(texts)) for _, texts in units(root)]
    tasks = [task for work, _ in works for task in work.tasks]
    parents = {
        id(task)
        for work, _ in works
        for task in work.tasks
        if any(other.id.startswith(f"{task.id}.") for other in work.tasks)
    }
    return {
        "units": len(works),
        "titles": sum(work.spec.title is not None for work, _ in works),
        "tasks": len(tasks),
        "done": sum(task.done is True for task in tasks),
        "started": sum(task.status == "-" for task in tasks),
        "starred": sum(task.optional and id(task) not in parents for task in tasks),
        "stories": sum(len(work.spec.stories) for work, _ in works),
        "criteria": sum(len(work.spec.criteria) for work, _ in works),
        "links": sum(len(links) for _, links in works),
    }


@each_repository
def test_the_numbers_are_those_of_regular_expressions(root: Path) -> None:
    assert read(root) == counted(root)


@each_repository
def test_each_task_names_the_numbers_below_it(root: Path) -> None:
    """The criteria of a task are the numbers in the lines between it and the next one."""
    for unit, texts in units(root):
        tasks = KIRO.read(texts).tasks
        blocks = re.split(r"^ *- \[.\]\*? ", texts["tasks.md"], flags=re.MULTILINE)[1:]
        for task, block in zip(tasks, blocks, strict=True):
            lines = re.findall(r"_Requirements: (.*)_", block)
            single = {one for line in lines for one in re.findall(r"\b\d+\.\d+\b", line)}
            named = {one.removeprefix("R") for one in task.criteria if "." in one}
            assert single <= named, f"{unit.key} {task.id}"
            assert named == single or "-" in lines[0], f"{unit.key} {task.id}"


@each_repository
def test_new_tasks_have_the_next_numbers(root: Path) -> None:
    for unit, texts in units(root):
        _, ids = KIRO.amend(texts, amendment(NewTask("One"), NewTask("Two"), change=None))
        tops = [int(one) for one in re.findall(r"- \[.\]\*? (\d+)", texts["tasks.md"])]
        assert ids == (str(max(tops) + 1), str(max(tops) + 2)), unit.key
