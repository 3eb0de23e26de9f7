"""history --all: the reopens of all increments, and their statistics."""

import csv
import io
from datetime import UTC, datetime, timedelta

import pytest
from tests.cli.output.test_documents import check
from tests.cli.overview.test_history import ULIDS, reopen
from tests.cli.project import NAME, Project, stamp

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


def rows(project: Project, *options: str) -> list[dict[str, str]]:
    done = project.run("history", "--all", "--csv", *options).ends(0)
    return [*csv.DictReader(io.StringIO(done.out, newline=""), strict=True)]


def test_csv_has_a_line_for_each_reopen(several: Project) -> None:
    found = rows(several)

    nested = ("items", "source", "undoneAt", "accounts")
    document = several.run("history", "--all", "--json").document["reopened"]
    for row, one in zip(found, document, strict=True):
        expected = {key: str(value or "") for key, value in one.items() if key not in nested}
        expected |= {key: row[key] for key in nested}
        assert expected == row
    assert (found[0]["items"], found[0]["source"], found[0]["undoneAt"]) == (URL, "", "")
    assert [*found[0]] == [
        *("id", "increment", "title", "status", "reopenedAt", "reopenedBy", "reason", "category"),
        *("source", "items", "completedAt", "completedAgainAt", "undoneAt"),
        *("secondsToReopen", "secondsToCompletion", "kind"),
        *("gitName", "declaredBy", "accounts"),
    ]


def test_csv_has_no_formula_and_no_command_to_ci(project: Project) -> None:
    cells = {
        **{one: f"'{one}" for one in ("=1+1", "+1", "-1", "@SUM(A1)", '=HYPERLINK("x","y")')},
        "\n=1+1": "'\n=1+1",
        "\uff1d1\uff0b1": "'\uff1d1\uff0b1",
        'One,  "two"; three\n\n- four\n': 'One,  "two"; three\n\n- four\n',
        "a;=1+1": "a;=1+1",
        # Lines of Windows are lines in a cell.
        "One\r\n::error::two": "One\n: :error::two",
    }
    for number, text in enumerate(cells, 1):
        history = [reopen(1, at(number), reason=text, reopenedBy=text)]
        project.increment(f"{number:04}-one", reopenHistory=history)

    found = rows(project)

    assert [*cells.values()] == [one["reason"] for one in found]
    assert [*cells.values()] == [one["reopenedBy"] for one in found]
    assert ',"a;=1+1",' in project.run("history", "--all", "--csv").out


def test_nothing_was_reopened_and_one_cannot_be_read(project: Project) -> None:
    project.increment()
    table = project.run("history", "--all", "--csv").out
    project.increment("0008-broken", status="shipped")
    project.run("history", "--all").ends(5, err=("0008-broken", "No reopens."), whole_out="")
    assert table.startswith("id,increment,title,status,reopenedAt,")
    assert len(table.splitlines()) == 1


def test_what_people_wrote_is_harmless(project: Project) -> None:
    acting = "\x1b[31m\u202e\x07"
    words = f"bug{acting}x"
    one = reopen(1, at(1), category=words, reason=words, reopenedBy=words)
    project.increment(reopenHistory=[one])
    shown = ("--all",), ("--all", "--csv"), ("7",)
    said = "".join(project.run("history", *words).out for words in shown)
    assert {*"\x1b\u202e\x07"} & {*said} == set()


def test_options_select_reopens(several: Project) -> None:
    for options, wanted in (
        ("", [1, 2, 3, 4]),
        ("--since 2025-11-13", [3, 4]),
        ("--since 2025-11-11T12:00:00Z", [2, 3, 4]),
        ("--since 2025-11-11T13:30:00+01:00", [3, 4]),
        ("--until 2025-11-11", [1, 2]),
        ("--until 20251111", [1, 2]),
        ("--until 2025-11-11T12:00:00Z", [1, 2]),
        ("--since 2025-11-11 --until 2025-11-13", [2, 3]),
        ("--by grace", [2]),
        ("--by Ada --since 2025-11-11", [3, 4]),
        ("--tracker github", [1]),
        ("--tracker jira", []),
        ("--since 1d", []),
        ("--since 99999d --until 1h", [1, 2, 3, 4]),
    ):
        found = [one["id"] for one in rows(several, *options.split())]
        assert [ULIDS[one] for one in wanted] == found, options

    document = check(several, "history-all", "history", "--all", "--by", "Grace")

    assert (document["reopens"], document["undone"], document["reopenRate"]) == (1, 0, 0.3333)


def test_reopens_of_two_clones_end_with_the_same_completion(project: Project) -> None:
    before = {"previousCompletedAt": at(9)}
    entries = [reopen(1, at(10), **before), reopen(2, at(11), **before)]
    project.increment(status="completed", completedAt=at(12), reopenHistory=entries)
    # A completion in the second of the reopen is the one before.
    at_once = [reopen(3, at(13), previousCompletedAt=at(13))]
    project.increment(OTHER, status="active", reopenHistory=at_once)
    document = project.run("history", "--all", "--json").document
    times = [(one["completedAt"], one["completedAgainAt"]) for one in document["reopened"]]
    assert [(at(9), at(12)), (at(9), at(12)), (at(13), None)] == times
    assert 1 == document["notCompleted"]


def test_lengths_of_time_count_back_from_now(project: Project) -> None:
    now = datetime.now(UTC)
    ages = [timedelta(hours=5), timedelta(days=3), timedelta(days=10), timedelta(days=40)]
    history = [reopen(n, stamp(now - age)) for n, age in enumerate(ages, 1)]
    project.increment(status="active", reopenHistory=history)
    counts = [len(rows(project, "--since", since)) for since in ("6h", "1d", "4d", "2w", "60d")]
    assert counts == [1, 1, 2, 3, 4]


def test_a_wrong_time_and_options_that_do_not_fit_are_refused(several: Project) -> None:
    for given in ("yesterday", "30", "d", "2025-13-01", "", "٣d", "30d30d"):
        for option in ("--since", "--until"):
            several.run("history", "--all", option, given).ends(
                2, err=("error[time-unknown]", f"next: {option} 2025-11-01, "), whole_out=""
            )
    for line, error in (
        ("history --all --tracker bugzilla", "error[unknown-tracker]"),
        ("history", ""),
        ("history 7 --all", ""),
        ("history 7 --csv", ""),
        ("history 7 --by Ada", ""),
        ("history --all --csv --json", ""),
        ("history --all --since 2025-11-13 --until 2025-11-11", "error[period-reversed]"),
    ):
        done = several.run(*line.split()).ends(2, err=error)
    command = "history --all --since 2025-11-11 --until 2025-11-13"
    assert f"next: unlatch {command}\n" in done.err
    assert 0 == several.run(*command.split()).code
