"""Scope changes and the completion gate on real increments of other projects."""

import re
from pathlib import Path
from typing import Any

import pytest
from tests.cli.files.test_corpus import corpus, pytestmark
from tests.cli.project import REASON, Project

from unlatch.increments.documents.tasks import read_tasks
from unlatch.increments.layouts.native import UNLATCH

__all__ = ["corpus", "pytestmark"]

some_or_all = pytest.mark.parametrize("step", [23, pytest.param(1, marks=pytest.mark.sweep)])
SCOPE = ("--scope", "More to do", "--task", "One thing", "--task", "Another thing")
# Has a key twice, so that nothing is written to it.
TWICE = "0037-project-specific-tasks"
_STATUS = re.compile(rb"\A((?:\xef\xbb\xbf)?---\r?\n(?:.*\n)*?status:).*", re.MULTILINE)
_TOTAL = re.compile(rb"(?<=[\r\n]total_tasks: )[0-9]+")


def texts(folder: Path) -> dict[str, bytes]:
    paths = (folder / name for name in ("spec.md", "tasks.md"))
    return {path.name: path.read_bytes() if path.exists() else b"" for path in paths}


def without_status(text: bytes) -> bytes:
    """A document without what a scope change also writes: its status and its number of tasks."""
    return _TOTAL.sub(b"", _STATUS.sub(rb"\1", text, count=1), count=1)


def folder_of(corpus: Project, name: str) -> Path:
    (found,) = (corpus.root / ".specweave" / "increments").rglob(f"{name}/metadata.json")
    return found.parent


def all_of(corpus: Project) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = corpus.run("list", "--all", "--json").document
    return [one for one in found if one["id"] != TWICE]


@some_or_all
def test_a_scope_change_of_any_of_them_adds_to_the_end_of_the_documents(
    corpus: Project, step: int
) -> None:
    for one in all_of(corpus)[::step]:
        before = texts(folder_of(corpus, one["id"]))
        known = [task.id for task in read_tasks(before["tasks.md"].decode()).tasks]
        done = corpus.run(
            "resume",
            one["id"],
            "--reason",
            REASON,
            "--yes",
            "--force",
            "--offline",
            "--json",
            *SCOPE,
        ).ends(0)
        after = texts(folder_of(corpus, one["id"]))
        for name, text in before.items():
            assert without_status(after[name]).startswith(without_status(text)), (one["id"], name)
        tasks = read_tasks(after["tasks.md"].decode()).tasks
        new = [task["id"] for task in done.document["scope"]["newTasks"]]
        assert [*known, *new] == [task.id for task in tasks], one["id"]
        assert [False, False] == [task.done for task in tasks[-2:]], one["id"]
        assert done.document["scope"]["tasks"]["new"] == 2


@pytest.mark.sweep
@some_or_all
def test_each_is_completed_just_if_nothing_is_open(corpus: Project, step: int) -> None:
    refused = 0
    for one in all_of(corpus)[::step]:
        corpus.run("resume", one["id"], "--reason", REASON, "--yes", "--force", "--offline")
        found = texts(folder_of(corpus, one["id"]))
        left = UNLATCH.read({name: content.decode() for name, content in found.items()}).open
        corpus.run("complete", one["id"], "--offline").ends(1 if left else 0)
        refused += bool(left)
    assert 0 < refused < 50
