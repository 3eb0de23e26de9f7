"""unlatch github, ado, jira ...: one tracker's items, as operations of their own."""

from __future__ import annotations

import pytest
from tests.cli.project import ALL, CLOSED, NAME, OPEN, REASON, Project
from tests.cli.refusing import assert_refused, assert_unchanged
from tests.cli.terminal import Terminal

from unlatch import __version__
from unlatch_sandbox import Fault

NOUNS = {"github": "issue", "ado": "work-item", "jira": "issue"}
COMMANDS = ["create", "update", "close", "reopen"]


@pytest.mark.parametrize("group", ALL)
def test_reopen_reopens_that_one_item_and_says_that_the_increment_is_still_completed(
    completed: Project, group: str
) -> None:
    done = completed.run(group, f"reopen-{NOUNS[group]}", "0007", "--reason", REASON)

    assert done.code == 0, done.said
    assert done.err == (
        f"Increment {NAME} is still completed. To reopen it: unlatch resume {NAME}\n"
    )
    assert {**CLOSED, group: OPEN[group]} == completed.states()
    assert "completed" not in completed.labels()[group]
    assert "reopened" in completed.labels()[group]
    assert REASON in completed.comments()[group][0]
    assert {group} == {entry.tracker for entry in completed.box.requests.entries()}
    metadata = completed.metadata()
    assert (metadata["status"], "reopenHistory" in metadata) == ("completed", False)
    assert [(event["event"], event["kind"], event["result"]) for event in completed.events()] == [
        ("delivered", "reopen", "reopened")
    ]


@pytest.mark.parametrize("group", ALL)
@pytest.mark.parametrize("verb", ["reopen", "close"])
def test_a_command_that_is_repeated_after_a_failure_posts_its_reason_once(
    project: Project, group: str, verb: str
) -> None:
    status = "completed" if verb == "reopen" else "active"
    project.increment(status=status, links=project.items(group, finished=verb == "reopen"))
    command = (group, f"{verb}-{NOUNS[group]}", "7", "--reason", REASON)
    project.box.faults.add(Fault(group, "status", code=503, times=99))
    assert 3 == project.run(*command).code
    project.box.faults.clear()

    planned = project.run(*command, "--dry-run")
    done = project.run(*command)

    assert (0, 0) == (planned.code, done.code), done.said
    assert 1 == planned.out.count(f": {REASON}"), planned.out
    assert [REASON in text for text in project.comments()[group]] == [True]


@pytest.mark.parametrize("group", ALL)
@pytest.mark.parametrize("verb", ["reopen", "close"])
def test_a_command_that_is_repeated_after_success_changes_nothing(
    project: Project, group: str, verb: str
) -> None:
    status = "completed" if verb == "reopen" else "active"
    project.increment(status=status, links=project.items(group, finished=verb == "reopen"))
    command = (group, f"{verb}-{NOUNS[group]}", "7", "--reason", REASON)
    assert 0 == project.run(*command).code
    project.wrote()
    before, said = project.tree(), project.comments()
    project.box.requests.clear()

    planned = project.run(*command, "--dry-run")
    document = project.run(*command, "--json")
    done = project.run(*command)

    assert [0, 0, 0] == [one.code for one in (planned, document, done)], planned.said + done.said
    (entry,) = document.document["trackers"]
    outcome = "already-open" if verb == "reopen" else "already-closed"
    (note,) = entry["notes"]
    assert (outcome, 0, None) == (entry["outcome"], entry["requests"], entry["error"])
    assert "before; nothing to do" in note
    assert "before; nothing to do" in done.out
    assert ([], before, said) == (project.wrote(), project.tree(), project.comments())


def test_a_repeated_reopen_of_an_item_that_cannot_be_read_records_nothing(
    completed: Project,
) -> None:
    command = ("github", "reopen-issue", "7", "--reason", REASON)
    assert 0 == completed.run(*command).code
    before = completed.tree()
    completed.box.faults.add(Fault("github", "status", code=503, times=99))

    done = completed.run(*command)

    assert (1, before) == (done.code, completed.tree()), done.said


def test_a_repeated_reopen_of_an_item_that_was_closed_since_reopens_it(completed: Project) -> None:
    command = ("github", "reopen-issue", "7", "--reason", REASON)
    assert 0 == completed.run(*command).code
    completed.box.github.edit("octo/widgets", 4, state="closed", state_reason="completed")

    done = completed.run(*command)

    assert (0, "open") == (done.code, completed.states()["github"]), done.said


