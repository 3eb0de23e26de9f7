"""Undo of an item that another increment, a person or another clone has reopened as well."""

import pytest
from tests.cli.project import CLOSED, OPEN, Project
from tests.delivery.stage import ALL, RESUME, SYNC, UNDO, completed_on

OTHER = "0008-other"
RESUME_OTHER = ("resume", "8", "--reason", "Another bug", "--yes")
UNDO_OTHER = ("undo", "8", "--yes")
LABELS = {"github": {"bug", "completed"}, "ado": {"ui", "completed"}, "jira": {"ux", "completed"}}


def share(project: Project, tracker: str) -> None:
    """Complete 0007 and 0008 with one closed item."""
    links = project.items(tracker)
    project.increment(links=links)
    project.increment(OTHER, links=links)


def run_all(project: Project, *commands: tuple[str, ...]) -> None:
    for command in commands:
        done = project.run(*command)
        assert (command, done.code) == (command, 0), done.said


@pytest.mark.sample
@pytest.mark.parametrize("tracker", ALL)
@pytest.mark.parametrize(
    "last",
    [(UNDO, UNDO_OTHER), (UNDO_OTHER, UNDO), (("complete", "7"), UNDO_OTHER)],
    ids=["in their order", "in reverse", "the first completed"],
)
def test_the_last_undo_closes_an_item_that_two_increments_reopened(
    project: Project, tracker: str, last: tuple[tuple[str, ...], ...]
) -> None:
    share(project, tracker)
    run_all(project, RESUME, RESUME_OTHER)

    run_all(project, *last)

    assert (CLOSED[tracker], LABELS[tracker]) == (
        project.states()[tracker],
        project.labels()[tracker],
    )
    assert "no sync is on record" not in project.run("sync", "--check").said


THIRD = ("resume", "9", "--reason", "A third bug", "--yes")
SHARED = {
    "one reopen was never sent": [RESUME, (*RESUME_OTHER, "--offline"), UNDO, UNDO_OTHER],
    "a third": [RESUME, RESUME_OTHER, UNDO, THIRD, UNDO_OTHER, ("undo", "9", "--yes")],
}


@pytest.mark.sample
@pytest.mark.parametrize("case", SHARED)
def test_the_last_of_all_undos_closes_the_item(project: Project, case: str) -> None:
    share(project, "github")
    project.increment("0009-third", links={"github": project.metadata()["github"]})

    run_all(project, *SHARED[case])

    assert {"github": "closed"} == project.states()


@pytest.mark.sweep
def test_an_item_that_a_person_opened_after_the_other_undo_stays_open(project: Project) -> None:
    share(project, "github")
    run_all(project, RESUME, UNDO)
    project.box.github.edit("octo/widgets", 4, state="open")

    run_all(project, RESUME_OTHER, UNDO_OTHER)

    assert {"github": "open"} == project.states()


@pytest.mark.parametrize("tracker", ["ado", "jira"])
def test_an_item_that_a_person_moved_between_two_reopens_stays_open(
    project: Project, tracker: str
) -> None:
    share(project, tracker)
    run_all(project, RESUME)
    moved = {"ado": "New", "jira": "To Do"}[tracker]
    if tracker == "ado":
        project.box.ado.edit(101, state=moved)
    else:
        project.box.jira.edit("SCRUM-28", status=moved)

    run_all(project, RESUME_OTHER, UNDO, UNDO_OTHER)

    assert {tracker: moved} == project.states()


def test_an_item_that_a_person_reopened_stays_open_and_is_not_followed_again(
    project: Project,
) -> None:
    completed_on(project, *ALL)
    assert project.run("sync", "--yes").code == 0
    project.box.github.edit("octo/widgets", 4, state="open")
    assert project.run(*SYNC).code == 0
    assert OPEN == project.states()

    done = project.run(*UNDO)

    assert done.code == 0, done.said
    assert "note: it stays open, as the reopen found it" in done.said
    assert {**CLOSED, "github": "open"} == project.states()
    after = project.run("sync", "7", "--check")
    assert (after.code, project.metadata()["status"]) == (0, "completed"), after.said
    assert "no sync is on record" not in after.said
