"""Many increments at once: one reason, one question, one sum, and nothing done twice."""

import json
from collections.abc import Iterable
from typing import Any

import pytest
from tests.cli.output.test_documents import check
from tests.cli.project import REASON, Project
from tests.cli.terminal import Terminal

from unlatch_sandbox import Fault

YES = ("--reason", REASON, "--yes")
COMPLETED = ("resume", "--all-matching", "status=completed", *YES)


def many(project: Project, count: int, *, tracker: str = "ado", **more: Any) -> list[str]:
    """Completed increments, each with an item of its own."""
    makers = {"ado": _work_item, "github": _issue, "jira": _ticket}
    base = {"local": "completed", "remote": "done", "state": "Closed"}
    return [
        project.increment(
            f"{number:04d}-some-work",
            links={tracker: {**makers[tracker](project, number), "base": base}},
            **more,
        )
        for number in range(1, count + 1)
    ]


def _work_item(project: Project, number: int) -> dict[str, Any]:
    project.box.ado.add_work_item(id=number, title=f"Item {number}", state="Closed")
    return {
        "workItemId": number,
        "url": f"{project.box.ado.web_url}/widgets/_workitems/edit/{number}",
    }


def _issue(project: Project, number: int) -> dict[str, Any]:
    project.box.github.add_issue(number=number, title="x", state="closed", state_reason="completed")
    return {
        "issue": number,
        "url": f"{project.box.github.web_url}/octo/widgets/issues/{number}",
    }


def _ticket(project: Project, number: int) -> dict[str, Any]:
    key = project.box.jira.add_issue(f"SCRUM-{number}", summary="x", status="Done")
    return {"issueKey": key, "url": f"{project.box.jira.site}/browse/{key}"}


def states(project: Project, count: int) -> set[str]:
    return {project.box.ado.work_item(n)["fields"]["System.State"] for n in range(1, count + 1)}


def said(project: Project, numbers: Iterable[int]) -> list[int]:
    """How many comments each work item has."""
    return [len(project.box.ado.comments(number)) for number in numbers]


def test_a_filter_chooses_by_what_the_files_say(project: Project) -> None:
    project.increment("0001-first", type="bug")
    project.increment("0002-second", links={"ado": _work_item(project, 2)})
    project.increment("0003-third", status="paused", type="bug")
    project.increment("0004-fourth")
    project.increment("0005-fifth", archived=True)

    for expressions, chosen in {
        "status=completed": "124",
        "status!=completed type=bug": "3",
        "type=BUG": "13",
        "title~second": "2",
        "id~0004": "4",
        "tracker=ado": "2",
        "archived=yes": "5",
        "status=completed type=bug": "1",
    }.items():
        filters = [part for one in expressions.split() for part in ("--all-matching", one)]
        document = check(project, "dry-run-many", "resume", *filters, "--dry-run")
        numbers = [one["increment"]["id"][3] for one in document["increments"]]
        assert [*chosen] == numbers, expressions


def test_a_filter_that_makes_no_sense_or_matches_nothing_is_refused(project: Project) -> None:
    project.increment()
    expressions = ("completed", "status=done-ish", "label=x", "status~comp", "archived=perhaps")
    for expression in (*expressions, "title=", "type=nothing"):
        done = project.run("resume", "--all-matching", expression, *YES)
        error = "nothing-matches" if expression == "type=nothing" else "filter-invalid"
        assert (2, error) == (done.code, done.err.split("[")[1].split("]")[0]), expression


def test_many_are_refused_without_consent_and_with_a_change_of_their_work(project: Project) -> None:
    many(project, 2)
    before = project.tree()
    unasked = project.run("resume", "1", "2", "--reason", REASON)
    changed = project.run("resume", "1", "2", "--scope", "More", *YES)
    assert (2, 2) == (unasked.code, changed.code), changed.said
    assert "[not-interactive]" in unasked.err
    assert (before, []) == (project.tree(), project.sent())


def test_a_dry_run_reads_each_item_and_writes_nothing(project: Project) -> None:
    many(project, 5, tracker="jira")
    before = project.tree()
    done = project.run(*COMPLETED, "--dry-run")
    assert (0, before) == (done.code, project.tree()), done.said
    assert "5 increments, " in done.out
    assert project.wrote() == []
    # All of them at once, with the transitions that each offers.
    assert project.box.requests.count("jira") == 1


def test_the_document_of_many_and_repeating_adds_nothing(project: Project) -> None:
    names = many(project, 3)
    document = check(project, "resume-many", "resume", "1", "0002", names[2], *YES)
    before = project.tree()
    project.run("resume", *names, *YES).ends(
        0, err="3 increments are already active; nothing to do."
    )
    assert [("active", "completed", 0, "reopened")] * 3 == [
        (one["status"], one["previousStatus"], one["left"], one["trackers"][0]["outcome"])
        for one in document["increments"]
    ]
    assert (before, {"Active"}, [1] * 3) == (
        project.tree(),
        states(project, 3),
        said(project, (1, 2, 3)),
    )
    reasons = [project.metadata(name)["reopenHistory"][0]["reason"] for name in names]
    assert [REASON] * 3 == reasons


def test_a_person_sees_the_list_and_is_asked_once(project: Project) -> None:
    many(project, 2)
    with Terminal(project, "resume", "1", "2") as terminal:
        terminal.expect("Continue?")
        assert "0001-some-work  completed  ado 1\n" in terminal.text
        terminal.type("y\n")
        terminal.answer("Reason for reopening", f"{REASON}\n")
        terminal.end()
    assert {"Active"} == states(project, 2)


def test_at_a_terminal_a_bar_shows_how_far_it_is(project: Project) -> None:
    many(project, 21)
    with Terminal(project, *COMPLETED, "--max-items", "21") as terminal:
        terminal.expect("21/21")
        terminal.end()
    assert {"Active"} == states(project, 21)


# Sync over many


def drifted(project: Project, count: int, tracker: str) -> list[str]:
    """Increments that were taken up by hand, in their files alone."""
    names = many(project, count, tracker=tracker)
    for name in names:
        path = project.folder(name) / "metadata.json"
        content = json.loads(path.read_text()) | {"status": "active"}
        path.write_text(json.dumps(content))
    return names


def limited() -> Fault:
    """Jira wants to be left alone for most of an hour."""
    waits = {"Retry-After": "3000"}
    return Fault("jira", "status", code=429, headers=waits, path="transitions", times=999)


@pytest.mark.parametrize("tracker", ["ado", "jira"])
@pytest.mark.parametrize("may", [True, False])
def test_the_setting_is_as_the_option_and_says_what_the_account_may_not(
    project: Project, tracker: str, *, may: bool
) -> None:
    config = project.box.config().replace(
        f"[trackers.{tracker}]", f"[trackers.{tracker}]\nnotify = false"
    )
    project.configure(config)
    project.box.jira.add_project("SCRUM", can_administer=may)
    if not may:
        path = "suppressNotifications=true"
        project.box.faults.add(Fault("ado", "status", code=403, body="no", path=path, times=9))
    names = many(project, 1, tracker=tracker)
    done = project.run("resume", names[0], *YES).ends(0)
    box = project.box
    mails = box.ado.mails(1) if tracker == "ado" else box.jira.mails("SCRUM-1")
    assert mails == (tracker == "jira") + (not may)
    note = "notifications were sent" if tracker == "ado" else "mail was sent"
    assert (note in done.said) is not may
