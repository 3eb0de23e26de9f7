"""history --all: the reopens of all increments, and their statistics."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from tests.cli.output.test_documents import check
from tests.cli.overview.test_history import ULIDS, reopen
from tests.cli.project import ALL, NAME, REASON, Project, stamp
from tests.cli.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Sequence

OTHER = "0008-other"
URL = "https://github.com/octo/widgets/issues/4"


def at(day: int, hour: int = 0) -> str:
    return f"2025-11-{day:02}T{hour:02}:00:00Z"


@pytest.fixture
def several(project: Project) -> Project:
    """Three reopens of two increments, one of them undone, beside two others."""
    synced = {"syncedTo": {"github": {"issueNumber": 4, "issueUrl": URL}}}
    completed = "previousCompletedAt"
    project.increment(
        status="completed",
        completedAt=at(12),
        reopenHistory=[
            reopen(1, at(10), category="bug", **{completed: "2025-10-31T00:00:00Z"}, **synced),
            reopen(2, at(11, 12), reopenedBy="Grace", **{completed: at(11)}),
        ],
    )
    undone = {"revertedAt": at(13, 1), completed: at(12)}
    more = [reopen(3, at(13), **undone), reopen(4, at(14), **{completed: at(12)})]
    project.increment(OTHER, status="active", reopenHistory=more)
    project.increment("0009-never")
    project.increment("0010-planned", status="planning")
    return project


def test_the_text_lists_each_reopen_and_sums_up_at_the_end(several: Project) -> None:
    assert (
        several.run("history", "--all").out
        == f"""\
Reopened          Increment              By     Category  Completed again  Reason
2025-11-10 00:00  {NAME}  Ada    bug       after 1 day      Reason 1
2025-11-11 12:00  {NAME}  Grace            after 12 hours   Reason 2
2025-11-13 00:00  {OTHER}             Ada              undone           Reason 3
2025-11-14 00:00  {OTHER}             Ada              no               Reason 4

Month    Reopens
2025-11  3

Category  Reopens
(none)    2
bug       1

Reopened repeatedly    Reopens
{NAME}  2

