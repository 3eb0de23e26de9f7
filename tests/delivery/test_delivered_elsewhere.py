"""A delivery of another clone does not count as the state before a reopen."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.cli.project import ALL, OPEN, Project
from tests.delivery.stage import RESUME, completed_on

if TYPE_CHECKING:
    from pathlib import Path


def clone_of(project: Project, root: Path) -> Project:
    """The same checkout elsewhere, with local state of its own."""
    shutil.copytree(project.root, root)
    return replace(project, root=root, extra={"XDG_STATE_HOME": str(root.with_suffix(".state"))})


@pytest.mark.parametrize("tracker", ALL)
def test_an_undo_does_not_say_that_the_item_was_found_open(
    project: Project, tmp_path: Path, tracker: str
) -> None:
    completed_on(project, tracker)
    project.run(*RESUME, "--offline")
    other = clone_of(project, tmp_path / "other")
    assert 0 == other.run("sync", "7").code
    found = project.run("sync", "7")
    assert (0, True) == (found.code, "was delivered before; now recorded" in found.out)

    undone = project.run("undo", "7", "--yes")

    assert (5, OPEN[tracker]) == (undone.code, project.states()[tracker]), undone.said
    assert "unlatch did not record whether it was open before the reopen" in undone.said
    assert "as the reopen found it" not in undone.said
    (event,) = [one for one in project.events() if one["event"] == "delivered"][:1]
    assert ("reopened", None) == (event["result"], event.get("before"))


@pytest.mark.parametrize("tracker", ALL)
def test_the_events_of_the_other_clone_say_what_it_found(
    project: Project, tmp_path: Path, tracker: str
) -> None:
    completed_on(project, tracker)
    project.run(*RESUME, "--offline")
    other = clone_of(project, tmp_path / "other")
    other.run("sync", "7")
    project.run("sync", "7")
    events = project.folder() / "events.jsonl"
    theirs = (other.folder() / "events.jsonl").read_text().splitlines(keepends=True)
    ours = events.read_text().splitlines(keepends=True)
    events.write_text("".join(dict.fromkeys([*ours, *theirs])))  # as `merge=union` does

    undone = project.run("undo", "7", "--yes")

    assert 0 == undone.code, undone.said
    assert OPEN[tracker] != project.states()[tracker]
