"""unlatch undo: the increment, the prompts, and the output for scripts."""

from pathlib import Path
from typing import Any

import pytest
from tests.cli.output.test_documents import check
from tests.cli.project import CLOSED, NAME, OPEN, REASON, Project
from tests.cli.terminal import Terminal
from tests.delivery.stage import edit_metadata

from unlatch_sandbox import Fault

RESUME = ("resume", "7", "--reason", REASON, "--yes")
UNDO = ("undo", "7", "--yes")
QUESTION = "Continue? [y/N]: "


@pytest.fixture
def reopened(completed: Project) -> Project:
    assert completed.run(*RESUME).code == 0
    completed.box.requests.clear()
    return completed


def test_the_increment_is_as_before_and_the_reopen_stays_in_its_history(
    single: Project,
) -> None:
    before = single.metadata()
    spec = single.folder() / "spec.md"
    spec.write_text("---\nstatus: completed\n---\n# Smart\n")
    single.run(*RESUME)
    assert "status: active" in spec.read_text()
    single.run(*UNDO, "--by", "Dana").ends(0)
    after = single.metadata()
    assert {"status": "completed", "completedAt": before["completedAt"]} == {
        key: after[key] for key in ("status", "completedAt")
    }
    assert "pending" not in after
    entry = after["reopenHistory"][0]
    events = {event["event"]: event for event in single.events() if event["event"] != "delivered"}
    undone = events["undone"]
    assert (entry["revert"], entry["revertedAt"]) == (undone["id"], undone["at"])
    assert (undone["reopen"], undone["from"], undone["to"], undone["by"]) == (
        entry["id"],
        "active",
        "completed",
        "Dana",
    )
    assert spec.read_text() == "---\nstatus: completed\n---\n# Smart\n"


def test_the_events_show_that_another_clone_opened_it_where_metadata_does_not(
    project: Project,
) -> None:
    """An older version that merges two records of one delivery may keep either."""
    project.increment(links=project.items("github"))
    project.run(*RESUME).ends(0)
    path = project.folder() / "metadata.json"
    effect = "closed:done open:todo =bug -completed +reopened"
    assert effect in path.read_text()
    path.write_text(path.read_text().replace(effect, "open:todo open:todo =bug"))

    project.run(*UNDO).ends(0)
    assert "closed" == project.states()["github"]
    assert {"bug", "completed"} == project.labels()["github"]


@pytest.mark.parametrize("status", ["not_planned", "completed"])
def test_metadata_alone_shows_what_to_take_back(project: Project, status: str) -> None:
    """Without events.jsonl, as in a folder that somebody copied by hand."""
    project.increment(links=project.items("github"))
    for state, reason in (("open", None), ("closed", status)):
        project.box.github.edit("octo/widgets", 4, state=state, state_reason=reason)
    labels = project.labels()
    project.run(*RESUME, "--even-if-not-planned").ends(0)
    (project.folder() / "events.jsonl").unlink()

    project.run(*UNDO).ends(0)
    issue = project.box.github.issue("octo/widgets", 4)
    assert ("closed", status) == (issue["state"], issue["state_reason"])
    assert labels == project.labels()


@pytest.mark.parametrize(
    ("front", "time"),
    [
        ("status: done  # by hand", "approvedAt"),
        ("status: 'planning'", "completed_at"),
        ('status: "complete"', None),
        ("status: completed", "completedAt"),
        ("title: Smart", "approvedAt"),
    ],
)
def test_what_differed_before_the_reopen_is_as_it_was(
    single: Project, front: str, time: str | None
) -> None:
    def change(data: dict[str, Any]) -> None:
        at = data.pop("completedAt")
        data |= {time: at} if time else {}

    edit_metadata(single, change)
    spec = single.folder() / "spec.md"
    spec.write_text(f"---\n{front}\n---\n# Smart\n")
    before = single.metadata()
    assert 0 == single.run(*RESUME).code
    assert ("status: active" in spec.read_text().replace("'", "").replace('"', "")) is (
        "status" in front
    )

    assert 0 == single.run(*UNDO).code

    assert f"---\n{front}\n---\n# Smart\n" == spec.read_text()
    after = {key: value for key, value in single.metadata().items() if key in before}
    kept = {"github", "ado", "jira", "lastActivity"}
    assert set(single.metadata()) - set(before) == {"reopenHistory"}
    assert [one for one in before if one not in kept and before[one] != after[one]] == []