3 reopens of 2 increments; 1 undone
Reopen rate: 66.7% (2 of 3 completed increments)
From completion to reopen: 12 hours to 10 days, median 2 days
From reopen to completion: 12 hours to 1 day, median 18 hours
Not completed again: 1 reopen
"""
    )


def test_the_document_has_the_same_with_exact_values(several: Project) -> None:
    document = check(several, "history-all", "history", "--all")

    most, listed = document.pop("mostReopened"), document.pop("reopened")
    assert document == {
        "schema": "unlatch.history-all/1",
        "increments": 4,
        "completed": 3,
        "reopens": 3,
        "undone": 1,
        "reopenRate": 0.6667,
        "byMonth": {"2025-11": 3},
        "byCategory": [{"category": None, "reopens": 2}, {"category": "bug", "reopens": 1}],
        "daysToReopen": {"least": 0.5, "median": 2.0, "most": 10.0},
        "secondsToReopen": {"least": 43200.0, "median": 172800.0, "most": 864000.0},
        "secondsToCompletion": {"least": 43200.0, "median": 64800.0, "most": 86400.0},
        "notCompleted": 1,
        "broken": [],
        "exitCode": 0,
    }
    assert [(one["id"], len(one["reopens"])) for one in most] == [(NAME, 2), (OTHER, 1)]
    assert most[0]["reopens"][0] == {
        "id": ULIDS[1],
        "reopenedAt": at(10),
        "reopenedBy": "Ada",
        "reason": "Reason 1",
        "category": "bug",
        "daysAfterCompletion": 10.0,
    }
    assert [one["id"] for one in listed] == ULIDS[1:5]
    assert listed[0] == {
        "id": ULIDS[1],
        "increment": NAME,
        "title": "Smart discipline",
        "status": "completed",
        "reopenedAt": at(10),
        "reopenedBy": "Ada",
        "reason": "Reason 1",
        "category": "bug",
        "source": None,
        "items": [{"tracker": "github", "id": "4", "url": URL}],
        "completedAt": "2025-10-31T00:00:00Z",
        "completedAgainAt": at(11),
        "undoneAt": None,
        "secondsToReopen": 864000,
        "secondsToCompletion": 86400,
    }
    undone = (listed[2]["undoneAt"], listed[2]["completedAgainAt"], listed[3]["completedAgainAt"])
    assert undone == (at(13, 1), None, None)


def rows(project: Project, *options: str) -> list[dict[str, str]]:
    done = project.run("history", "--all", "--csv", *options)
    assert done.code == 0, done.said
    return [*csv.DictReader(io.StringIO(done.out, newline=""), strict=True)]


def test_csv_has_a_line_for_each_reopen(several: Project) -> None:
    found = rows(several)

    assert found[0] == {
        "id": ULIDS[1],
        "increment": NAME,
        "title": "Smart discipline",
        "status": "completed",
        "reopenedAt": at(10),
        "reopenedBy": "Ada",
        "reason": "Reason 1",
        "category": "bug",
        "source": "",
        "items": URL,
        "completedAt": "2025-10-31T00:00:00Z",
        "completedAgainAt": at(11),
        "undoneAt": "",
        "secondsToReopen": "864000",
        "secondsToCompletion": "86400",
    }
    assert [one["id"] for one in found] == ULIDS[1:5]


@pytest.mark.parametrize(
    "reason",
    ["=1+1", "+1", "-1", "@SUM(A1)", '=HYPERLINK("x","y")', "\n=1+1", "\uff1d1\uff0b1"],
)
def test_csv_has_no_formula(project: Project, reason: str) -> None:
    project.increment(reopenHistory=[reopen(1, at(1), reason=reason, reopenedBy=reason)])

    (found,) = rows(project)

    assert (f"'{reason}", f"'{reason}") == (found["reason"], found["reopenedBy"])


def test_a_cell_of_csv_may_have_commas_quotes_and_lines(project: Project) -> None:
    reason = 'One,  "two"; three\n\n- four\n'
    project.increment(reopenHistory=[reopen(1, at(1), reason=reason, reopenedBy="a;=1+1")])

    (found,) = rows(project)

    assert (reason, "a;=1+1") == (found["reason"], found["reopenedBy"])
    assert ',"a;=1+1",' in project.run("history", "--all", "--csv").out


def test_lines_of_windows_are_lines_in_a_cell_and_no_command_to_ci(project: Project) -> None:
    project.increment(reopenHistory=[reopen(1, at(1), reason="One\r\n::error::two")])

    assert ["One\n: :error::two"] == [one["reason"] for one in rows(project)]


def test_csv_of_nothing_has_its_columns(project: Project) -> None:
    project.increment()

    done = project.run("history", "--all", "--csv")

    assert done.out.startswith("id,increment,title,status,reopenedAt,")
    assert len(done.out.splitlines()) == 1


@pytest.mark.parametrize("acting", ["\x1b[31m", "\u202e", "\x07"])
def test_what_people_wrote_is_harmless(project: Project, acting: str) -> None:
    words = f"bug{acting}x"
    one = reopen(1, at(1), category=words, reason=words, reopenedBy=words)
    project.increment(reopenHistory=[one])

    said = project.run("history", "--all").out + project.run("history", "--all", "--csv").out

    assert acting not in said


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ((), [1, 2, 3, 4]),
        (("--since", "2025-11-13"), [3, 4]),
        (("--since", "2025-11-11T12:00:00Z"), [2, 3, 4]),
        (("--since", "2025-11-11T13:30:00+01:00"), [3, 4]),
        (("--until", "2025-11-11"), [1, 2]),
        (("--until", "20251111"), [1, 2]),
        (("--until", "2025-11-11T12:00:00Z"), [1, 2]),
        (("--since", "2025-11-11", "--until", "2025-11-13"), [2, 3]),
        (("--by", "grace"), [2]),
        (("--by", "Ada", "--since", "2025-11-11"), [3, 4]),
        (("--tracker", "github"), [1]),
        (("--tracker", "jira"), []),
        (("--since", "1d"), []),
        (("--since", "99999d", "--until", "1h"), [1, 2, 3, 4]),
    ],
)
def test_options_select_reopens(
    several: Project, options: Sequence[str], wanted: list[int]
) -> None:
    assert [ULIDS[one] for one in wanted] == [one["id"] for one in rows(several, *options)]


def test_reopens_of_two_clones_end_with_the_same_completion(project: Project) -> None:
    before = {"previousCompletedAt": at(9)}
    entries = [reopen(1, at(10), **before), reopen(2, at(11), **before)]
    project.increment(status="completed", completedAt=at(12), reopenHistory=entries)

    document = project.run("history", "--all", "--json").document

    assert [at(12)] * 2 == [one["completedAgainAt"] for one in document["reopened"]]
    assert 0 == document["notCompleted"]


def test_a_completion_in_the_second_of_the_reopen_is_the_one_before(project: Project) -> None:
    entries = [reopen(1, at(9), previousCompletedAt=at(9))]
    project.increment(status="active", reopenHistory=entries)

    (one,) = project.run("history", "--all", "--json").document["reopened"]

    assert (at(9), None) == (one["completedAt"], one["completedAgainAt"])


def test_lengths_of_time_count_back_from_now(project: Project) -> None:
    now = datetime.now(UTC)
    ages = [timedelta(hours=5), timedelta(days=3), timedelta(days=10), timedelta(days=40)]
    history = [reopen(n, stamp(now - age)) for n, age in enumerate(ages, 1)]
    project.increment(status="active", reopenHistory=history)

    counts = [len(rows(project, "--since", since)) for since in ("6h", "1d", "4d", "2w", "60d")]

    assert counts == [1, 1, 2, 3, 4]


def test_statistics_are_of_the_selected_reopens(several: Project) -> None:
    document = check(several, "history-all", "history", "--all", "--by", "Grace")

    assert (document["reopens"], document["undone"], document["reopenRate"]) == (1, 0, 0.3333)


@pytest.mark.parametrize("option", ["--since", "--until"])
@pytest.mark.parametrize("given", ["yesterday", "30", "d", "2025-13-01", "", "٣d", "30d30d"])
def test_what_is_no_time_is_refused_with_an_example(
    several: Project, option: str, given: str
) -> None:
    done = several.run("history", "--all", option, given)

    assert (2, "") == (done.code, done.out)
    assert "error[time-unknown]" in done.err
    assert f"next: {option} 2025-11-01, " in done.err


def test_an_unknown_tracker_is_refused(several: Project) -> None:
    done = several.run("history", "--all", "--tracker", "bugzilla")

    assert (2, True) == (done.code, "error[unknown-tracker]" in done.err)


@pytest.mark.parametrize(
    "line",
    [
        ["history"],
        ["history", "7", "--all"],
        ["history", "7", "--csv"],
        ["history", "7", "--by", "Ada"],
        ["history", "--all", "--csv", "--json"],
    ],
)
def test_options_that_do_not_fit_together_are_refused(several: Project, line: list[str]) -> None:
    assert several.run(*line).code == 2


def test_nothing_was_reopened_and_one_cannot_be_read(project: Project) -> None:
    project.increment()
    project.increment("0008-broken", status="shipped")

    done = project.run("history", "--all")

    assert (done.out, done.code) == ("", 5)
    assert "0008-broken" in done.err
    assert "No reopens." in done.err


def test_what_commands_did_is_all_there(completed: Project) -> None:
    resume = ("resume", "7", "--reason", REASON, "--category", "bug", "--yes", "--by", "Dana")
    completed.run(*resume)
    completed.run("complete", "7", "--by", "Dana")
    completed.run("resume", "7", "--reason", REASON, "--yes", "--by", "Dana", "--offline")

    first, second = check(completed, "history-all", "history", "--all")["reopened"]

    urls = {one: completed.urls[one] for one in ALL}
    for one in (first, second):
        assert urls == {item["tracker"]: item["url"] for item in one["items"]}
        assert (one["reopenedBy"], one["reason"]) == ("Dana", REASON)
    assert (first["category"], second["category"]) == ("bug", None)
    assert first["completedAgainAt"] == second["completedAt"]
    assert second["completedAgainAt"] is None


def test_it_needs_no_events(single: Project) -> None:
    single.run("resume", "7", "--reason", REASON, "--yes", "--offline")
    before = single.run("history", "--all", "--json").document
    (single.folder() / "events.jsonl").unlink()

    assert before == single.run("history", "--all", "--json").document


def test_a_period_that_ends_before_it_begins_is_refused(several: Project) -> None:
    done = several.run("history", "--all", "--since", "2025-11-13", "--until", "2025-11-11")

    assert (2, "") == (done.code, done.out)
    assert "error[period-reversed]" in done.err
    command = "history --all --since 2025-11-11 --until 2025-11-13"
    assert f"next: unlatch {command}\n" in done.err
    assert 0 == several.run(*command.split()).code


@pytest.mark.parametrize("columns", [60, 100])
def test_a_narrow_terminal_splits_no_id(project: Project, columns: int) -> None:
    name = "0007-keep-the-smart-discipline-of-increments"
    reason = "Empty files are not read by the importer of the second version"
    project.increment(name, reopenHistory=[reopen(1, at(1), reason=reason)])

    with Terminal(project, "history", "--all", columns=columns) as terminal:
        assert 0 == terminal.end()

    assert name in terminal.text
    assert max(map(len, terminal.text.splitlines())) <= columns
