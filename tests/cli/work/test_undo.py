"""unlatch undo: the increment, the prompts, and the output for scripts."""

from pathlib import Path
from typing import Any

import pytest
from tests.cli.project import CLOSED, NAME, OPEN, REASON, Project
from tests.cli.terminal import Terminal
from tests.delivery.stage import edit_metadata

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


@pytest.mark.sample(at=(1,))
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


@pytest.mark.sample(at=(4,))
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


@pytest.mark.sample(at=(2,))
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


@pytest.mark.sample(at=(1,))
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
