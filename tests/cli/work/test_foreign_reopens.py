"""reopenHistory and `reopened` as other tools write them."""

import json
from typing import Any

import pytest
from tests.cli.project import Project

AT, REASON = "2026-03-01T10:00:00Z", "The export is wrong"
FULL = {"reopenedAt": AT, "reason": REASON, "previousStatus": "completed", "reopenedBy": "Kim"}


def without(*keys: str) -> dict[str, Any]:
    return {key: value for key, value in FULL.items() if key not in keys}


def completed(project: Project, **blocks: object) -> Project:
    project.increment(status="completed", completed="2026-04-01T10:00:00Z")
    path = project.folder() / "metadata.json"
    data = json.loads(path.read_text()) | blocks
    path.write_text(json.dumps(data, indent=2) + "\n")
    return project


BLOCKS: list[tuple[dict[str, Any], str]] = [
    ({"reopenHistory": [FULL]}, "Kim"),
    ({"reopenHistory": [without("reopenedBy")]}, "unknown"),
    ({"reopenHistory": [without("reopenedBy", "previousStatus")]}, "unknown"),
    ({"reopened": {"count": 1, "history": [{"date": AT, "reason": REASON, "by": "Kim"}]}}, "Kim"),
    ({"reopened": {"count": 1, "history": [{"date": AT, "reason": REASON}]}}, "unknown"),
]


@pytest.mark.sample(at=(2, 3))
@pytest.mark.parametrize(("blocks", "person"), BLOCKS)
def test_an_entry_of_another_tool_counts_and_stays(
    project: Project, blocks: dict[str, Any], person: str
) -> None:
    completed(project, **blocks)
    shown = project.run("show", "7")
    history = project.run("history", "7", "--json").document
    resumed = project.run("resume", "7", "--yes", "--reason", "Again")
    assert (0, 0) == (shown.code, resumed.code), shown.said + resumed.said
    assert REASON in json.dumps(history)
    assert person in json.dumps(history)
    metadata = project.metadata()
    for key, value in blocks.items():
        kept = metadata[key][:-1] if key == "reopenHistory" else metadata[key]
        assert value == kept
    new = metadata["reopenHistory"][-1]
    assert ("Again", 26) == (new["reason"], len(new["id"]))
    assert [one["event"] for one in project.events()].count("reopened") == 1
    project.run("history", "verify", "7").ends(0)


@pytest.mark.parametrize("history", [[{"date": "soon"}], ["x"], "x", None, [{"reason": REASON}]])
def test_what_cannot_be_read_in_the_block_of_another_tool_breaks_nothing(
    project: Project, history: object
) -> None:
    completed(project, reopened={"count": 1, "history": history})
    project.run("show", "7").ends(0)
