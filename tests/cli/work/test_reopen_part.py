"""Reopening tasks, user stories and criteria: the unticked parts, and the items that follow."""

from typing import Any

import pytest
from tests.cli import scoped
from tests.cli.project import REASON, Project

RESUME = ("reopen", "7", "--reason", REASON, "--yes")
STORIES = {"US-001": 11, "US-002": 12}


def changed(before: str, after: str) -> list[tuple[str, str]]:
    """The lines that differ, in two documents of the same length."""
    lines = zip(before.splitlines(), after.splitlines(), strict=True)
    return [(one, other) for one, other in lines if one != other]


@pytest.fixture
def ready(project: Project) -> Project:
    """0007 is completed; it has an issue, and so has each of its user stories."""
    base = {"local": "completed", "remote": "done", "state": "closed"}
    project.items("github")
    items: list[dict[str, Any]] = [{"issue": 4, "url": project.urls["github"], "base": base}]
    for story, number in STORIES.items():
        project.box.github.add_issue(
            number=number,
            title=story,
            state="closed",
            state_reason="completed",
            assignee="octocat",
        )
        url = f"{project.box.github.web_url}/octo/widgets/issues/{number}"
        items.append({"issue": number, "url": url, "story": story, "base": base})
    project.increment(links={"github": {"issue": 4, "url": project.urls["github"], "items": items}})
    scoped.write(project)
    return project


def states(project: Project) -> dict[int, str]:
    return {n: project.box.github.issue("octo/widgets", n)["state"] for n in (4, 11, 12)}


def comments(project: Project, number: int) -> list[str]:
    return [one["body"] for one in project.box.github.comments("octo/widgets", number)]


@pytest.mark.sample(at=(0,))
@pytest.mark.parametrize(
    ("option", "document", "lines", "opened"),
    [
        (("--task", "t-002"), "tasks.md", 1, {4, 11}),
        (("--story", "US-001"), "spec.md", 2, {4, 11}),
        (("--story", "US-002"), "spec.md", 1, {4, 12}),
        (("--criterion", "AC-US1-02"), "spec.md", 1, {4, 11}),
        (("--task", "T-001", "--task", "T-003"), "tasks.md", 2, {4, 11, 12}),
    ],
)
def test_what_is_named_is_open_again_and_its_items_follow(
    ready: Project, option: tuple[str, ...], document: str, lines: int, opened: set[int]
) -> None:
    ready.run(*RESUME, *option).ends(0)
    before = {"spec.md": scoped.SPEC.format(status="active"), "tasks.md": scoped.TASKS}
    for name, text in before.items():
        found = changed(text, scoped.text(ready, name))
        assert (lines if name == document else 0) == len(found)
        assert all("[x]" in old and "[ ]" in new for old, new in found)
    assert opened == {number for number, state in states(ready).items() if state == "open"}


def test_it_is_said_which_items_follow_and_undo_names_what_stays_open(ready: Project) -> None:
    done = ready.run(*RESUME, "--task", "T-003")
    url = f"{ready.box.github.web_url}/octo/widgets/issues/11"
    assert sorted(done.out.splitlines()) == sorted(
        [
            f"    {url} is not changed: it belongs to US-001",
            "✓ GitHub octo/widgets#12 reopened; commented; labels +reopened",
            "✓ GitHub octo/widgets#4 reopened; commented; labels +reopened -completed",
            "✓ Increment 0007-smart-discipline reopened: completed -> active (by Gil Git)",
            "✓ To be done again: T-003",
        ]
    )
    assert "**To be done again**: T-003" in comments(ready, 12)[0]
    ready.run("undo", "7", "--yes").shows(
        err="note: not ticked again: T-003; tick what is done, or use git",
        not_err="text of the reopen",
    )


@pytest.mark.sweep
def test_a_story_that_was_left_alone_stays_so_in_a_sync_and_an_undo(ready: Project) -> None:
    ready.run(*RESUME, "--story", "US-002")
    before = ready.tree()
    again = ready.run(*RESUME, "--story", "US-002")
    assert (0, before) == (again.code, ready.tree()), again.said
    ready.run("sync", "7").ends(0)
    assert states(ready) == {4: "open", 11: "closed", 12: "open"}
    ready.run("undo", "7", "--yes").ends(0)
    assert states(ready) == {4: "closed", 11: "closed", 12: "closed"}
    assert comments(ready, 11) == []


def test_an_unknown_id_changes_nothing(ready: Project) -> None:
    before = ready.tree()
    for option, told in (
        (("--task", "T-00"), "T-001"),
        (("--task", "AC-US1-01"), ""),
        (("--story", "US-003"), "US-00"),
        (("--criterion", "AC-US1-2"), "AC-US1-0"),
        (("--task", "Add a switch"), "describe the change with --scope"),
        (("--task", "T-001", "--story", "US-009"), ""),
    ):
        ready.run(*RESUME, *option).ends(2, err=("error[item-unknown]", told))
    assert (before, []) == (ready.tree(), ready.wrote())


def test_an_id_that_occurs_twice_is_told_with_its_lines(ready: Project) -> None:
    path = ready.folder() / "tasks.md"
    path.write_text(scoped.TASKS + "\n### T-002: Again\n\n**Status**: [x] completed\n")
    before = ready.tree()
    ready.run(*RESUME, "--task", "T-002").ends(
        2, err=("error[item-ambiguous]", "on lines 15 and 27")
    )
    assert before == ready.tree()


def test_a_dry_run_names_the_items_that_follow(ready: Project) -> None:
    before = ready.tree()
    ready.run(*RESUME, "--story", "US-002", "--dry-run").ends(
        0,
        out=(
            "spec.md would be changed\n",
            "is not changed: it belongs to US-001",
            "to 2 items. Nothing was written.",
        ),
    )
    assert before == ready.tree()


@pytest.mark.sample(at=(2,))
@pytest.mark.parametrize(
    ("option", "opened"),
    [
        (("--task", "Add a switch", "--story", "US-002"), {4, 12}),
        (("--task", "Add a switch", "--criterion", "ac-us1-01"), {4, 11}),
        (("--story", "us-002"), {4, 12}),
        (("--task", "Add a switch"), {4, 11, 12}),
        ((), {4, 11, 12}),
    ],
)
def test_new_work_of_one_story_leaves_the_items_of_others_alone(
    ready: Project, option: tuple[str, ...], opened: set[int]
) -> None:
    ready.run("resume", "7", "--reason", REASON, "--yes", "--scope", "Switches", *option).ends(0)
    assert opened == {number for number, state in states(ready).items() if state == "open"}
    assert opened == {number for number in states(ready) if comments(ready, number)}
    assert ready.run("sync", "--check").code == 0
