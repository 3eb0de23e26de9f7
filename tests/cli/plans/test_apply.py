"""A saved plan is applied exactly as it was approved, once."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.cli.project import ALL, CLOSED, OPEN, REASON, Project

FILE = "plan.json"
Stage = Callable[[Project], Any]


def completed(project: Project) -> None:
    project.increment(links=project.items())


def active(project: Project) -> None:
    project.increment(status="active", links=project.items(finished=False))


def resumed(project: Project) -> None:
    completed(project)
    assert project.run("resume", "7", "-m", "Before", "--yes").code == 0


def closed_meanwhile(project: Project) -> None:
    project.increment(status="active", links=project.items())


def pending(project: Project) -> None:
    completed(project)
    assert project.run("resume", "7", "-m", REASON, "--yes", "--offline").code == 0


def two(project: Project) -> None:
    completed(project)
    project.increment("0008-other")


def without_links(project: Project) -> None:
    project.items(finished=False)
    project.increment(status="active")


# A stage, the command, and then the status of the increment and the states of the items.
COMMANDS: list[tuple[Stage, list[str], str, dict[str, str]]] = [
    (completed, ["reopen", "7", "-m", REASON, "--offline"], "active", CLOSED),
    (two, ["resume", "--all-matching", "status=completed", "-m", REASON], "active", OPEN),
    (active, ["pause", "7", "-m", "-starts with a dash"], "paused", OPEN),
    (active, ["review", "7"], "ready_for_review", OPEN),
    (active, ["backlog", "7"], "backlog", OPEN),
    (pending, ["sync"], "active", OPEN),
    (active, ["github", "close-issue", "7"], "active", {**OPEN, "github": "closed"}),
]
MORE: list[tuple[Stage, list[str], str, dict[str, str]]] = [
    (active, ["complete", "7", "--force"], "completed", CLOSED),
    (active, ["abandon", "7", "--reason", REASON], "abandoned", {**CLOSED, "ado": "Removed"}),
    (resumed, ["undo", "7"], "completed", CLOSED),
    (active, ["ado", "close-work-item", "7"], "active", {**OPEN, "ado": "Closed"}),
    (active, ["jira", "close-issue", "7"], "active", {**OPEN, "jira": "Done"}),
    *(
        (closed_meanwhile, [tracker, verb, "7", "-m", REASON], "active", {**CLOSED, tracker: state})
        for tracker, verb, state in (
            ("github", "reopen-issue", "open"),
            ("ado", "reopen-work-item", "Active"),
            ("jira", "reopen-issue", "In Progress"),
        )
    ),
]


def ids(value: object) -> str | None:
    return " ".join(map(str, value)) if isinstance(value, list) else None


def seen(project: Project) -> tuple[object, ...]:
    """Everything that a plan must leave as it is, but for its file."""
    tree = {name: text for name, text in project.tree().items() if name != FILE}
    return tree, project.states(), project.labels(), project.comments()


def save(project: Project, *command: str) -> dict[str, Any]:
    """Save a plan; its content."""
    done = project.run(*command, "--plan-out", FILE)
    assert done.code in (0, 3), done.said
    assert "Next: unlatch apply plan.json" in done.err
    content: dict[str, Any] = json.loads((project.root / FILE).read_text(encoding="utf-8"))
    return content


@pytest.mark.sample(count=3)
@pytest.mark.parametrize(
    ("stage", "command", "status", "states"),
    [*COMMANDS, *(pytest.param(*row, marks=pytest.mark.sweep) for row in MORE)],
    ids=ids,
)
def test_each_command_is_planned_applied_and_not_repeated(
    project: Project, stage: Stage, command: list[str], status: str, states: dict[str, str]
) -> None:
    stage(project)
    before = seen(project)
    project.box.requests.clear()
    save(project, *command)
    assert project.wrote() == []
    assert seen(project) == before
    project.run("apply", FILE, "--yes").ends(0)
    assert project.metadata()["status"] == status
    assert project.states() == states
    after = seen(project)
    project.run("apply", FILE, "--yes").ends(
        0, out="This has been done already; nothing was changed."
    )
    assert seen(project) == after


@pytest.mark.sample(count=1)
@pytest.mark.parametrize(
    ("tracker", "many"),
    [("github", False), ("ado", True), pytest.param("jira", True, marks=pytest.mark.sweep)],
)
def test_links_are_planned_applied_and_not_repeated(
    project: Project, tracker: str, *, many: bool
) -> None:
    without_links(project)
    project.increment("0008-other", status="active")
    ids = ("7", "8") if many else ("7",)
    url = project.urls[tracker]
    for verb in ("link", "unlink"):
        before = seen(project)
        save(project, verb, *ids, url)
        assert seen(project) == before
        project.run("apply", FILE, "--yes").ends(0)
        after = seen(project)
        assert after != before
        project.run("apply", FILE, "--yes").ends(0, out="This has been done already")
        assert seen(project) == after
        (project.root / FILE).unlink()


@pytest.mark.parametrize(
    ("tracker", "command"),
    [
        ("github", "create-issue"),
        pytest.param("ado", "create-work-item", marks=pytest.mark.sweep),
        pytest.param("jira", "create-issue", marks=pytest.mark.sweep),
    ],
)
def test_a_creation_is_planned_applied_and_not_repeated(
    project: Project, tracker: str, command: str
) -> None:
    project.increment(status="active")
    save(project, tracker, command, "7")
    assert project.wrote() == []
    project.run("apply", FILE, "--yes").ends(0)
    assert tracker in json.dumps(project.metadata())
    after = project.tree()
    project.box.requests.clear()
    project.run("apply", FILE, "--yes").ends(0, out="This has been done already")
    assert project.tree() == after
    assert project.wrote() == []


@pytest.mark.parametrize("tracker", ALL)
def test_outside_of_a_project_items_are_planned_and_applied(outside: Project, tracker: str) -> None:
    outside.items()
    url = outside.urls[tracker]
    plan = save(outside, "reopen", url, "-m", REASON)
    assert plan["project"] == ""
    assert outside.wrote() == []
    outside.run("apply", FILE, "--yes").ends(0)
    assert outside.states() == {**CLOSED, tracker: OPEN[tracker]}
    (outside.root / FILE).unlink()
    save(outside, "undo", url)
    outside.run("apply", FILE, "--yes").ends(0)
    assert outside.states() == CLOSED


def test_a_plan_of_no_project_is_refused_in_one(outside: Project) -> None:
    outside.items("github")
    save(outside, "reopen", outside.urls["github"], "-m", REASON)
    outside.configure(outside.box.config())
    outside.run("apply", FILE, "--yes").ends(5, err="error[plan-elsewhere]")
    assert outside.states() == {"github": "closed"}
