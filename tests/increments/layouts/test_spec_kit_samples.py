"""Real features of spec-kit, counted by plain expressions of this file, too.

The samples are not part of the project: the tests run where UNLATCH_SAMPLES names their folder.
"""

import os
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from unlatch.testing.layouts import texts_of
from unlatch_layouts.spec_kit.layout import SPEC_KIT

_SAMPLES = os.environ.get("UNLATCH_SAMPLES")
pytestmark = pytest.mark.skipif(not _SAMPLES, reason="UNLATCH_SAMPLES names no folder of samples")

_FOLDER = Path(_SAMPLES or "") / "layouts/spec-kit"
PROJECTS = ("alfredoperez__speckit-companion", "taoq-ai__ziran")


class Counts(NamedTuple):
    units: int
    titles: tuple[str, ...]
    tasks: int
    done: int
    open: int
    stories: int
    criteria: int
    links: frozenset[str]


def read_by_the_layout(project: Path) -> Counts:
    units = list(SPEC_KIT.units(project))
    texts = [texts_of(SPEC_KIT, unit) for unit in units]
    works = [SPEC_KIT.read(one) for one in texts]
    tasks = [task for work in works for task in work.tasks]
    return Counts(
        len(units),
        tuple(work.spec.title or "" for work in works),
        len(tasks),
        sum(task.done is True for task in tasks),
        sum(not task.done and not task.discarded for task in tasks),
        sum(len(work.spec.stories) for work in works),
        sum(len(work.spec.criteria) for work in works),
        frozenset(
            re.findall(r"[0-9]+\Z", link)[0] for one in texts for link in SPEC_KIT.links(one)
        ),
    )


def counted(project: Path) -> Counts:
    folders = sorted({path.parent for path in project.glob("specs/*/*.md")})
    specs = [(folder / "spec.md").read_text(encoding="utf-8") for folder in folders]
    paths = [folder / "tasks.md" for folder in folders if (folder / "tasks.md").exists()]
    tasks = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    both = "\n".join([tasks, *specs])
    return Counts(
        len(folders),
        tuple(re.findall(r"^# [\w ]+: (.+)$", "\n".join(specs), re.MULTILINE)),
        found(r"^- \[[ xX~]\] ", tasks),
        found(r"^- \[[xX]\] ", tasks),
        found(r"^- \[[ ~]\] ", tasks),
        found(r"^### User Story [0-9]", "\n".join(specs)),
        found(r"^- \*\*(FR-|SC-|R)[0-9]{3}|^[0-9]\. \*\*(Given|When)", "\n".join(specs)),
        frozenset(re.findall(r"(?:(?<=[ (\[*])#|/issues/)([0-9]+)\b", both)),
    )


def found(expression: str, text: str) -> int:
    return len(re.findall(expression, text, re.MULTILINE))


@pytest.mark.parametrize("name", PROJECTS)
def test_the_counts_are_those_of_plain_expressions(name: str) -> None:
    assert counted(_FOLDER / name) == read_by_the_layout(_FOLDER / name)


def test_the_templates_of_the_tool_are_read() -> None:
    templates = _FOLDER / "github__spec-kit/templates"
    names = {"spec.md": "spec-template.md", "tasks.md": "tasks-template.md"}
    work = SPEC_KIT.read(
        {name: (templates / file).read_text(encoding="utf-8") for name, file in names.items()}
    )
    assert work.spec.title is None
    assert ["US1", "US2", "US3"] == [one.id for one in work.spec.stories]
    assert [f"T{n:03}" for n in range(1, 29)] == [one.id for one in work.tasks][:28]
    assert {"US1", "US2", "US3", None} == {one.story for one in work.tasks}
