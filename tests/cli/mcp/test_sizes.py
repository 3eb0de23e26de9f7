"""Results that are too large for an agent."""

import json
from typing import Any

import pytest
from mcp_types import TextContent
from tests.cli.mcp.test_mcp import REASON, Talk
from tests.cli.project import Project

KB = 1000


def read(talk: Talk, tool: str, **arguments: Any) -> dict[str, Any]:
    """A result of at most 25 KB, as the agent reads it."""
    done = talk.call(tool, **arguments)
    assert not done.is_error
    (content,) = done.content
    assert isinstance(content, TextContent)
    assert len(content.text.encode()) <= 25 * KB
    return dict(json.loads(content.text))


@pytest.mark.sweep
def test_many_increments_are_listed_in_parts(project: Project) -> None:
    names = [f"{number:04d}-thing-with-a-rather-long-name" for number in range(1, 121)]
    for name in names:
        project.increment(name)
    talk = Talk(project)
    found: list[str] = []
    while len(found) < len(names):
        part = read(talk, "list_increments", limit=100, skip=len(found))
        assert part["total"] == len(names)
        found += [one["id"] for one in part["entries"]]
    assert sorted(found) == names
    first = read(talk, "list_increments", limit=100)
    assert first["leftOut"] == {"entries": 100 - len(first["entries"])}
    assert first["more"] == "call it again with skip"
    assert talk.call("list_increments", limit=100_000).is_error


def test_a_long_history_has_its_newest_entries(project: Project) -> None:
    name = project.increment()
    path = project.folder(name) / "metadata.json"
    document = json.loads(path.read_text())
    document["reopenHistory"] = [
        {
            "id": f"01M8{number:022d}",
            "reopenedAt": f"2026-01-01T{number // 60:02d}:{number % 60:02d}:00Z",
            "reason": f"{REASON} {number}",
            "previousStatus": "completed",
            "reopenedBy": "ada",
        }
        for number in range(300)
    ]
    path.write_text(json.dumps(document))
    found = read(Talk(project), "history", id="7")
    assert found["reopens"][-1]["reason"] == f"{REASON} 299"
    assert found["leftOut"]["reopens"] == 300 - len(found["reopens"])
    assert "at a terminal" in found["more"]


def test_long_texts_are_shortened(project: Project) -> None:
    assert project.run("effort", "open", "Auth bug").code == 0
    log = project.root / ".unlatch/efforts/auth-bug/log.jsonl"
    with log.open("a") as file:
        calls = [{"name": "sh", "arguments": {f"a{n}": "x " * 1900 for n in range(9)}}]
        line = {"role": "assistant", "content": "y", "tool_calls": calls}
        file.write(json.dumps(line) + "\n")
    talk = Talk(project, toolsets=("efforts",))
    assert read(talk, "expand_effort", id="auth-bug", lines=1)["log"][0]["content"] == "y"
