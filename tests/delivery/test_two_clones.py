"""Two clones post the same comment: one stays, and each deletes only its own."""

from pathlib import Path
from typing import Any

import pytest
from tests.cli.project import OPEN, Project
from tests.delivery.stage import (
    ALL,
    AT_ONCE,
    RESUME,
    SYNC,
    Held,
    as_bot,
    clone,
    completed_on,
    count_markers,
    fault,
    kill_when_held,
    start,
)

from unlatch_sandbox import Fault

# How the comments of each tracker are listed.
LISTINGS: dict[str, dict[str, Any]] = {
    "github": {"method": "GET", "path": "/issues/4/comments"},
    "jira": {"method": "GET", "path": "(/comment|/issue/SCRUM-28)"},
}
POSTING = ("github", "jira")


def recorded(project: Project, tracker: str) -> Project:
    """Record a reopen of 0007, which has one item on the tracker, and send nothing."""
    completed_on(project, tracker)
    assert project.run(*RESUME, "--offline").code == 0
    return project


def post_as_bot(project: Project, tracker: str) -> None:
    """Post the operation's comment as another clone with another account would."""
    op = project.metadata()["pending"][0]["op"]
    if tracker == "github":
        text = f"Reopened <!-- unlatch:op={op} -->"
        project.box.github.add_comment("octo/widgets", 4, text, user="github-actions[bot]")
    else:
        project.box.jira.add_comment("SCRUM-28", f"Reopened unlatch ref {op}", user="Bot")


def by_the_bot(project: Project, tracker: str) -> list[bool]:
    """Of each comment: whether the other account posted it."""
    if tracker == "github":
        comments = project.box.github.comments("octo/widgets", 4)
        return [comment["user"]["login"] == "github-actions[bot]" for comment in comments]
    found = project.box.jira.comments("SCRUM-28")
    return [comment["author"]["displayName"] == "Bot" for comment in found]


@pytest.mark.parametrize("tracker", POSTING)
def test_a_clone_that_died_before_its_second_look_leaves_one_comment(
    project: Project, tracker: str, tmp_path: Path
) -> None:
    here = recorded(project, tracker)
    there = clone(here, tmp_path / "there")
    held = Held()
    # The other clone delivers between this one's probe and its POST; then this one dies.
    here.box.faults.add(fault(tracker, "comment", "human", action=lambda: there.process(*SYNC)))
    here.box.faults.add(fault(tracker, "comment", "human", effect=True, action=held))

    kill_when_held(start(here, *SYNC), held)
    runs = [here.run(*SYNC), there.run(*SYNC)]

    assert [0, 0] == [done.code for done in runs], "".join(done.said for done in runs)
    assert 1 == count_markers(here).total()


@pytest.mark.sweep
@pytest.mark.parametrize("tracker", POSTING)
def test_a_second_look_that_fails_is_made_up_for(
    project: Project, tracker: str, tmp_path: Path
) -> None:
    here = recorded(project, tracker)
    there = clone(here, tmp_path / "there")

    def meet() -> None:
        there.process(*SYNC)
        here.box.faults.add(Fault(tracker, "status", code=500, times=99, **LISTINGS[tracker]))

    here.box.faults.add(fault(tracker, "comment", "human", action=meet))
    first = here.run(*AT_ONCE, *SYNC)
    here.box.faults.clear()

    done = here.run(*SYNC)

    assert 0 == done.code, first.said + done.said
    assert 1 == count_markers(here).total()


@pytest.mark.sample
@pytest.mark.parametrize("allowed", [True, False], ids=["may delete", "may not delete"])
@pytest.mark.parametrize("tracker", POSTING)
def test_the_earliest_clone_leaves_the_comments_of_others_alone(
    project: Project, tracker: str, allowed: bool
) -> None:
    recorded(project, tracker)
    later = lambda: post_as_bot(project, tracker)  # noqa: E731
    project.box.faults.add(fault(tracker, "comment", "human", effect=True, action=later))
    if not allowed:
        project.box.faults.add(Fault(tracker, "forbidden", method="DELETE", times=99))

    done = project.run(*SYNC)

    assert (0, OPEN[tracker]) == (done.code, project.states()[tracker]), done.said
    assert "pending" not in project.metadata()
    assert [False, True] == by_the_bot(project, tracker)


@pytest.mark.sample
@pytest.mark.parametrize("allowed", [True, False], ids=["may delete", "may not delete"])
@pytest.mark.parametrize("tracker", POSTING)
def test_a_later_clone_deletes_its_own_comment_or_notes_that_it_may_not(
    project: Project, tracker: str, allowed: bool, tmp_path: Path
) -> None:
    there = as_bot(clone(recorded(project, tracker), tmp_path / "there"))
    earlier = lambda: there.process(*SYNC)  # noqa: E731
    project.box.faults.add(fault(tracker, "comment", "human", action=earlier))
    if not allowed:
        project.box.faults.add(Fault(tracker, "forbidden", method="DELETE", times=99))

    done = project.run(*SYNC)

    assert (0, OPEN[tracker]) == (done.code, project.states()[tracker]), done.said
    assert "pending" not in project.metadata()
    assert allowed or "note:" in done.out
    assert ([True] if allowed else [True, False]) == by_the_bot(project, tracker)


@pytest.mark.parametrize("tracker", ALL)
def test_another_account_finds_what_a_dead_clone_posted(
    project: Project, tracker: str, tmp_path: Path
) -> None:
    here = recorded(project, tracker)
    there = as_bot(clone(here, tmp_path / "there"))
    held = Held()
    here.box.faults.add(fault(tracker, "comment", "human", effect=True, action=held))

    kill_when_held(start(here, *SYNC), held)
    done = there.run(*SYNC)

    assert (0, OPEN[tracker]) == (done.code, there.states()[tracker]), done.said
    assert 1 == count_markers(there).total()
    assert {"reopened"} == there.labels()[tracker] & {"reopened", "completed"}