def test_what_is_printed(reopened: Project) -> None:
    done = reopened.run(*UNDO)

    assert f"✓ Increment {NAME}: active -> completed" == done.out.splitlines()[0]
    assert {
        "✓ GitHub octo/widgets#4 closed; commented; labels +completed -reopened",
        "✓ Azure DevOps fabrikam/widgets 101 closed; commented; labels +completed -reopened",
        "✓ Jira SCRUM-28 closed; commented; labels +completed -reopened",
    } == set(done.out.splitlines()[1:])
    assert done.err == ""


def test_a_reopen_that_was_undone_does_not_count(single: Project) -> None:
    for _ in range(3):
        single.run(*RESUME, "--offline")
        single.run(*UNDO, "--offline")
    assert len(single.metadata()["reopenHistory"]) == 3
    assert single.run("status", "--json").document["reopenedOften"] == []
    assert "Reopened     0 times" in single.run("show", "7", "--offline").out


@pytest.mark.parametrize(
    ("before", "why"),
    [
        ("undo", "its reopens are undone already"),
        ("complete", "it is completed now, no longer active"),
        ("pause", "it is paused now, no longer active"),
        ("abandon and resume", "its status has changed since the last one"),
        ("complete and edit", "its status has changed since the last one"),
    ],
)
def test_what_cannot_be_undone_is_refused_and_nothing_happens(
    reopened: Project, before: str, why: str
) -> None:
    command, *then = before.split(" and ")
    sure = () if command == "pause" else ("--yes",)
    assert reopened.run(command, "7", "--reason", "Stop", *sure).code == 0
    if then == ["resume"]:
        assert reopened.run("resume", "7", "--reason", "Again", "--yes").code == 0
    elif then == ["edit"]:
        edit_metadata(reopened, lambda data: data.update(status="active"))
    tree, states = reopened.tree(), reopened.states()
    reopened.box.requests.clear()
    reopened.run(*UNDO).ends(
        1,
        err=(
            f"error[nothing-to-undo]: {NAME} has no reopen to undo: {why}",
            f"next: unlatch history {NAME}",
        ),
    )
    assert (tree, states, []) == (reopened.tree(), reopened.states(), reopened.wrote())


def test_a_pause_does_not_prevent_an_undo(reopened: Project) -> None:
    assert reopened.run("pause", "7").code == 0
    assert reopened.run("resume", "7", "--reason", "Again", "--yes").code == 0
    assert reopened.run(*UNDO).code == 0
    assert reopened.states() == CLOSED


def test_without_a_terminal_it_takes_yes(reopened: Project) -> None:
    reopened.increment("0008-new", status="active")
    tree = reopened.tree()
    reopened.run("undo", "7").ends(
        2, err=("error[not-interactive]", f"next: unlatch undo {NAME} --yes")
    )
    reopened.run("undo", "8", "--yes").ends(1, err="it was never reopened")
    assert (tree, []) == (reopened.tree(), reopened.sent())


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 2), ("\n", 2)])
def test_at_a_terminal_it_asks(reopened: Project, answer: str, code: int) -> None:
    with Terminal(reopened, "undo", "7") as terminal:
        terminal.expect(QUESTION)
        shown = terminal.text
        terminal.type(answer)
        assert terminal.end() == code
    assert f"! {NAME} was reopened by Gil Git: {REASON}\n" in shown
    assert "  Undoing will set it back to completed, and close the items that\n" in shown
    assert "  the reopen opened (3 items linked).\n" in shown
    assert ("Nothing was changed." in terminal.text) is (code == 2)
    assert reopened.states() == (OPEN if code else CLOSED)


def test_offline_it_waits_for_sync(reopened: Project) -> None:
    reopened.run(*UNDO, "--offline", "--reason", "Oops", "--comment", "short").ends(
        0, err="3 operations pending. Next: unlatch sync"
    )
    assert (reopened.sent(), reopened.states()) == ([], OPEN)
    assert reopened.metadata()["status"] == "completed"
    assert reopened.run("sync", "7").code == 0
    assert reopened.states() == CLOSED
    assert [2, 2, 2] == [len(said) for said in reopened.comments().values()]
    assert "Oops" in reopened.comments()["github"][-1]
    assert "Increment" not in reopened.comments()["github"][-1]


def test_a_tracker_that_is_down_leaves_its_item_for_sync(reopened: Project) -> None:
    reopened.box.faults.add(Fault("jira", "status", code=503, times=20))

    done = reopened.run(*UNDO)

    assert done.code == 3, done.said
    assert {**CLOSED, "jira": "In Progress"} == reopened.states()
    assert f"Next: unlatch sync {NAME}" in done.err
    reopened.box.faults.clear()
    assert reopened.run("sync", "7").code == 0
    assert reopened.states() == CLOSED


