"""An item that is open counts as opened by us if the tracker shows that our account did it.

A fresh machine has no record of an attempt that ended between the state and the comment.
"""

from pathlib import Path

import pytest
from tests.cli.project import OPEN, REASON, Done, Project
from tests.delivery.stage import ALL, OTHERS, OURS, as_bot, clone, closed_by_hand, move

from unlatch_sandbox import Fault

# The requests that name the token's account.
ACCOUNT = {"github": "(/user|/graphql)$", "ado": "(?i)connectiondata", "jira": "/myself$"}
# GitHub has one open state.
NEW = {"ado": "New", "jira": "To Do"}


def closed_and_opened(project: Project, tracker: str, *, by: str) -> Project:
    """The item of a tracker, which a person closed and another account opened again."""
    closed_by_hand(project, tracker)
    move(project, tracker, OPEN[tracker], by)
    return project


def reopen(project: Project, tracker: str) -> Done:
    return project.run("reopen", project.urls[tracker], "-m", REASON)


@pytest.mark.parametrize("tracker", ALL)
def test_what_our_account_opened_without_a_comment_is_finished(
    project: Project, tracker: str
) -> None:
    closed_and_opened(project, tracker, by=OURS[tracker])

    done = reopen(project, tracker)

    assert (0, 1) == (done.code, len(project.comments()[tracker])), done.said
    assert "reopened" in project.labels()[tracker]


@pytest.mark.parametrize("tracker", NEW)
def test_what_another_account_opened_before_ours_moved_it_is_left(
    project: Project, tracker: str
) -> None:
    closed_and_opened(project, tracker, by=OTHERS[tracker])
    move(project, tracker, NEW[tracker], OURS[tracker])

    assert_left(project, reopen(project, tracker), tracker)


@pytest.mark.parametrize("tracker", ALL)
def test_an_item_is_left_where_our_account_is_not_known(project: Project, tracker: str) -> None:
    closed_and_opened(project, tracker, by=OURS[tracker])
    project.box.faults.add(
        Fault(tracker, "status", code=403, path=ACCOUNT[tracker], body="{}", times=9)
    )

    assert_left(project, reopen(project, tracker), tracker)


@pytest.mark.parametrize("tracker", ALL)
def test_a_reopen_of_our_account_that_has_its_comment_is_done(
    project: Project, tracker: str, tmp_path: Path
) -> None:
    closed_by_hand(project, tracker)
    there = clone(project, tmp_path / "there")
    assert 0 == reopen(project, tracker).code

    done = there.run("reopen", project.urls[tracker], "-m", "Other words")

    assert_left(there, done, tracker, comments=1)


@pytest.mark.parametrize("tracker", ALL)
def test_another_account_does_not_finish_what_ours_began(project: Project, tracker: str) -> None:
    closed_and_opened(project, tracker, by=OURS[tracker])

    assert_left(project, reopen(as_bot(project), tracker), tracker)


def assert_left(project: Project, done: Done, tracker: str, *, comments: int = 0) -> None:
    assert (0, comments) == (done.code, len(project.comments()[tracker])), done.said
    assert "is open; nothing changed" in done.out
