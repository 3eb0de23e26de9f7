"""Real files of other projects, at UNLATCH_CORPUS; the conformance kit marks and amends them."""

import os
from pathlib import Path

import pytest

from unlatch.increments.documents.done_marks import with_marked
from unlatch.increments.documents.scope_change import with_scope_change
from unlatch.increments.documents.spec import read_spec
from unlatch.increments.documents.spec_and_tasks import Spec, Tasks
from unlatch.increments.documents.tasks import read_tasks

CORPUS = os.environ.get("UNLATCH_CORPUS")
pytestmark = pytest.mark.skipif(not CORPUS, reason="UNLATCH_CORPUS names no real increments")


# A seventh of the files; `make torture` takes all of them.
some_or_all = pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.sweep)])


def texts(name: str) -> dict[str, str]:
    paths = sorted(Path(CORPUS or "").rglob(name))
    return {path.parent.name: path.read_bytes().decode() for path in paths}


def unique(ids: list[str]) -> list[str]:
    return [one for one in ids if ids.count(one) == 1]


def test_every_task_of_the_corpus_is_found_and_no_sample_of_one() -> None:
    found = {name: read_tasks(text) for name, text in texts("tasks.md").items()}
    assert 39 == len(found)
    counts = {name[:4]: len(tasks.tasks) for name, tasks in found.items()}
    # With fences in fences (0003, 0004, 0006, 0014, 0046), T001 (0002), samples in code (0039).
    expected = {"0002": 15, "0003": 22, "0004": 45, "0006": 54, "0014": 10, "0039": 93, "0046": 19}
    assert expected == {name: counts[name] for name in expected}


def test_every_status_of_the_corpus_is_understood() -> None:
    for name, text in texts("tasks.md").items():
        for task in read_tasks(text).tasks:
            told = task.done is not None or task.discarded
            assert told or task.status is None, (name, task)


def test_stories_and_criteria_of_the_corpus_are_found() -> None:
    specs = {name[:4]: read_spec(text) for name, text in texts("spec.md").items()}
    assert 48 == len(specs)
    counts = {name: (len(spec.stories), len(spec.criteria)) for name, spec in specs.items()}
    assert (14, 103) == counts["0047"]
    assert (4, 16) == counts["0033"]
    assert (7, 33) == counts["0023"]
    for name, spec in specs.items():
        assert all(criterion.story for criterion in spec.criteria), name


@some_or_all
def test_reading_keeps_every_byte(*, step: int) -> None:
    for name in ("spec.md", "tasks.md"):
        for text in list(texts(name).values())[::step]:
            assert text == read_tasks(text).text == read_spec(text).text
            assert text == with_marked(text, [], done=True)


@some_or_all
def test_all_tasks_can_be_ticked_and_unticked_at_once(*, step: int) -> None:
    for name, text in list(texts("tasks.md").items())[::step]:
        ids = unique([task.id for task in read_tasks(text).tasks])
        opened = with_marked(text, ids, done=False)
        closed = with_marked(opened, ids, done=True)
        for marked, done in ((opened, False), (closed, True)):
            read = states(read_tasks(marked))
            assert {done} >= {read[one] for one in ids}, name
        assert opened == with_marked(closed, ids, done=False), name


def states(tasks: Tasks) -> dict[str, bool | None]:
    return {task.id: task.done for task in tasks.tasks}


@some_or_all
def test_marking_a_criterion_twice_restores_the_file(*, step: int) -> None:
    for name, text in list(texts("spec.md").items())[::step]:
        criteria = read_spec(text).criteria
        ids = unique([one.id for one in criteria if one.box is not None])
        for one in criteria[::step]:
            if one.id in ids and one.done is not None:
                other = with_marked(text, [one.id], done=not one.done)
                assert 1 == sum(a != b for a, b in zip(text, other, strict=True)), (name, one)
                assert text == with_marked(other, [one.id], done=one.done), name


@some_or_all
def test_a_scope_change_leaves_every_spec_as_it_reads(*, step: int) -> None:
    for name, text in list(texts("spec.md").items())[::step]:
        changed = with_scope_change(
            text, change="### US-777: no\n```", reason="<!--", date="2026-11-22", reopen="01J"
        )
        assert changed.startswith(text), name
        assert items(read_spec(text)) == items(read_spec(changed)), name


def items(spec: Spec) -> tuple[object, ...]:
    return spec.title, spec.stories, spec.criteria
