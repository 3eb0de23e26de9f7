"""complete, abandon and undo of several increments by one command."""

from pathlib import Path

import pytest
from tests.cli.output.test_documents import check
from tests.cli.output.test_pager import install
from tests.cli.project import Project
from tests.cli.terminal import Terminal
from tests.cli.work.test_bulk import YES, many, states

from unlatch_sandbox import Fault


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


def test_a_range_is_completed_and_the_items_are_closed_side_by_side(three: Project) -> None:
    three.run("complete", "1-3", "--reason", "All of it works").ends(
        0,
        out=(
            "✓ Increment 0002-some-work: active -> completed\n",
            "✓ Azure DevOps fabrikam/widgets 3 closed; commented;",
        ),
    )
    assert (["completed"] * 3, {"Closed"}) == (statuses(three), states(three, 3))


def test_one_with_open_work_leaves_the_others_done_and_the_cause_is_shown_once(
    three: Project,
) -> None:
    open_work(three, 1)
    open_work(three, 3)
    done = three.run("complete", "1-3").ends(
        5, out=("    - T-001: Do it\n", "    1 more increment likewise: 0003-some-work\n")
    )
    assert ["active", "completed", "active"] == statuses(three)
    assert done.out.count("[work-open]") == 1
    assert "Closed" == three.box.ado.work_item(2)["fields"]["System.State"]


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


def test_an_item_that_is_not_closed_outweighs_a_refusal(three: Project) -> None:
    open_work(three, 1)
    three.box.faults.add(Fault("ado", "status", code=503, times=9))
    three.run("complete", "1-3").ends(3)
    assert ["active", "completed", "completed"] == statuses(three)


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


def test_more_than_ten_items_have_to_be_agreed_to(project: Project) -> None:
    many(project, 11)
    project.run("resume", "1-11", *YES, "--max-items", "11")
    before = project.tree()
    refused = project.run("complete", "1-11")
    unchanged = before == project.tree()
    project.run("complete", "1-11", "--dry-run").shows(err="unlatch complete would fail: 11 items")
    agreed = project.run("complete", "1-11", "--max-items", "11", "--offline")
    assert (2, True, 0) == (refused.code, unchanged, agreed.code), agreed.said
    assert "[too-many-items]" in refused.err


def test_a_dry_run_is_summed_up_first_and_writes_nothing(three: Project) -> None:
    open_work(three, 1)
    before, wrote = three.tree(), three.wrote()
    done = three.run("complete", "1-3", "--dry-run")
    assert (5, before, wrote) == (done.code, three.tree(), three.wrote())
    assert done.out.startswith(
        "2 increments, 4 requests in all.\n"
        "    Status        2 active -> completed\n"
        "    Azure DevOps  2 items: 2 Active\n"
        "    Refused       1 [work-open]\n"
        "\n"
        "Increment 0002-some-work: active -> completed (dry run)\n"
    ), done.out


@pytest.mark.parametrize("columns", [40, 60, 100, 200])
def test_the_sums_fit_the_terminal(three: Project, columns: int) -> None:
    for number, state in enumerate(("Active", "New", "Resolved"), 1):
        three.box.ado.edit(number, state=state)
    with Terminal(three, "complete", "1-3", "--dry-run", columns=columns) as terminal:
        assert terminal.end() == 0
        head = terminal.text.partition("\n\n")[0].splitlines()
    assert "1 Active, 1 New, 1 Resolved" in " ".join(" ".join(head).split())
    assert max(map(len, head[1:])) <= columns


def test_a_long_dry_run_is_paged_with_the_sums_first(three: Project, tmp_path: Path) -> None:
    three.bin = tmp_path / "bin"
    three.bin.mkdir()
    install(three.bin)
    with Terminal(
        three, "complete", "1-3", "--dry-run", columns=60, extra={"PAGER": "my-pager", "LINES": "9"}
    ) as terminal:
        assert terminal.end() == 0
        paged = [line for line in terminal.text.splitlines() if line.startswith("| ")]
    assert paged[0] == "| 3 increments, 6 requests in all."
    assert "| Increment 0003-some-work: active -> completed (dry run)" in paged


def test_the_documents_of_many(three: Project) -> None:
    open_work(three, 3)

    preview = check(three, "dry-run-many", "complete", "1-3", "--dry-run")
    completed = check(three, "complete-many", "complete", "1-3")
    three.run("resume", "1-2", *YES)
    undone = check(three, "undo-many", "undo", "1-2", "--yes")
    abandoned = check(three, "abandon-many", "abandon", "3-3", "--reason", "Nobody wants it")

    assert ["0003-some-work"] == [one["id"] for one in preview["refused"]]
    assert [("completed", None), ("completed", None), ("active", "work-open")] == [
        (one["status"], one["error"] and one["error"]["id"]) for one in completed["increments"]
    ]
    assert ["closed", "closed"] == [
        one["trackers"][0]["outcome"] for one in completed["increments"][:2]
    ]
    assert [26, 26] == [len(one["undone"]) for one in undone["increments"]]
    assert ["abandoned"] == [one["status"] for one in abandoned["increments"]]


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


def test_what_is_completed_already_is_left_alone(three: Project) -> None:
    three.run("complete", "1")
    previewed = three.run("complete", "1-2", "--dry-run")
    done = three.run("complete", "1-2")
    assert (0, 0) == (previewed.code, done.code), previewed.said
    assert "1 increment is already completed; nothing to do.\n" in previewed.err
    assert "✓ Increment 0001-some-work is already completed\n" in done.out


def test_many_are_summed_up(project: Project) -> None:
    for number in range(1, 23):
        project.increment(f"{number:04d}-work", status="active" if number % 2 else "paused")
    project.run("abandon", "1-22").shows(
        whole_out="✓ 22 increments abandoned now: 11 active, 11 paused before\n"
    )
