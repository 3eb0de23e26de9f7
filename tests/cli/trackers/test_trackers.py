"""unlatch github, ado, jira ...: one tracker's items, as operations of their own."""

import pytest
from tests.cli.project import ALL, CLOSED, NAME, OPEN, REASON, Project
from tests.cli.terminal import Terminal

from unlatch_sandbox import Fault

NOUNS = {"github": "issue", "ado": "work-item", "jira": "issue"}
COMMANDS = ["create", "update", "close", "reopen"]


@pytest.mark.sample(at=(2,))
@pytest.mark.parametrize("group", ALL)
def test_reopen_reopens_that_one_item_and_says_that_the_increment_is_still_completed(
    completed: Project, group: str
) -> None:
    done = completed.run(group, f"reopen-{NOUNS[group]}", "0007", "--reason", REASON).ends(0)
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


def changing(project: Project, group: str, verb: str) -> tuple[str, ...]:
    """Have an item that `verb` changes; the command that does so."""
    status = "completed" if verb == "reopen" else "active"
    project.increment(status=status, links=project.items(group, finished=verb == "reopen"))
    return (group, f"{verb}-{NOUNS[group]}", "7", "--reason", REASON)


@pytest.mark.sample(at=(2, 4))
@pytest.mark.parametrize("group", ALL)
@pytest.mark.parametrize("verb", ["reopen", "close"])
def test_a_repeated_command_posts_its_reason_once_and_changes_nothing_after_success(
    project: Project, group: str, verb: str
) -> None:
    command = changing(project, group, verb)
    project.box.faults.add(Fault(group, "status", code=503, times=99))
    assert 3 == project.run(*command).code
    project.box.faults.clear()
    planned = project.run(*command, "--dry-run")

    done = project.run(*command)

    assert (0, 0) == (planned.code, done.code), done.said
    assert 1 == planned.out.count(f": {REASON}"), planned.out
    assert [REASON in text for text in project.comments()[group]] == [True]
    before, said = project.tree(), project.comments()
    project.box.requests.clear()

    planned = project.run(*command, "--dry-run")
    document = project.run(*command, "--json")
    done = project.run(*command)

    assert [0, 0, 0] == [one.code for one in (planned, document, done)], planned.said + done.said
    (entry,) = document.document["trackers"]
    outcome = "already-open" if verb == "reopen" else "already-closed"
    (note,) = entry["notes"]
    assert (outcome, 1, None) == (entry["outcome"], entry["requests"], entry["error"])
    assert "before; nothing to do" in note
    assert "before; nothing to do" in done.out
    assert ([], before, said) == (project.wrote(), project.tree(), project.comments())


def test_a_repeated_reopen_depends_on_the_item_as_it_is(project: Project) -> None:
    command = changing(project, "github", "reopen")
    assert 0 == project.run(*command).code
    before = project.tree()
    project.box.faults.add(Fault("github", "status", code=503, times=99))
    unread = project.run(*command)
    assert (1, before) == (unread.code, project.tree()), unread.said
    project.box.faults.clear()
    project.box.github.edit("octo/widgets", 4, state="closed", state_reason="completed")
    done = project.run(*command)
    assert (0, "open") == (done.code, project.states()["github"]), done.said


def test_reopen_at_a_terminal_asks_for_the_reason(completed: Project) -> None:
    with Terminal(completed, "jira", "reopen-issue", "7") as terminal:
        terminal.expect("Reason for reopening: ")
        terminal.type(f"{REASON}\n")
        assert terminal.end() == 0

    assert REASON in completed.comments()["jira"][0]


@pytest.mark.sample(at=(2,))
@pytest.mark.parametrize("group", ALL)
def test_close_closes_that_one_item(project: Project, group: str) -> None:
    project.increment(status="active", links=project.items(finished=False))
    project.run(group, f"close-{NOUNS[group]}", "7").ends(0)
    assert {**OPEN, group: CLOSED[group]} == project.states()
    assert project.metadata()["status"] == "active"


@pytest.mark.sample(at=(0,))
@pytest.mark.parametrize("group", ALL)
def test_update_brings_the_title_up_to_date_and_a_second_one_changes_nothing(
    project: Project, group: str
) -> None:
    project.increment(status="active", links=project.items(group, finished=False))
    (project.folder() / "spec.md").write_text("# Smarter discipline\n")
    command = (group, f"update-{NOUNS[group]}", "7")
    project.run(*command).ends(0, out=" updated")
    assert '"Smarter discipline"' in project.run(group, "status", "7").out
    assert OPEN[group] == project.states()[group]
    project.box.requests.clear()
    project.run(*command).shows(out=" was up to date already\n")
    document = project.run(*command, "--json").document
    project.run(*command, "--reason", REASON).shows(out=" was up to date already; commented\n")
    assert [one["outcome"] for one in document["trackers"]] == ["unchanged"]
    assert 1 == len(project.wrote())
    results = [event["result"] for event in project.events()]
    assert results == ["updated", "unchanged", "unchanged", "unchanged"]


@pytest.mark.parametrize("group", ALL)
def test_status_shows_the_items_as_they_are(completed: Project, group: str) -> None:
    before = completed.tree()
    completed.run(group, "status", "7").ends(0, out=CLOSED[group])
    document = completed.run(group, "status", "7", "--json").document
    assert [(group, CLOSED[group])] == [
        (item["tracker"], item["state"]) for item in document["increments"][0]["items"]
    ]
    assert document["exitCode"] == 0
    assert before == completed.tree()
    assert completed.wrote() == []


def test_one_of_several_items_can_be_picked(project: Project) -> None:
    numbers = [project.box.github.add_issue(title=f"Part {n}", state="closed") for n in range(2)]
    web = f"{project.box.github.web_url}/octo/widgets/issues"
    items = [{"issue": number, "url": f"{web}/{number}"} for number in numbers]
    project.increment(links={"github": {**items[0], "items": items}})
    item = f"octo/widgets#{numbers[1]}"
    project.run("github", "reopen-issue", "7", "--item", item, "--reason", REASON).ends(0)
    states = [project.box.github.issue("octo/widgets", n)["state"] for n in numbers]
    assert states == ["closed", "open"]
    before = project.tree()
    project.run("github", "reopen-issue", "7", "--item", "SCRUM-28").ends(2)
    assert before == project.tree()
