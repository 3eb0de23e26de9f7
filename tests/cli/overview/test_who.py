"""Who reopened: the name in git, the account on each tracker, and a name given with --by."""

import csv
import io
import json
from typing import Any

import pytest
from tests.cli.output.test_documents import check, check_files
from tests.cli.project import NAME, REASON, Project

ACCOUNTS = {"github": "octocat", "ado": "Octo Cat", "jira": "Octo Cat"}


def listed(project: Project) -> list[dict[str, Any]]:
    reopened: list[dict[str, Any]] = check(project, "history-all", "history", "--all")["reopened"]
    return reopened


def resume(project: Project, *more: str) -> None:
    project.run("resume", "7", "--reason", REASON, "--yes", *more).ends(0)


def test_a_reopen_has_three_names(completed: Project) -> None:
    resume(completed, "--by", "Dana")

    (reopen,) = listed(completed)
    names = {key: reopen[key] for key in ("reopenedBy", "gitName", "declaredBy", "accounts")}
    assert names == {
        "reopenedBy": "Dana",
        "gitName": "Gil Git",
        "declaredBy": "Dana",
        "accounts": ACCOUNTS,
    }
    check_files(completed)
    text = completed.run("history", "--all", "--csv").out
    (row,) = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    accounts = {one.partition(" ")[::2] for one in row["accounts"].split("; ")}
    assert (row["gitName"], row["declaredBy"]) == ("Gil Git", "Dana")
    assert accounts == {*ACCOUNTS.items()}
    heading, shown = completed.run("history", "--all").out.splitlines()[:2]
    assert all(text in heading for text in ("Declared", "Name in git", "Accounts"))
    assert all(f"{tracker} {name}" in shown for tracker, name in ACCOUNTS.items())


def test_an_item_alone_has_them_too(completed: Project) -> None:
    completed.box.github.add_issue(number=5, title="More", state="closed")
    completed.run("reopen", "octo/widgets#5", "--reason", REASON, "--by", "Dana").ends(0)

    (reopen,) = listed(completed)
    assert (reopen["gitName"], reopen["declaredBy"]) == ("Gil Git", "Dana")
    assert reopen["accounts"] == {"github": "octocat"}


def test_a_job_has_the_person_of_its_run_beside_the_name_in_git(completed: Project) -> None:
    completed.extra["GITHUB_ACTOR"] = "mona"
    resume(completed)

    (reopen,) = listed(completed)
    assert (reopen["reopenedBy"], reopen["gitName"], reopen["declaredBy"]) == (
        "mona",
        "Gil Git",
        None,
    )


@pytest.mark.sweep
def test_a_person_of_a_tracker_is_none_of_these(completed: Project) -> None:
    resume(completed)
    completed.run("complete", "7", "--force", "--reason", "Done").ends(0)
    completed.box.github.edit("octo/widgets", 4, state="open", by="mona")
    completed.run("sync", "--yes", "--by", "Dana").ends(0)

    pulled = next(one for one in listed(completed) if one["source"])
    assert (pulled["reopenedBy"], pulled["gitName"], pulled["declaredBy"]) == ("mona", None, None)


@pytest.mark.sweep
def test_older_entries_are_read_without_names(completed: Project) -> None:
    resume(completed, "--by", "Dana")
    events = completed.events()
    for event in events:
        for key in ("gitName", "declaredBy", "account"):
            event.pop(key, None)
    lines = "".join(json.dumps(event) + "\n" for event in events)
    (completed.folder(NAME) / "events.jsonl").write_text(lines)

    (reopen,) = listed(completed)
    assert (reopen["gitName"], reopen["declaredBy"], reopen["accounts"]) == (None, None, {})
    assert completed.run("history", "--all").out.startswith(
        "Reopened          Increment              By    Category"
    )
    completed.run("history", "verify").ends(0)
