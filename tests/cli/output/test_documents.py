"""Every document that a command prints, and every file that it writes, keeps its schema."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.cli.project import NAME, Project

from unlatch_sandbox import Fault

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


def test_undoing(single: Project) -> None:
    single.run(*RESUME)
    check(single, "undo", "undo", "7", "--yes")
    check_files(single)


def test_an_item_that_failed_and_one_that_waits(completed: Project) -> None:
    completed.box.faults.add(Fault("github", "status", code=503, times=9))
    completed.box.faults.add(Fault("jira", "status", code=404, times=9))

    document = check(completed, "resume", *RESUME)

    outcomes = {entry["tracker"]: entry["outcome"] for entry in document["trackers"]}
    assert outcomes == {"github": "pending", "ado": "reopened", "jira": "failed"}
    assert document["exitCode"] == 3
    check_files(completed)
    check(completed, "show", "show", "7")
    check(completed, "status", "status")
    check(completed, "sync-plan", "sync", "--dry-run")
    completed.box.faults.clear()
    check(completed, "sync", "sync")
    check_files(completed)


def test_the_items_of_an_abandoned_increment_are_left_alone(project: Project) -> None:
    project.increment(status="active", links=project.items(finished=False))
    abandoned = check(project, "abandon", "abandon", "7", *REASON)
    assert [entry["outcome"] for entry in abandoned["trackers"]] == ["closed"] * 3
    resumed = check(project, "resume", *RESUME)
    assert [entry["outcome"] for entry in resumed["trackers"]] == ["skipped"] * 3
    check_files(project)


def test_an_item_that_another_increment_needs(project: Project) -> None:
    links = project.items("github", finished=False)
    project.increment(status="active", links=links)
    project.increment("0008-same-item", status="active", links=links)
    check(project, "history-all", "history", "--all")
    document = check(project, "complete", "complete", "7")
    assert [entry["neededBy"] for entry in document["spared"]] == [["0008-same-item"]]
    project.run(*RESUME, "--offline")
    most = check(project, "history-all", "history", "--all")["mostReopened"]
    assert [one["id"] for one in most] == [NAME]


def test_moves_along_the_table(project: Project) -> None:
    check(project, "new", "new", "Export to CSV")
    for command in ("start", "pause", "start", "review", "start", "backlog"):
        check(project, command, command, "1")
    assert mistakes(project.metadata("0001-export-to-csv"), "metadata") == []


def test_mending_and_migrating(project: Project) -> None:
    project.increment(id="0007", created="2025-10-01")
    fixed = check(project, "doctor", "doctor", "--fix", "--yes")
    project.commit()
    check(project, "migrate", "migrate", "--dry-run")
    migrated = check(project, "migrate", "migrate", "--yes")
    assert [one["done"] for one in fixed["fixes"]] == [True]
    path = f".unlatch/increments/{NAME}/metadata.json"
    assert [path] == [one["path"] for one in migrated["changed"]]


def test_lists_and_looks(completed: Project) -> None:
    completed.increment("0008-broken")
    (completed.folder("0008-broken") / "metadata.json").write_text("{")
    completed.box.faults.add(Fault("github", "status", code=404, times=9))

    listed = check(completed, "list", "list", "--all")
    assert [one["broken"] and one["broken"]["id"] for one in listed] == [None, "metadata-invalid"]
    shown = check(completed, "show", "show", "7")
    assert [item["error"] and item["error"]["id"] for item in shown["items"]] == [
        "item-not-found",
        None,
        None,
    ]
    check(completed, "show", "show", "7", "--offline")
    check(completed, "status", "status")
    check(completed, "tracker-status", "jira", "status", "7")


def test_tying_and_cutting(completed: Project) -> None:
    completed.increment("0008-other", status="active")
    check(completed, "link", "link", "8", *completed.urls.values())
    assert mistakes(completed.metadata("0008-other"), "metadata") == []
    check(completed, "unlink", "unlink", "8", completed.urls["jira"])
    check(completed, "unlink", "unlink", "8", "octo/widgets#4")
    created = check(completed, "tracker-change", "link", "8", "--create", "github")
    assert created["kind"] == "create"
    assert mistakes(completed.metadata("0008-other"), "metadata") == []


@pytest.mark.parametrize(
    "command",
    [
        ("github", "reopen-issue", "--reason", "Again"),
        ("github", "close-issue"),
        ("ado", "update-work-item"),
        ("jira", "create-issue", "--another"),
    ],
)
def test_the_groups_of_the_trackers(completed: Project, command: tuple[str, ...]) -> None:
    document = check(completed, "tracker-change", *command, "7")
    assert command[0] == document["tracker"]
    check_files(completed)


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
