"""complete and abandon: the effect on the items, and on a resume after them."""

import pytest
from tests.cli.project import ALL, CLOSED, OPEN, Project

OTHER = "0008-other-work"


@pytest.fixture
def active(project: Project) -> Project:
    """0007-smart-discipline is active, its items open and labelled as reopened."""
    links = project.items(finished=False)
    project.box.github.edit("octo/widgets", 4, labels=["bug", "reopened"])
    project.box.ado.edit(101, tags=["ui", "reopened"])
    project.box.jira.edit("SCRUM-28", labels=["ux", "reopened"])
    project.increment(status="active", links=links)
    return project


def test_complete_closes_and_relabels_the_items(active: Project) -> None:
    done = active.run("complete", "7", "--reason", "All of it works")

    assert sorted(done.out.splitlines()) == [
        "✓ Azure DevOps fabrikam/widgets 101 closed; commented; labels +completed -reopened",
        "✓ GitHub octo/widgets#4 closed; commented; labels +completed -reopened",
        "✓ Increment 0007-smart-discipline: active -> completed",
        "✓ Jira SCRUM-28 closed; commented; labels +completed -reopened",
    ]
    assert active.comments()["github"][0].startswith("**Completed**: All of it works\n")
    assert active.states() == CLOSED
    assert {
        "github": {"bug", "completed"},
        "ado": {"ui", "completed"},
        "jira": {"ux", "completed"},
    } == active.labels()
    assert active.box.github.issue("octo/widgets", 4)["state_reason"] == "completed"
    assert (active.metadata()["status"], "pending" in active.metadata()) == ("completed", False)
    assert active.metadata()["completedAt"] == active.metadata()["lastActivity"]


def test_an_item_that_other_unfinished_work_needs_stays_open(active: Project) -> None:
    issue = {"github": active.metadata()["github"]}
    active.increment(OTHER, status="paused", links=issue)
    for name, status in (("0009-done", "completed"), ("0010-left", "abandoned")):
        active.increment(name, status=status, links=issue)
    shown = active.run("complete", "7", "--dry-run", "--json").document
    active.run("complete", "7").ends(
        0, out=f"  {active.urls['github']} stays open: {OTHER} needs it\n"
    )
    assert shown["spared"] == [
        {"tracker": "github", "id": "4", "url": active.urls["github"], "neededBy": [OTHER]}
    ]
    assert active.states() == {**CLOSED, "github": "open"}
    active.run("start", "8")
    active.run("complete", "8")
    assert active.states() == CLOSED


def test_abandon_closes_the_items_as_not_planned(active: Project) -> None:
    active.run("abandon", "7", "--reason", "Nobody wants it").ends(0)
    assert active.metadata()["status"] == "abandoned"
    assert active.states() == {"github": "closed", "ado": "Removed", "jira": "Done"}
    assert active.box.github.issue("octo/widgets", 4)["state_reason"] == "not_planned"
    assert active.comments()["github"][0].startswith("**Abandoned**: Nobody wants it\n")
    assert all("completed" not in labels for labels in active.labels().values())
    assert all("reopened" not in labels for labels in active.labels().values())


def close_on_purpose(project: Project, reason: str = "not_planned") -> None:
    """Complete 0007, and close its issue again for a reason that a reopen respects."""
    project.run("complete", "7")
    project.box.github.edit("octo/widgets", 4, state="open")
    project.box.github.edit("octo/widgets", 4, state="closed", state_reason=reason)


def test_what_was_closed_on_purpose_is_not_reopened_unasked(active: Project) -> None:
    close_on_purpose(active)
    active.box.ado.edit(101, state="Removed")
    active.run("resume", "7", "--reason", "Again", "--yes").ends(
        3,
        out=(
            "GitHub octo/widgets#4 not reopened: ",
            "[deliberately-closed]",
            "--even-if-not-planned",
        ),
    )
    assert active.states() == {**OPEN, "github": "closed", "ado": "Removed"}
    assert [len(active.comments()[name]) for name in ("jira", "github", "ado")] == [1, 0, 0]
    blocked = active.metadata()["pending"]
    assert [(operation["tracker"], operation["cause"]) for operation in blocked] == [
        ("github", "deliberately-closed"),
        ("ado", "deliberately-closed"),
    ]
    assert all("parkedAt" in operation for operation in blocked)
    for command in (("status",), ("show", "7"), ("history", "7")):
        assert "blocked: deliberately-closed" in active.run(*command).out


def test_completing_twice_delivers_what_is_owed_and_adds_nothing(active: Project) -> None:
    active.run("complete", "7", "--offline")

    again = active.run("complete", "7")
    third = active.run("complete", "7")

    assert [again.code, third.code] == [0, 0]
    assert "is already completed" in again.out
    assert "octo/widgets#4 closed" in again.out
    assert third.out.count("\n") == 1


@pytest.mark.sample(at=(2,))
@pytest.mark.parametrize("command", ["complete", "abandon", "pause"])
def test_a_reason_of_a_repeated_command_is_recorded_or_named(active: Project, command: str) -> None:
    first, again, other = (
        active.run(command, "7", "--reason", reason) for reason in ("One", "One", "Two")
    )
    assert [0, 0, 0] == [done.code for done in (first, again, other)], other.said
    lost = ["this reason was not recorded" in done.said for done in (first, again, other)]
    assert [False, False, True] == lost


def test_what_the_status_table_forbids_is_refused(project: Project) -> None:
    links = project.items()
    moves = {"planning": "complete", "paused": "complete", "completed": "abandon"}
    moves["abandoned"] = "complete"
    for number, status in enumerate(moves, 1):
        project.increment(f"000{number}-{status}", status=status, links=links)
    before = project.tree()
    for number, command in enumerate(moves.values(), 1):
        project.run(command, str(number)).ends(1, err=("error[transition-refused]", "next: "))
    assert (before, []) == (project.tree(), project.sent())


@pytest.mark.sweep
def test_completing_and_resuming_time_and_again_keeps_every_entry(active: Project) -> None:
    for number in range(3):
        assert active.run("complete", "7").code == 0
        active.run("resume", "7", "--reason", f"Reason {number}", "--yes").ends(0)
    assert [f"Reason {n}" for n in range(3)] == [
        entry["reason"] for entry in active.metadata()["reopenHistory"]
    ]
    assert dict.fromkeys(ALL, 3) == {name: len(c) for name, c in active.comments().items()}
    assert active.states() == OPEN
    assert "Reopened     0007-smart-discipline: 3 times" in active.run("status").out
