"""Comments that two clones posted at once: the next sync of any clone leaves one."""

import os
import re
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.cli.conftest import outside
from tests.cli.project import REASON, Project
from tests.delivery.stage import (
    OURS,
    clone,
    closed_by_hand,
    completed_on,
    count_markers,
    edit_metadata,
    fault,
)

__all__ = ["outside"]
# Azure DevOps refuses the second of two changes of one revision.
POSTING = ("github", "jira")


def reopened_twice(project: Project, tracker: str, there: Project) -> None:
    """Reopen an item, and do so in another clone while this one is about to post."""
    words = ("reopen", project.urls[tracker], "-m", REASON)
    meet = fault(tracker, "comment", "human", action=lambda: there.process(*words))
    project.box.faults.add(meet)
    done = project.run(*words)
    assert (0, 2) == (done.code, count_markers(project).total()), done.said
    project.box.requests.clear()


@pytest.mark.parametrize("tracker", POSTING)
def test_the_next_sync_deletes_the_second_comment_on_an_item_alone(
    project: Project, tracker: str, tmp_path: Path
) -> None:
    there = clone(closed_by_hand(project, tracker), tmp_path / "there")
    reopened_twice(project, tracker, there)

    check = project.run("sync", "--check", "--json")
    done = there.run("sync", "--json")

    assert (0, 1) == (check.code, len(check.document["duplicates"])), check.said
    assert (0, 1) == (done.code, count_markers(project).total()), done.said
    [entry] = done.document["duplicates"]
    assert ([], 0) == (entry["notes"], entry["left"])
    again = project.run("sync")
    assert (0, "posted twice" in again.said) == (0, False), again.said


def test_outside_of_a_project_this_users_items_are_looked_at(
    outside: Project, tmp_path: Path
) -> None:
    there = clone(closed_by_hand(outside, "jira"), tmp_path / "there")
    reopened_twice(outside, "jira", there)

    plan = outside.run("sync", "--dry-run")
    done = outside.run("sync")

    assert (0, True) == (plan.code, "the comment was posted twice" in plan.said), plan.said
    assert (0, 1) == (done.code, count_markers(outside).total()), done.said
    assert "a comment that was posted twice was deleted" in done.err
    assert "Nothing is pending." in done.err


@pytest.mark.parametrize("tracker", POSTING)
def test_a_second_comment_with_a_line_of_a_person_stays_and_is_named(
    project: Project, tracker: str, tmp_path: Path
) -> None:
    there = clone(closed_by_hand(project, tracker), tmp_path / "there")
    reopened_twice(project, tracker, there)
    add_line(project, tracker)

    done = there.run("sync")

    assert (0, 2) == (done.code, count_markers(project).total()), done.said
    assert "it was edited or answered" in done.err


def add_line(project: Project, tracker: str) -> None:
    """Add a line to the second comment, as a person."""
    if tracker == "github":
        time.sleep(1.1)  # its times have whole seconds
        second = project.box.github.comments("octo/widgets", 4)[1]
        text = f"{second['body']}\nThanks!"
        project.box.github.edit_comment("octo/widgets", second["id"], text)
    else:
        second = project.box.jira.comments("SCRUM-28")[1]
        text = f"{project.comments()['jira'][1]}\nThanks!"
        project.box.jira.edit_comment("SCRUM-28", second["id"], text)


@pytest.mark.sweep
def test_of_several_operations_on_one_item_the_one_that_was_posted_twice_is_found(
    project: Project, tmp_path: Path
) -> None:
    there = clone(closed_by_hand(project, "jira"), tmp_path / "there")
    reopened_twice(project, "jira", there)
    assert 0 == project.run("close", project.urls["jira"], "-m", "Done").code

    done = project.run("sync")

    assert (0, [1, 1]) == (done.code, [*count_markers(project).values()]), done.said


def test_what_was_delivered_long_ago_takes_no_request(project: Project) -> None:
    project.items("github")
    assert 0 == project.run("reopen", project.urls["github"], "-m", REASON).code
    for log in project.root.glob(".unlatch/items/*/events.jsonl"):
        age(log)
    project.box.requests.clear()

    assert (0, []) == (project.run("sync").code, project.sent())


def age(log: Path) -> None:
    """Let a log look as if its last event were two hours old."""
    then = (datetime.now(UTC) - timedelta(hours=2)).timestamp()
    log.write_text(re.sub(r'"at": ?"[^"]+"', '"at": "2026-01-01T00:00:00Z"', log.read_text()))
    os.utime(log, (then, then))


@pytest.mark.parametrize("tracker", POSTING)
def test_an_old_intent_that_was_delivered_just_now_is_looked_at(
    project: Project, tracker: str
) -> None:
    completed_on(project, tracker)
    assert 0 == project.run("resume", "7", "-m", REASON, "--yes", "--offline").code
    edit_metadata(project, lambda data: data.update(lastActivity="2026-01-01T00:00:00Z"))
    assert 0 == project.run("sync", "7").code
    post_again(project, tracker)

    done = project.run("sync", "7")

    assert (0, 1) == (done.code, count_markers(project).total()), done.said


def post_again(project: Project, tracker: str) -> None:
    """Post the comment of an item once more, as another clone would."""
    [text] = project.comments()[tracker]
    if tracker == "github":
        project.box.github.add_comment("octo/widgets", 4, text, user=OURS[tracker])
    else:
        project.box.jira.add_comment("SCRUM-28", text, user=OURS[tracker])
