"""A scope change that is cut off anywhere is finished by the same command, once."""

from __future__ import annotations

import resource
from typing import TYPE_CHECKING

import pytest
from tests.cli import scoped
from tests.cli.project import REASON, Project
from tests.crash.test_many_at_once import told_by

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SCOPE = ("resume", "7", "--reason", REASON, "--yes", "--scope", "More", "--task", "Add a switch")
SIZE = 200_000


# `make torture` dies at each boundary.
@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.sweep)])
def test_death_at_any_boundary_changes_nothing_in_the_end(
    tmp_path: Path, record_property: Callable[[str, object], None], every: int
) -> None:
    told = told_by("tests.crash.scope_kill", str(tmp_path), str(every))

    record_property("scope change", f"{told['deaths']} deaths")
    assert told["wrong"] == {}
    assert told["deaths"] > 20 / every


@pytest.mark.parametrize(
    ("act", "least", "every"),
    [
        ("begin", 10, 1),
        ("adopt", 5, 1),
        ("resume", 25, 3),
        pytest.param("resume", 25, 1, marks=pytest.mark.sweep),
    ],
)
def test_death_on_a_unit_of_another_tool_changes_nothing_in_the_end(
    tmp_path: Path, act: str, least: int, every: int
) -> None:
    told = told_by("tests.crash.unit_kill", str(tmp_path), act, str(every))

    assert told["wrong"] == {}
    assert told["deaths"] > least / every


def test_a_disk_that_has_no_room_for_the_tasks(completed: Project) -> None:
    scoped.write(completed)
    path = completed.folder() / "tasks.md"
    path.write_text(scoped.TASKS + f"\n<!-- {'x' * SIZE} -->\n")
    before = path.read_bytes()
    completed.extra["PYTHONDONTWRITEBYTECODE"] = "1"

    done = completed.process(
        *SCOPE, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (SIZE, SIZE))
    )

    assert done.code == 3, done.said
    assert "cannot write tasks.md: File too large; the next command writes it" in done.err
    assert "Not written yet: tasks.md. Next: unlatch resume 0007-smart-discipline\n" in done.err
    assert before == path.read_bytes()
    assert completed.metadata()["reopenHistory"][0]["unwritten"] == ["tasks.md"]
    (said,) = completed.comments()["github"]
    assert "- [ ] T-004: Add a switch" in said, done.said

    shown = completed.run("show", "7", "--offline")
    assert "  Not written  tasks.md: changes of the work; unlatch resume " in shown.out

    again = completed.run("resume", "7")

    assert again.code == 0, again.said
    assert "unwritten" not in completed.metadata()["reopenHistory"][0]
    added = path.read_bytes()[len(before) :].decode()
    assert "### T-004: Add a switch\n" in added
    assert scoped.text(completed, "spec.md").count("## Scope change") == 1


def test_what_was_undone_before_it_was_written_is_not_written(single: Project) -> None:
    scoped.write(single)
    path = single.folder() / "tasks.md"
    path.write_text(scoped.TASKS + f"\n<!-- {'x' * SIZE} -->\n")
    before = path.read_bytes()
    single.extra["PYTHONDONTWRITEBYTECODE"] = "1"
    single.process(
        *SCOPE, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (SIZE, SIZE))
    )

    single.run("undo", "7", "--yes")
    single.run("resume", "7", "--reason", REASON, "--yes")

    assert before == path.read_bytes()
