"""Many increments at once: one reason, one question, one sum, and nothing done twice."""

import json
import signal
import subprocess
import sys
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


def test_several_ids_are_resumed_for_one_reason_and_served_side_by_side(project: Project) -> None:
    names = many(project, 3)

    done = project.run("resume", "1", "0002", names[2], *YES)

    assert done.code == 0, done.said
    assert ["active"] * 3 == [project.metadata(name)["status"] for name in names]
    reasons = [project.metadata(name)["reopenHistory"][0]["reason"] for name in names]
    assert [REASON] * 3 == reasons
    assert ({"Active"}, [1, 1, 1]) == (states(project, 3), said(project, (1, 2, 3)))
    assert "0001-some-work: completed -> active" in done.out


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


def test_more_than_ten_items_have_to_be_agreed_to_before_anything_is_changed(
    project: Project,
) -> None:
    many(project, 11)
    before = project.tree()
    refused = project.run(*COMPLETED)
    project.run(*COMPLETED, "--dry-run").ends(
        0,
        err=(
            "11 items would be written to; the limit is 10 [too-many-items].",
            "Next: add --max-items 11",
        ),
    )
    documents = [
        check(project, "dry-run-many", *COMPLETED, "--dry-run", *more)
        for more in ((), ("--max-items", "11"))
    ]
    unchanged = before == project.tree()
    agreed = project.run(*COMPLETED, "--max-items", "11")
    assert (2, True) == (refused.code, unchanged)
    assert "[too-many-items]" in refused.err
    assert ("too-many-items", None) == (documents[0]["tooMany"]["id"], documents[1]["tooMany"])
    assert (0, {"Active"}) == (agreed.code, states(project, 11)), agreed.said


def test_many_are_refused_without_consent_and_with_a_change_of_their_work(project: Project) -> None:
    many(project, 2)
    before = project.tree()
    unasked = project.run("resume", "1", "2", "--reason", REASON)
    changed = project.run("resume", "1", "2", "--scope", "More", *YES)
    assert (2, 2) == (unasked.code, changed.code), changed.said
    assert "[not-interactive]" in unasked.err
    assert (before, []) == (project.tree(), project.sent())


def test_of_many_only_failures_are_told_and_one_sum(project: Project) -> None:
    many(project, 21)
    project.box.ado.edit(7, state="Removed")
    done = project.run(*COMPLETED, "--max-items", "21").ends(
        3,
        out=(
            "21 increments active now: 21 completed before",
            "20 of 21 operations delivered",
            "deliberately-closed",
        ),
        err="Next: unlatch sync 0007-some-work",
    )
    told = [line for line in done.out.splitlines() if "fabrikam/widgets" in line]
    assert len(told) == 1


def test_what_is_refused_keeps_none_of_the_others(project: Project) -> None:
    project.configure_more(tables="[limits]\nmax_active = 2\npolicy = 'refuse'\n")
    names = many(project, 4)

    done = project.run(*COMPLETED)

    assert done.code == 5, done.said
    assert ["active", "active", "completed", "completed"] == [
        project.metadata(name)["status"] for name in names
    ]
    assert done.out.count("wip-limit") == 1
    assert "    1 more increment likewise: 0004-some-work\n" in done.out


def test_one_item_that_fails_leaves_the_others_done_and_sync_finishes(project: Project) -> None:
    many(project, 3, tracker="jira")
    fault = Fault("jira", "status", code=503, path="SCRUM-2/transitions", method="POST")
    project.box.faults.add(fault)

    done = project.run(*COMPLETED)
    rest = project.run("sync")

    assert (3, 0) == (done.code, rest.code), (done.said, rest.said)
    comments = [len(project.box.jira.comments(f"SCRUM-{n}")) for n in (1, 2, 3)]
    assert [1, 1, 1] == comments


def test_after_a_crash_the_same_command_and_sync_bring_it_to_an_end(project: Project) -> None:
    names = many(project, 4)
    half = project.run("resume", "1", "2", *YES, "--offline")

    again = project.run(*COMPLETED, "--offline")
    synced = project.run("sync")

    assert (0, 0, 0) == (half.code, again.code, synced.code), synced.said
    assert "2 operations pending. Next: unlatch sync\n" in half.err
    assert ({"Active"}, [1] * 4) == (states(project, 4), said(project, range(1, 5)))
    assert [1] * 4 == [len(project.metadata(name)["reopenHistory"]) for name in names]