def test_a_reopen_that_is_repeated_with_the_named_option_posts_its_reason_once(
    completed: Project,
) -> None:
    completed.box.github.edit("octo/widgets", 4, state="open")
    completed.box.github.edit("octo/widgets", 4, state="closed", state_reason="not_planned")
    command = ("github", "reopen-issue", "7", "--reason", REASON)

    codes = [completed.run(*command).code, completed.run(*command).code]
    done = completed.run(*command, "--even-if-not-planned")

    assert ([3, 3], 0) == (codes, done.code), done.said
    assert [REASON in text for text in completed.comments()["github"]] == [True]


def test_a_reopen_after_a_pending_close_is_one_more_operation(completed: Project) -> None:
    reopen = ("github", "reopen-issue", "7", "--reason", REASON)
    completed.box.faults.add(Fault("github", "status", code=503, times=99))
    assert 3 == completed.run(*reopen).code
    assert 3 == completed.run("github", "close-issue", "7").code
    assert 3 == completed.run(*reopen).code
    completed.box.faults.clear()

    done = completed.run("sync", "7")

    assert ("open", 0) == (completed.states()["github"], done.code), done.said


def test_reopen_without_a_terminal_needs_a_reason(completed: Project) -> None:
    before = completed.tree()

    done = completed.run("github", "reopen-issue", "7")

    assert_refused(done, 2, "not-interactive")
    assert f"next: unlatch github reopen-issue {NAME} --reason TEXT\n" in done.err
    assert_unchanged(completed, before)


def test_reopen_at_a_terminal_asks_for_the_reason(completed: Project) -> None:
    with Terminal(completed, "jira", "reopen-issue", "7") as terminal:
        terminal.expect("Reason for reopening: ")
        terminal.type(f"{REASON}\n")
        assert terminal.end() == 0

    assert REASON in completed.comments()["jira"][0]


def test_a_dry_run_of_reopen_needs_no_reason(completed: Project) -> None:
    done = completed.run("github", "reopen-issue", "7", "--dry-run")

    assert (done.code, completed.wrote()) == (0, [])
    assert "Reopened: (the reason)" in done.out


def test_reopen_posts_its_reason(completed: Project) -> None:
    done = completed.run("github", "reopen-issue", "7", "--reason", "A look @all", "--by", "Dana")

    assert done.code == 0, done.said
    comment = completed.comments()["github"][0]
    assert comment.startswith("**Reopened**: A look @&#8203;all\n")
    assert "by Dana" in comment
    assert completed.events()[0]["by"] == "Dana"


@pytest.mark.parametrize("group", ALL)
def test_close_closes_that_one_item(project: Project, group: str) -> None:
    project.increment(status="active", links=project.items(finished=False))

    done = project.run(group, f"close-{NOUNS[group]}", "7")

    assert done.code == 0, done.said
    assert {**OPEN, group: CLOSED[group]} == project.states()
    assert project.metadata()["status"] == "active"


@pytest.mark.parametrize("group", ALL)
def test_create_makes_and_links_an_item(project: Project, group: str) -> None:
    project.increment(status="active")

    done = project.run(group, f"create-{NOUNS[group]}", "7")

    assert done.code == 0, done.said
    assert project.metadata()[group]["url"].startswith("http://127.0.0.1:")
    shown = project.run(group, "status", "7")
    assert '"Smart discipline"' in shown.out


@pytest.mark.parametrize("group", ALL)
def test_update_brings_the_title_up_to_date(project: Project, group: str) -> None:
    project.increment(status="active", links=project.items(group, finished=False))
    (project.folder() / "spec.md").write_text("# Smarter discipline\n")

    done = project.run(group, f"update-{NOUNS[group]}", "7")

    assert done.code == 0, done.said
    assert '"Smarter discipline"' in project.run(group, "status", "7").out
    assert OPEN[group] == project.states()[group]


@pytest.mark.parametrize("group", ALL)
def test_a_second_update_says_that_nothing_was_changed(project: Project, group: str) -> None:
    project.increment(status="active", links=project.items(group, finished=False))
    command = (group, f"update-{NOUNS[group]}", "7")
    first = project.run(*command)
    project.box.requests.clear()

    done = project.run(*command)
    document = project.run(*command, "--json").document
    commented = project.run(*command, "--reason", REASON)

    assert " updated" in first.out
    assert " was up to date already\n" in done.out
    assert [one["outcome"] for one in document["trackers"]] == ["unchanged"]
    assert " was up to date already; commented\n" in commented.out
    assert 1 == len(project.wrote())
    results = [event["result"] for event in project.events()]
    assert results == ["updated", "unchanged", "unchanged", "unchanged"]