def test_a_dry_run_tells_each_request_and_sends_none(reopened: Project) -> None:
    reopened.box.ado.edit(101, state="New")
    tree = reopened.tree()

    shown = check(reopened, "dry-run", *UNDO, "--dry-run")

    assert (tree, []) == (reopened.tree(), reopened.wrote())
    assert ("active", "completed") == (
        shown["increment"]["status"],
        shown["increment"]["wouldBe"],
    )
    items = {item["tracker"]: item for item in shown["items"]}
    assert "its state is New now" in items["ado"]["error"]["message"]
    assert items["ado"]["requests"] == []
    reopened.box.requests.clear()
    document = check(reopened, "undo", *UNDO)
    for tracker in ("github", "jira"):
        wrote = [sent for sent in reopened.wrote() if sent.startswith(tracker)]
        planned = [
            f"{tracker} {request['method']}"
            for request in items[tracker]["requests"]
            if request["method"] != "GET"
        ]
        assert planned == wrote
    assert reopened.metadata()["reopenHistory"][0]["id"] == document["undone"]
    assert {"github": "closed", "ado": "skipped", "jira": "closed"} == {
        entry["tracker"]: entry["outcome"] for entry in document["trackers"]
    }
    assert ["left as it is: its state is New now"] == document["trackers"][1]["notes"]


def test_a_mistake_in_the_configuration_is_told_before_anything_is_recorded(
    project: Project,
) -> None:
    project.increment()
    project.run(*RESUME)
    project.configure_more("no_such_setting = 1")
    tree = project.tree()
    project.run(*UNDO).ends(1, err="config-invalid")
    assert tree == project.tree()


def test_an_unknown_field_and_the_style_of_the_file_survive(project: Project) -> None:
    name = project.increment(links={"custom": {"kept": [1, 2]}})
    path: Path = project.folder(name) / "metadata.json"
    before = project.metadata()
    project.run(*RESUME)

    done = project.run(*UNDO)

    after = project.metadata()
    changed = {key for key in before if after.get(key) != before[key]}
    assert done.code == 0, done.said
    assert (changed, set(after) - set(before)) == ({"lastActivity"}, {"reopenHistory"})
    assert path.read_text().startswith('{\n  "id"')


def test_an_item_that_the_reopen_left_alone_needs_no_undo(completed: Project) -> None:
    completed.box.github.edit("octo/widgets", 4, state="open")
    completed.box.github.edit("octo/widgets", 4, state="closed", state_reason="not_planned")
    assert completed.run(*RESUME).code == 3
    completed.run(*UNDO).ends(0, out="✓ GitHub octo/widgets#4 nothing to do")
    assert completed.states() == CLOSED
    assert completed.comments()["github"] == []


def test_a_reopen_that_was_never_sent_is_withdrawn_from_an_item_that_others_opened(
    completed: Project,
) -> None:
    shared = {"github": completed.metadata()["github"]}
    completed.increment("0008-other", status="active", links=shared)
    completed.box.github.edit("octo/widgets", 4, state="open")
    completed.run(*RESUME, "--offline")
    completed.run(*UNDO, "--reason", "Not needed").ends(
        0, out="    note: stays open: the reopen was not sent to it\n"
    )
    assert {**CLOSED, "github": "open"} == completed.states()
    assert "pending" not in completed.metadata()
    assert completed.comments()["github"] == []


@pytest.mark.parametrize("style", ["full", "none"])
def test_a_reopen_that_another_clone_may_have_sent_is_left_to_a_person(
    completed: Project, style: str
) -> None:
    completed.configure_more(f'comment = "{style}"')
    completed.run(*RESUME, "--offline")
    files = {path: path.read_bytes() for path in completed.folder().iterdir()}
    assert completed.run("sync", "7").code == 0
    for path in completed.folder().iterdir():
        path.unlink()
    for path, content in files.items():
        path.write_bytes(content)

    done = completed.run(*UNDO)

    assert (done.code, OPEN) == (5, completed.states()), done.said
    line = "octo/widgets#4 left open: unlatch did not record whether it was open before the reopen"
    assert line in done.out
    assert f"To close the item: unlatch github close-issue {NAME}\n" in done.err


def test_the_way_back_into_the_archive_is_left_to_the_user(project: Project) -> None:
    project.increment()
    assert 0 == project.run(*RESUME).code
    assert "archive" not in project.run("undo", "7", "--yes").said
    project.increment("0008-old", archived=True)
    assert 0 == project.run("resume", "8", "--reason", REASON, "--yes").code
    done = project.run("undo", "8", "--yes")
    said = "note: its folder is not moved; if the reopen took it out of the archive, move it back\n"
    assert (0, True) == (done.code, said in done.err), done.said
