"""Machines that know nothing of each other: CI jobs run again, fresh clones, two jobs at once."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.project import CLOSED, OPEN, REASON, Project
from tests.delivery.stage import (
    ALL,
    AT_ONCE,
    RESUME,
    SYNC,
    UNDO,
    Held,
    active_on,
    assert_each_comment_once,
    await_request,
    clone,
    completed_on,
    count_markers,
    fault,
    reopened_on,
    settle,
    start,
)

from unlatch.project.trackers import Trackers
from unlatch_sandbox import Fault

COMPLETE = ("complete", "7", "--reason", "All done", "--yes")


def in_sync(project: Project, *trackers: str) -> Project:
    def build(project: Project) -> None:
        assert completed_on(project, *trackers).run("sync", "--yes").code == 0

    project.enter(f"in sync on {trackers}", build)
    return project


def reopened_by_hand(project: Project, *trackers: str) -> Project:
    in_sync(project, *trackers)
    open_by_hand(project, trackers[0])
    return project


SAME: dict[str, tuple[Callable[..., Project], tuple[str, ...]]] = {
    "resume": (in_sync, RESUME),
    "sync": (reopened_by_hand, ("sync", "--yes")),
    "complete": (active_on, COMPLETE),
    "undo": (reopened_on, UNDO),
}


@pytest.mark.sample
@pytest.mark.parametrize("posting", ["github", "jira"])
@pytest.mark.parametrize("command", SAME)
def test_two_clones_that_do_the_same_at_once_leave_one_comment(
    project: Project, command: str, posting: str, tmp_path: Path
) -> None:
    prepare, words = SAME[command]
    other = {"github": "jira", "jira": "github"}[posting]
    here = prepare(project, other, posting)
    there = clone(here, tmp_path / "there")
    before = count_markers(here)
    # The other clone runs from beginning to end while this one is about to post.
    meet = fault(posting, "comment", "human", action=lambda: there.process(*words))
    here.box.faults.add(meet)

    first = here.run(*words)
    last = here.run("sync", "--yes")

    assert (0, 0) == (first.code, last.code), first.said + last.said
    assert_each_comment_once(here)
    new = count_markers(here) - before
    posts = 1 if command == "sync" else 2  # the item that a person reopened needs none
    assert (posts, 1) == (new.total(), len({op for _, op in new})), first.said + last.said


def test_a_fresh_clone_waits_once_before_it_delivers_what_others_recorded(
    project: Project, tmp_path: Path
) -> None:
    completed_on(project, *ALL)
    settle(project, 1)
    assert project.run(*RESUME, "--offline").code == 0
    there = clone(project, tmp_path / "there")
    there.home.joinpath("state").rename(there.home / "of another machine")

    early = there.run(*AT_ONCE, *SYNC)
    assert (3, []) == (early.code, there.wrote()), early.said
    assert "--max-wait" in early.said
    done = there.run(*SYNC)

    assert (0, OPEN) == (done.code, there.states()), done.said
    assert 3 == count_markers(there).total()


@pytest.mark.parametrize("tracker", ALL)
def test_an_open_item_is_commented_only_where_that_is_asked_for(
    project: Project, tracker: str
) -> None:
    project.items(tracker, finished=False)
    words = ("reopen", project.urls[tracker], "-m", REASON)

    left = project.run(*words)
    assert (0, [], set()) == (
        left.code,
        project.comments()[tracker],
        project.labels()[tracker] & {"reopened"},
    )
    done = project.run(*words, "--comment-anyway")

    assert (0, 1) == (done.code, len(project.comments()[tracker])), done.said


def test_the_reason_of_a_blocked_reopen_is_posted_after_the_increment_is_completed(
    project: Project,
) -> None:
    completed_on(project, "jira")
    project.box.faults.add(Fault("jira", "forbidden", times=99))
    first = project.run(*RESUME)
    assert 3 == first.code, first.said
    assert 3 == project.run(*COMPLETE).code
    project.box.faults.clear()

    done = project.run(*SYNC)

    assert (0, CLOSED["jira"]) == (done.code, project.states()["jira"]), done.said
    asked, closed = project.comments()["jira"]
    assert REASON in asked
    assert "Asked to reopen on" in asked
    assert "completed before this item could be reopened" in asked
    assert "All done" in closed


@pytest.mark.sample
@pytest.mark.parametrize("command", ["complete", "undo"])
@pytest.mark.parametrize("tracker", ["github", "jira"])
def test_a_person_who_reopens_after_a_half_delivered_close_is_not_overruled(
    project: Project, tracker: str, command: str
) -> None:
    prepare, words = SAME[command]
    prepare(project, tracker)
    before = count_markers(project)
    time.sleep(1.1)  # GitHub's times have whole seconds
    project.box.faults.add(fault(tracker, "comment", "drop"))
    assert project.run(*words).code == 3
    assert CLOSED[tracker] == project.states()[tracker]
    open_by_hand(project, tracker)

    done = project.run("sync", "--yes")

    assert (0, OPEN[tracker]) == (done.code, project.states()[tracker]), done.said
    assert "pending" not in project.metadata()
    assert "active" == project.metadata()["status"]
    assert before == count_markers(project)
    again = project.run("sync", "--yes")
    assert (0, []) == (again.code, [one for one in project.wrote() if "DELETE" in one]), again.said


def open_by_hand(project: Project, tracker: str) -> None:
    if tracker == "github":
        project.box.github.edit("octo/widgets", 4, state="open", by="mona")
    elif tracker == "ado":
        project.box.ado.edit(101, state="Active")
    else:
        project.box.jira.edit("SCRUM-28", status="In Progress")


def close_by_hand(project: Project, tracker: str) -> None:
    if tracker == "github":
        project.box.github.edit("octo/widgets", 4, state="closed", by="mona")
    elif tracker == "ado":
        project.box.ado.edit(101, state="Closed")
    else:
        project.box.jira.edit("SCRUM-28", status="Done")


@pytest.mark.sample
@pytest.mark.parametrize("command", ["resume", "complete", "undo"])
@pytest.mark.parametrize("tracker", ALL)
def test_what_another_machine_delivered_and_a_person_took_back_is_not_repeated(
    project: Project, tracker: str, command: str, tmp_path: Path
) -> None:
    prepare = {"resume": completed_on, "complete": active_on, "undo": reopened_on}[command]
    words = {"resume": RESUME, "complete": COMPLETE, "undo": UNDO}[command]
    prepare(project, tracker)
    assert project.run(*words, "--offline").code == 0
    here = clone(project, tmp_path / "here")
    assert project.run(*SYNC).code == 0
    time.sleep(1.1)  # GitHub's times have whole seconds
    before = count_markers(project)
    (close_by_hand if command == "resume" else open_by_hand)(project, tracker)
    kept = project.states()

    done = here.run(*SYNC)

    assert (kept, before) == (here.states(), count_markers(here)), done.said
    assert "pending" not in here.metadata()
    assert "after the comment" in done.said


def test_a_sync_converges_where_items_were_moved_in_different_ways(project: Project) -> None:
    in_sync(project, *ALL)
    project.box.jira.edit("SCRUM-28", status="In Progress")
    project.box.ado.edit(101, state="Removed")

    first = project.run("sync", "--yes")
    before, comments = project.states(), project.comments()
    second = project.run("sync", "--yes")

    assert (0, 0) == (first.code, second.code), first.said + second.said
    assert "Removed" == before["ado"]
    assert [] == comments["ado"]
    assert (before, comments) == (project.states(), project.comments())
    assert "pending" not in project.metadata()


REOPEN_ITEMS = {
    "github": ("github", "reopen-issue"),
    "ado": ("ado", "reopen-work-item"),
    "jira": ("jira", "reopen-issue"),
}


@pytest.mark.parametrize("tracker", ALL)
@pytest.mark.parametrize("lost", [("comment", "drop-after"), ("state", "drop")], ids=" ".join)
def test_a_resume_takes_over_a_reopen_that_got_no_answer(
    project: Project, lost: tuple[str, str], tracker: str
) -> None:
    completed_on(project, tracker)
    project.box.faults.add(fault(tracker, *lost))
    first = project.run(*REOPEN_ITEMS[tracker], "7", "--reason", REASON)
    assert 3 == first.code, first.said
    done = project.run(*RESUME)
    (comment,) = project.comments()[tracker]
    assert (0, OPEN[tracker]) == (done.code, project.states()[tracker]), done.said
    assert "Asked to reopen" not in comment
    assert "pending" not in project.metadata()


@pytest.mark.parametrize("tracker", ALL)
def test_what_was_refused_is_not_said_to_have_been_delivered(
    project: Project, tracker: str
) -> None:
    project.items(tracker)
    project.box.faults.add(fault(tracker, "state", "forbidden"))
    first = project.run("reopen", project.urls[tracker], "--reason", REASON)
    project.box.faults.clear()
    open_by_hand(project, tracker)

    done = project.run("sync", "--yes", "--retry-refused")

    assert (3, 0, []) == (first.code, done.code, project.comments()[tracker]), done.said
    assert "nothing changed" in done.said
    assert "delivered before" not in done.said


@pytest.mark.parametrize("tracker", ["github", "jira"])
def test_an_undo_waits_for_a_reopen_that_another_machine_is_sending(
    project: Project, tracker: str, tmp_path: Path
) -> None:
    completed_on(project, tracker)
    settle(project, 1)
    assert project.run(*RESUME, "--offline").code == 0
    here = clone(project, tmp_path / "here")
    here.home.joinpath("state").rename(here.home / "of another machine")
    held = Held()
    project.box.faults.add(fault(tracker, "comment", "human", action=held))
    sending = start(project, *SYNC)
    await_request(sending, held.arrived)

    def pause(*_: object) -> None:
        held.released.set()
        sending.communicate(timeout=60)

    here.monkeypatch.setattr(Trackers, "pause", pause)
    done = here.run(*UNDO)

    held.released.set()
    sending.communicate(timeout=60)
    # The comment shows that the reopen was sent.
    assert (5, OPEN[tracker]) == (done.code, here.states()[tracker]), done.said
    assert "left open" in done.said


@pytest.mark.parametrize("own", [True, False])
def test_what_another_machine_took_back_during_a_write_leaves_nothing_pending(
    project: Project, own: bool, tmp_path: Path
) -> None:
    active_on(project, "jira")
    time.sleep(1.1)  # the item was active for a while
    there = clone(project, tmp_path / "there")
    words = ("reopen", project.urls["jira"], "--item-only", "--reason", REASON)

    def take_back() -> None:
        if own:
            there.process(*words)
        else:
            open_by_hand(project, "jira")

    project.box.faults.add(fault("jira", "comment", "human", action=take_back))

    done = project.run(*COMPLETE)

    assert OPEN["jira"] == project.states()["jira"]
    assert (0 if own else 3, own) == (done.code, "pending" not in project.metadata()), done.said
    assert ("after the last attempt" if own else "state-not-taken") in done.said
    assert_each_comment_once(project)
