"""unlatch sync --plan: the requests of pending operations on items."""

from __future__ import annotations

import pytest
from tests.cli.items.test_elsewhere import out_there
from tests.cli.items.test_reopen import KEYS, outside
from tests.cli.project import ALL, REASON, Project

__all__ = ["outside"]


@pytest.mark.parametrize("tracker", ALL)
def test_the_plan_shows_the_requests_of_the_dry_run(project: Project, tracker: str) -> None:
    project.items(tracker)
    words = ("reopen", KEYS[tracker], "--reason", REASON)
    foreseen = project.run(*words, "--dry-run", "--json").document
    project.run(*words, "--offline")
    before = project.tree()

    text = project.run("sync", "--plan")
    document = project.run("sync", "--plan", "--json").document

    assert foreseen["requests"] == sum(document["requests"].values()) > 0
    assert [one["requests"] for one in foreseen["items"]] == [
        one["requests"] for one in document["items"]
    ]
    assert f"1 item would be written to; requests: {titled(tracker)}" in text.out
    assert REASON in text.out
    assert ([], before) == (project.wrote(), project.tree())
    assert 1 == len(document["pending"])


def titled(tracker: str) -> str:
    return {"github": "GitHub", "ado": "Azure DevOps", "jira": "Jira"}[tracker]


def test_the_plan_outside_of_a_project(outside: Project) -> None:
    outside.items()
    nothing = outside.run("sync", "--plan")
    outside.run("reopen", *outside.urls.values(), "--reason", REASON, "--offline")

    text = outside.run("sync", "--plan")
    document = outside.run("sync", "--plan", "--json").document

    assert (2, True) == (nothing.code, "error[no-project]" in nothing.err)
    assert (0, True) == (text.code, "3 items would be written to" in text.out), text.said
    assert (3, True) == (len(document["items"]), document["adrift"])
    assert [] == outside.wrote()


def test_the_plan_of_a_project_shows_operations_out_there_as_sync_delivers_them(
    project: Project,
) -> None:
    project.items("jira")
    out_there(project, "reopen", project.urls["jira"], "--reason", REASON, "--offline")

    done = project.run("sync", "--plan", "--json")

    assert (0, False) == (done.code, done.document["adrift"])
    assert ["SCRUM-28"] == [one["id"] for one in done.document["items"]]


def test_a_blocked_operation_is_listed_with_its_next_step(project: Project) -> None:
    project.box.github.add_issue(number=4, title="T", state="closed", state_reason="not_planned")
    project.run("reopen", KEYS["github"], "--reason", REASON)

    skipped = project.run("sync", "--plan")
    retried = project.run("sync", "--plan", "--even-if-not-planned", "--json").document

    assert "octo/widgets#4: 1 operation blocked. Next: unlatch reopen" in skipped.out
    assert "No changes would be made." in skipped.out
    assert 1 == len(retried["items"])


def test_the_limit_is_foreseen_and_a_check_does_not_call_both_sides_in_sync(
    project: Project,
) -> None:
    project.items()
    project.run("reopen", *KEYS.values(), "--reason", REASON, "--offline")

    done = project.run("sync", "--plan", "--max-items", "2", "--json").document
    checked = project.run("sync", "--check")

    assert "too-many-items" == done["refused"]["id"]
    assert (5, False) == (checked.code, "Both sides are in sync" in checked.said)


def test_operations_without_a_link_are_not_passed_over(project: Project) -> None:
    project.items("github")
    project.run("reopen", KEYS["github"], "--reason", REASON, "--offline")
    (path,) = (project.root / ".unlatch/items").glob("*/metadata.json")
    path.write_text(path.read_text().replace('"github": {', '"elsewhere": {', 1))

    done, shown = project.run("sync"), project.run("status")

    assert (5, True) == (done.code, "no link to their item" in done.out), done.said
    assert "no link to their item" in shown.err


def test_a_broken_record_is_not_passed_over(project: Project) -> None:
    project.items("github")
    project.run("reopen", KEYS["github"], "--reason", REASON, "--offline")
    (record,) = (project.root / ".unlatch/items").iterdir()
    (record / "metadata.json").write_text("{")

    for words in (("sync", "--plan"), ("sync", "--check"), ("sync",)):
        document = project.run(*words, "--json").document
        text = project.run(*words)
        assert ([record.name], 5) == ([one["id"] for one in document["broken"]], text.code)
        assert "cannot be read: metadata.json: invalid JSON" in text.out
