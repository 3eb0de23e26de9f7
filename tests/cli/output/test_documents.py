"""Every document that a command prints, and every file that it writes, keeps its schema."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.cli.project import NAME, Project

SCHEMAS = Path(__file__).parents[3] / "schemas"
REASON = ("--reason", "More work turned up")
RESUME = ("resume", "7", *REASON, "--yes")


def schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    return found


def closed(node: Any) -> Any:
    """The same schema without room for keys that it does not name."""
    if isinstance(node, list):
        return [closed(inner) for inner in node]
    if not isinstance(node, dict):
        return node
    made = {key: closed(inner) for key, inner in node.items()}
    if "properties" in node and "additionalProperties" not in node:
        made["additionalProperties"] = False
    return made


def mistakes(document: Any, name: str) -> list[str]:
    """The keys that only the document or only the schema has."""
    found = schema(name) if name in ("event", "history", "metadata") else closed(schema(name))
    return [
        f"{error.json_path}: {error.message}"
        for error in Draft202012Validator(found).iter_errors(document)
    ]


def check(project: Project, name: str, *arguments: str) -> Any:
    """Run a command with --json, and validate its output against its schema."""
    done = project.run(*arguments, "--json")
    document = done.document
    assert mistakes(document, name) == []
    if name != "list":
        assert (f"unlatch.{name}/1", done.code) == (document["schema"], document["exitCode"])
    return document


def check_files(project: Project) -> None:
    assert mistakes(project.metadata(), "metadata") == []
    assert [problem for event in project.events() for problem in mistakes(event, "event")] == []


@pytest.mark.sweep
def test_resuming_and_completing(completed: Project) -> None:
    check(completed, "dry-run", *RESUME, "--dry-run")
    resumed = check(completed, "resume", *RESUME)
    assert [entry["outcome"] for entry in resumed["trackers"]] == ["reopened"] * 3
    assert sorted(resumed["reopen"]["syncedTo"]) == ["ado", "github", "jira"]
    # The keys of the contract, in their order.
    first, last = (
        ["schema", "increment", "reopen", "trackers"],
        ["scope", "warnings", "retry", "retryAt", "exitCode"],
    )
    assert list(resumed) == first + last
    assert list(resumed["increment"].values()) == [NAME, "active", "completed"]
    keys = ["tracker", "id", "url", "outcome", "requests", "notes", "error", "retry", "retryAt"]
    assert [keys] * 3 == [list(entry) for entry in resumed["trackers"]]
    check_files(completed)

    check(completed, "resume", *RESUME)
    check(completed, "dry-run", "complete", "7", "--dry-run")
    done = check(completed, "complete", "complete", "7")
    assert [entry["outcome"] for entry in done["trackers"]] == ["closed"] * 3
    check_files(completed)

    check(completed, "history", "history", "7")


def test_the_items_of_an_abandoned_increment_are_left_alone(project: Project) -> None:
    project.increment(status="active", links=project.items(finished=False))
    abandoned = check(project, "abandon", "abandon", "7", *REASON)
    assert [entry["outcome"] for entry in abandoned["trackers"]] == ["closed"] * 3
    resumed = check(project, "resume", *RESUME)
    assert [entry["outcome"] for entry in resumed["trackers"]] == ["skipped"] * 3
    check_files(project)


def test_mending_and_migrating(project: Project) -> None:
    project.increment(id="0007", created="2025-10-01")
    fixed = check(project, "doctor", "doctor", "--fix", "--yes")
    project.commit()
    check(project, "migrate", "migrate", "--dry-run")
    migrated = check(project, "migrate", "migrate", "--yes")
    assert [one["done"] for one in fixed["fixes"]] == [True]
    path = f".unlatch/increments/{NAME}/metadata.json"
    assert [path] == [one["path"] for one in migrated["changed"]]


def test_setting_up(project: Project) -> None:
    for name, *arguments in (
        ("init", "init"),
        ("auth", "auth", "status"),
        ("plugins", "plugins"),
        ("plugins-new", "plugins", "new", "redmine"),
        ("doctor", "doctor"),
        ("error", "show", "99"),
    ):
        check(project, name, *arguments)
    project.configure("comment = 'loud'\nlabel = 1\n")
    assert len(check(project, "error", "sync")["error"]["problems"]) == 2
