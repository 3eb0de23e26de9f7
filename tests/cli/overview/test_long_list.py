"""A long list of everything takes the rows of unchanged increments from the list before it."""

import time
from pathlib import Path
from typing import Any

import pytest
from tests.cli.project import Project

from unlatch.increments.files.paths import paths_at
from unlatch.lifecycle.lists.known_rows import (
    INCREMENTS,
    LIST_ROWS,
    Kept,
    KnownIncrement,
    KnownRows,
)
from unlatch.lifecycle.lists.list_row import ListRow
from unlatch.lifecycle.lists.listing import WORTH_IT
from unlatch.project.workspace import Workspace
from unlatch.worklog.disk.user_files import state_folder


@pytest.fixture
def long(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    for number in range(1, WORTH_IT + 1):
        links = project.items("jira") if number == 3 else {}
        status = "shipped" if number == 4 else "active"
        name = f"{number:04}-some-work"
        project.increment(name, status=status, links=links, archived=number > 10)
    monkeypatch.setenv("XDG_STATE_HOME", project.environ["XDG_STATE_HOME"])
    return project


def remember(project: Project, kept: Kept[Any]) -> int:
    """Keep the rows of all increments, as a list does when their files are old; the number kept."""
    manager = Workspace(paths_at(project.root), environ={}, user_config=Path("none")).manager
    hours_later = time.time_ns() + 3_600_000_000_000
    known = KnownRows(project.root, manager.shapes, kept, now=lambda: hours_later)
    for _ in range(2):
        found = [*known.each([*manager.collection.folders()], complete=True)]
    return sum(isinstance(one, ListRow | KnownIncrement) for one in found)


def test_a_long_list_with_known_rows_is_the_same(long: Project) -> None:
    first, reversed_ = (long.run("list", "--all", *more) for more in ([], ["--reverse"]))
    assert WORTH_IT + 1 == len(first.out.splitlines())
    assert WORTH_IT - 1 == remember(long, LIST_ROWS)
    assert first == long.run("list", "--all")
    assert reversed_ == long.run("list", "--all", "--reverse")
    long.run("pause", "3", "--by", "me", "--reason", "Other things first")
    changed = long.run("list", "--all").out
    assert changed == first.out.replace("0003-some-work  active ", "0003-some-work  paused ")


@pytest.mark.sample(count=1)
@pytest.mark.parametrize(
    "line", ["list --all --json", "list --all --sort activity", "status --json"]
)
def test_what_shows_known_increments_is_the_same(long: Project, line: str) -> None:
    first = long.run(*line.split())
    assert WORTH_IT - 1 == remember(long, INCREMENTS)
    assert first == long.run(*line.split())
    long.run("pause", "3", "--by", "me", "--reason", "Other things first")
    assert '"paused"' in long.run("list", "--all", "--json").out


def test_a_short_list_keeps_no_rows(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", project.environ["XDG_STATE_HOME"])
    project.increment()
    project.run("list", "--all")
    assert not (state_folder(project.root) / "rows.json").exists()
