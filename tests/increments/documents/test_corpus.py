"""Real files of other projects, at UNLATCH_CORPUS; the conformance kit marks and amends them."""

import os
from pathlib import Path

import pytest

from unlatch.increments.documents.done_marks import with_marked
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


@pytest.mark.sweep
def test_every_task_of_the_corpus_is_found_and_no_sample_of_one() -> None:
    found = {name: read_tasks(text) for name, text in texts("tasks.md").items()}
    assert 39 == len(found)
    counts = {name[:4]: len(tasks.tasks) for name, tasks in found.items()}
    # With fences in fences (0003, 0004, 0006, 0014, 0046), T001 (0002), samples in code (0039).
    expected = {"0002": 15, "0003": 22, "0004": 45, "0006": 54, "0014": 10, "0039": 93, "0046": 19}
    assert expected == {name: counts[name] for name in expected}


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


def items(spec: Spec) -> tuple[object, ...]:
    return spec.title, spec.stories, spec.criteria
