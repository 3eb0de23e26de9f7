"""history: the life of one increment, and the reopens of all."""

from __future__ import annotations

from typing import Any

from tests.cli.project import NAME, REASON, Project

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


def three(project: Project) -> None:
    completed = "previousCompletedAt"
    project.increment(
        status="active",
        reopenHistory=[
            reopen(1, "2025-10-11T00:00:00Z", category="bug", **{completed: "2025-10-01"}),
            reopen(2, "2025-11-04T12:00:00Z", **{completed: "2025-11-04T00:00:00Z"}),
            reopen(3, "2025-11-05T00:00:00Z", revertedAt="2025-11-05T01:00:00Z"),
        ],
    )
    project.increment("0008-other", reopenHistory=[reopen(4, "2025-11-06T00:00:00Z")])
    project.increment("0009-never")


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


def test_an_undone_reopen_leaves_one_completion(completed: Project) -> None:
    completed.run("resume", "7", "--reason", REASON, "--yes", "--offline")
    completed.run("undo", "7", "--yes", "--offline")

    told = completed.run("history", "7").out

    assert told.count("-  completed") == 1


def test_all_reopens_as_tables(project: Project) -> None:
    three(project)

    done = project.run("history", "--all")

    assert (
        done.out
        == f"""\
3 reopens of 2 increments in 3, 1 undone
Days from completion to reopen: 0.5 to 10, median 5.2

Month    Reopens
2025-10  1
2025-11  2

Category  Reopens
(none)    2
bug       1

Increment              Reopens  Last        By   Reason
{NAME}  2        2025-11-04  Ada  Reason 2
0008-other             1        2025-11-06  Ada  Reason 4
"""
    )


def test_all_reopens_as_a_document(project: Project) -> None:
    three(project)

    document = project.run("history", "--all", "--json").document

    most = document.pop("mostReopened")
    assert document == {
        "schema": "unlatch.history-all/1",
        "increments": 3,
        "reopens": 3,
        "undone": 1,
        "byMonth": {"2025-10": 1, "2025-11": 2},
        "byCategory": [{"category": None, "reopens": 2}, {"category": "bug", "reopens": 1}],
        "daysToReopen": {"least": 0.5, "median": 5.2, "most": 10.0},
        "broken": [],
        "exitCode": 0,
    }
    assert [(one["id"], len(one["reopens"])) for one in most] == [(NAME, 2), ("0008-other", 1)]
    assert most[0]["reopens"][0] == {
        "id": ULIDS[1],
        "reopenedAt": "2025-10-11T00:00:00Z",
        "reopenedBy": "Ada",
        "reason": "Reason 1",
        "category": "bug",
        "daysAfterCompletion": 10.0,
    }


def test_nothing_was_reopened_and_one_cannot_be_read(project: Project) -> None:
    project.increment()
    project.increment("0008-broken", status="shipped")

    done = project.run("history", "--all")

    assert (done.out, done.code) == ("", 5)
    assert "note: 1 increment cannot be read and is left out: 0008-broken\n" in done.err
    assert "No reopens." in done.err


def test_an_increment_or_all_of_them(completed: Project) -> None:
    codes = [completed.run(*line).code for line in (["history"], ["history", "7", "--all"])]

    assert codes == [2, 2]


def test_what_people_wrote_is_harmless_on_a_terminal(project: Project) -> None:
    hostile = "bug\x1b[31m"
    project.increment(reopenHistory=[reopen(1, "2025-10-11T00:00:00Z", category=hostile)])

    said = project.run("history", "7").out + project.run("history", "--all").out

    assert "\x1b" not in said
