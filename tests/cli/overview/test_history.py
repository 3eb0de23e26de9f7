"""history: the life of one increment."""

from typing import Any

from tests.cli.project import REASON, Project

ULIDS = [f"01JC000000000000000000000{number}" for number in range(9)]


def reopen(number: int, at: str, **more: Any) -> dict[str, Any]:
    return {
        "id": ULIDS[number],
        "reopenedAt": at,
        "reason": f"Reason {number}",
        "previousStatus": "completed",
        "reopenedBy": "Ada",
        "syncedTo": {},
        **more,
    }


def test_a_reopen_is_told_with_all_that_its_entry_says(project: Project) -> None:
    url = "https://github.com/octo/widgets/issues/4"
    synced = {"github": {"issueNumber": 4, "issueUrl": url}}
    first = reopen(
        1,
        "2025-10-11T00:00:00Z",
        category="bug",
        previousCompletedAt="2025-10-05T10:00:00Z",
        syncedTo=synced,
        revertedAt="2025-10-12T00:00:00Z",
    )
    project.increment(reopenHistory=[first], completedAt="2025-10-05T10:00:00Z")

    told = project.run("history", "7").out
    document = project.run("history", "7", "--json").document

    assert (
        told
        == f"""\
2025-10-01 08:00:00  -  created
2025-10-05 10:00:00  -  completed
2025-10-11 00:00:00  Ada  reopened: Reason 1
                     category: bug
                     reached: {url}
                     undone: 2025-10-12T00:00:00Z
"""
    )
    assert [first] == document["reopens"]
    assert [None, None, ULIDS[1]] == [event["id"] for event in document["events"]]


def test_an_increment_of_another_tool_has_at_least_its_dates(project: Project) -> None:
    project.increment(status="active")
    assert project.run("history", "7").out == "2025-10-01 08:00:00  -  created\n"


def test_an_undone_reopen_leaves_one_completion_and_no_event_is_needed(single: Project) -> None:
    single.run("resume", "7", "--reason", REASON, "--yes", "--offline")
    before = single.run("history", "--all", "--json").document
    single.run("undo", "7", "--yes", "--offline")
    assert single.run("history", "7").out.count("-  completed") == 1
    undone = single.run("history", "--all", "--json").document
    (single.folder() / "events.jsonl").unlink()
    assert before != undone
    # Only the event has the name in git.
    undone["reopened"][0]["gitName"] = None
    assert undone == single.run("history", "--all", "--json").document