@pytest.mark.parametrize("tracker", ["ado", "jira"])
def test_killed_in_the_middle_it_is_brought_to_an_end_once(project: Project, tracker: str) -> None:
    names = many(project, 6, tracker=tracker)
    running: list[subprocess.Popen[bytes]] = []

    def kill() -> None:
        running[0].kill()

    # The request during its death still takes effect, without an answer.
    fault = Fault(
        tracker,
        "human",
        path=r"batch\?" if tracker == "ado" else "SCRUM-4\\?returnIssue",
        action=kill,
    )
    project.box.faults.add(fault)

    command = [sys.executable, "-m", "unlatch.cli", *COMPLETED]
    nowhere = subprocess.DEVNULL
    with subprocess.Popen(
        command, cwd=project.root, env=project.environ, stdout=nowhere, stderr=nowhere
    ) as process:
        running.append(process)
        killed = process.wait()
    again = project.run(*COMPLETED)
    synced = project.run("sync")

    assert (-signal.SIGKILL, 0) == (killed, synced.code), (again.said, synced.said)
    assert [1] * 6 == [len(project.metadata(name)["reopenHistory"]) for name in names]
    assert [False] * 6 == ["pending" in project.metadata(name) for name in names]
    box = project.box
    told = {
        "ado": lambda: said(project, range(1, 7)),
        "jira": lambda: [len(box.jira.comments(f"SCRUM-{n}")) for n in range(1, 7)],
    }
    assert [1] * 6 == told[tracker]()


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


@pytest.mark.parametrize("tracker", ["github", "ado", "jira"])
def test_sync_over_many_reads_in_bulk_and_ends_in_one_sum(project: Project, tracker: str) -> None:
    project.configure_more('comment = "none"')  # GitHub takes no more than one in a second
    drifted(project, 21, tracker)
    checked = project.run("sync", "--check")
    reading = project.box.requests.count(tracker)
    done = project.run("sync", "--all", "--max-items", "21")
    calm = project.run("sync")
    assert (5, 0, 0) == (checked.code, done.code, calm.code), done.said
    assert reading <= 3
    assert "21 of 21 operations delivered" in done.out
    assert len(done.out.splitlines()) == 1


def test_what_a_tracker_will_not_take_within_the_hour_is_reported_once_and_stays_pending(
    project: Project,
) -> None:
    names = drifted(project, 21, "jira")
    project.box.faults.add(limited())
    project.run("sync", "--max-items", "21").ends(
        3,
        out="more items likewise [rate-limited]",
        err="of 21 increments recorded and not delivered. Next: unlatch sync",
    )
    codes = [project.run("sync", "1").code for _ in range(5)]
    # Waiting for a limit is no reason to give an operation up.
    (pending,) = project.metadata(names[0])["pending"]
    assert ([3] * 5, False) == (codes, "parkedAt" in pending)


def limited() -> Fault:
    """Jira wants to be left alone for most of an hour."""
    waits = {"Retry-After": "3000"}
    return Fault("jira", "status", code=429, headers=waits, path="transitions", times=999)


@pytest.mark.parametrize("tracker", ["ado", "jira"])
def test_no_command_notifies_of_many_items_where_the_tracker_can_leave_it(
    project: Project, tracker: str
) -> None:
    """Jira's transitions notify in any case; what is delivered later keeps the wish."""
    many(project, 3, tracker=tracker)
    face = getattr(project.box, tracker)
    items = ("SCRUM-1", "SCRUM-2", "SCRUM-3") if tracker == "jira" else (1, 2, 3)
    finish = ("complete", "1-3", "--reason", "Done", "--yes")
    path = "/transitions$" if tracker == "jira" else "(?i)/wit/"
    method = "POST" if tracker == "jira" else "PATCH"
    sent = 0
    for command in (COMPLETED, finish, COMPLETED, ("undo", "1-3", "--yes")):
        project.box.faults.add(Fault(tracker, "drop", method=method, path=path))
        project.run(*command, "--no-notify").ends(3)
        assert project.run("sync", "--all", "--yes").code == 0
        sent += tracker == "jira"
        assert [face.mails(it) for it in items] == [sent] * 3, command


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
