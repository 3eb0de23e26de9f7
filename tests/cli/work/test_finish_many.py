"""complete, abandon and undo of several increments by one command."""

import pytest
from tests.cli.project import Project
from tests.cli.terminal import Terminal
from tests.cli.work.test_bulk import YES, many, states


@pytest.fixture
def three(project: Project) -> Project:
    """0001, 0002 and 0003 were resumed; each has a work item of its own."""
    many(project, 3)
    project.run("resume", "1-3", *YES).ends(0)
    project.sent()
    return project


def open_work(project: Project, number: int) -> None:
    path = project.folder(f"{number:04d}-some-work") / "tasks.md"
    path.write_text("# Tasks\n\n- [ ] T-001: Do it\n")


def statuses(project: Project) -> list[str]:
    return [project.metadata(f"{number:04d}-some-work")["status"] for number in (1, 2, 3)]


def test_refusals_of_one_id_for_different_causes_are_shown_each(three: Project) -> None:
    assert three.run("complete", "3").code == 0
    for name in ("0008-fresh", "0009-fresh"):
        three.increment(name, status="active")
    three.run("undo", "3", "8", "9", "--yes").shows(
        out=(
            "0003-some-work has no reopen to undo: it is completed now, no longer",
            "0008-fresh has no reopen to undo: it was never reopened [nothing-to-undo]",
            "    1 more increment likewise: 0009-fresh\n",
        )
    )


def test_a_shared_item_is_closed_with_the_last_of_the_command(project: Project) -> None:
    links = project.items("github", finished=False)
    for number in (1, 2):
        project.increment(f"{number:04d}-some-work", status="active", links=links)
    open_work(project, 2)
    refused = project.run("complete", "1-2")
    assert (5, "open") == (refused.code, project.states()["github"]), refused.said
    (project.folder("0002-some-work") / "tasks.md").unlink()
    project.increment("0003-some-work", status="active", links=links)
    previewed = project.run("complete", "2-3", "--dry-run").shows(
        out=(
            "    Stay open     1 item\n",
            f"    {project.urls['github']} stays open: 0003-some-work needs it\n",
        )
    )
    done = project.run("complete", "2-3")
    assert (0, 0) == (previewed.code, done.code), done.said
    assert previewed.out.count("set state to closed") == 1
    assert "closed" == project.states()["github"]
    assert ["github PATCH"] == [one for one in project.wrote() if "PATCH" in one]


def test_several_reopens_are_undone_after_one_question(three: Project) -> None:
    before = three.tree()
    unasked = three.run("undo", "1-3")
    assert (2, before) == (unasked.code, three.tree())
    assert "unlatch undo 0001-some-work 0002-some-work 0003-some-work --yes" in unasked.err
    with Terminal(three, "undo", "1-3") as terminal:
        terminal.expect("Continue?")
        assert terminal.text.count(" was reopened by ") == 3
        assert "(3 items linked)" in terminal.text
        terminal.type("y\n")
        assert terminal.end() == 0
    assert (["completed"] * 3, {"Closed"}) == (statuses(three), states(three, 3))


@pytest.mark.sweep
def test_what_is_completed_already_is_left_alone(three: Project) -> None:
    three.run("complete", "1")
    previewed = three.run("complete", "1-2", "--dry-run")
    done = three.run("complete", "1-2")
    assert (0, 0) == (previewed.code, done.code), previewed.said
    assert "1 increment is already completed; nothing to do.\n" in previewed.err
    assert "✓ Increment 0001-some-work is already completed\n" in done.out
