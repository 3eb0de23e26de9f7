"""Every document that a command prints, and every file that it writes, keeps its schema."""

import json
from pathlib import Path
from typing import Any

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
