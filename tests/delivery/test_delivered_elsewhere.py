"""A delivery of another clone does not count as the state before a reopen."""

from pathlib import Path

import pytest
from tests.cli.project import ALL, CLOSED, OPEN, Project
from tests.delivery.stage import RESUME, SYNC, clone, completed_on


@pytest.mark.sample
@pytest.mark.parametrize("tracker", ALL)
@pytest.mark.parametrize("merged", [False, True])
def test_only_the_events_of_the_other_clone_say_what_the_reopen_found(
    project: Project, tmp_path: Path, tracker: str, *, merged: bool
) -> None:
    completed_on(project, tracker)
    project.run(*RESUME, "--offline")
    other = clone(project, tmp_path / "other")
    assert 0 == other.run(*SYNC).code
    found = project.run(*SYNC)
    assert (0, True) == (found.code, "was delivered before; now recorded" in found.out)
    (event, *_) = [one for one in project.events() if one["event"] == "delivered"]
    assert ("reopened", None) == (event["result"], event.get("before"))
    if merged:
        events = project.folder() / "events.jsonl"
        theirs = (other.folder() / "events.jsonl").read_text().splitlines(keepends=True)
        ours = events.read_text().splitlines(keepends=True)
        events.write_text("".join(dict.fromkeys([*ours, *theirs])))  # as `merge=union` does

    undone = project.run("undo", "7", "--yes")

    state = CLOSED[tracker] if merged else OPEN[tracker]
    assert (0 if merged else 5, state) == (undone.code, project.states()[tracker]), undone.said
    said = "unlatch did not record whether it was open before the reopen"
    assert merged is not (said in undone.said)
    assert "as the reopen found it" not in undone.said