@pytest.mark.parametrize("group", ALL)
def test_status_shows_the_items_as_they_are(completed: Project, group: str) -> None:
    before = completed.tree()

    done = completed.run(group, "status", "7")
    document = completed.run(group, "status", "7", "--json").document

    assert done.code == 0
    assert CLOSED[group] in done.out
    assert [(group, CLOSED[group])] == [
        (item["tracker"], item["state"]) for item in document["increments"][0]["items"]
    ]
    assert document["exitCode"] == 0
    assert before == completed.tree()
    assert completed.wrote() == []


@pytest.mark.parametrize("group", ALL)
@pytest.mark.parametrize("act", ["close", "reopen", "update"])
def test_what_was_done_is_documented(completed: Project, group: str, act: str) -> None:
    command = (group, f"{act}-{NOUNS[group]}", "7", "--reason", REASON, "--json")
    document = completed.run(*command).document

    trackers = document.pop("trackers")
    assert {
        "increment": {"id": NAME, "status": "completed", "previousStatus": "completed"},
        "exitCode": 0,
    }.items() <= document.items()
    expected = {"close": "already-closed", "reopen": "reopened", "update": "updated"}[act]
    assert [(group, expected)] == [(e["tracker"], e["outcome"]) for e in trackers]


@pytest.mark.parametrize("group", ALL)
def test_each_command_has_help_that_says_how_far_it_reaches(project: Project, group: str) -> None:
    for command in [*(f"{act}-{NOUNS[group]}" for act in COMMANDS), "status"]:
        done = project.run(group, command, "--help")

        assert done.code == 0
        assert ("(writes trackers)" in done.out) or ("(reads trackers)" in done.out)


def test_one_of_several_items_can_be_picked(project: Project) -> None:
    numbers = [project.box.github.add_issue(title=f"Part {n}", state="closed") for n in range(2)]
    web = f"{project.box.github.web_url}/octo/widgets/issues"
    items = [{"issue": number, "url": f"{web}/{number}"} for number in numbers]
    project.increment(links={"github": {**items[0], "items": items}})

    item = f"octo/widgets#{numbers[1]}"
    done = project.run("github", "reopen-issue", "7", "--item", item, "--reason", REASON)

    assert done.code == 0, done.said
    states = [project.box.github.issue("octo/widgets", n)["state"] for n in numbers]
    assert states == ["closed", "open"]


def test_another_trackers_item_cannot_be_picked(completed: Project) -> None:
    before = completed.tree()

    done = completed.run("github", "reopen-issue", "7", "--item", "SCRUM-28")

    assert done.code == 2, done.said
    assert before == completed.tree()
    assert completed.sent() == []


@pytest.mark.parametrize("group", ALL)
def test_an_increment_without_such_an_item_is_refused(project: Project, group: str) -> None:
    project.increment()

    for command in (f"reopen-{NOUNS[group]}", f"close-{NOUNS[group]}", "status"):
        done = project.run(group, command, "7")

        assert (done.code, "error[no-link]" in done.err) == (2, True)
        assert "next: unlatch link 0007-smart-discipline URL" in done.err


@pytest.mark.parametrize("group", ALL)
def test_without_authorisation_they_end_with_exit_code_4(completed: Project, group: str) -> None:
    variable = {"github": "GITHUB_TOKEN", "ado": "AZURE_DEVOPS_EXT_PAT", "jira": "JIRA_API_TOKEN"}
    completed.extra[variable[group]] = "wrong-token"

    done = completed.run(group, "status", "7")

    assert done.code == 4, done.said
    assert "next: " in done.err


def test_every_request_names_unlatch_and_its_version(completed: Project) -> None:
    trace = completed.home / "trace"

    done = completed.run("--trace-http", str(trace), "resume", "7", "--reason", REASON, "--yes")

    assert done.code == 0, done.said
    lines = trace.read_text().splitlines()
    agents = [line for line in lines if line.startswith("> User-Agent:")]
    assert completed.box.requests.count() == len(agents)
    expected = f"> User-Agent: unlatch/{__version__} (+https://pypi.org/project/unlatch/)"
    assert {expected} == set(agents)
