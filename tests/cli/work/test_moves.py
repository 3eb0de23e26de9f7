"""start, pause, review, backlog, new: moves along the status table without a tracker."""

import pytest
from tests.cli.project import NAME, Project

from unlatch.increments.model.status import LIFECYCLE, Status

MOVES = {"start": "active", "pause": "paused", "review": "ready_for_review", "backlog": "backlog"}


@pytest.mark.sample(at=(15,))
@pytest.mark.parametrize("command", MOVES)
@pytest.mark.parametrize("status", [s.value for s in Status])
def test_moves_follow_the_status_table_and_a_dry_run_foresees_them(
    project: Project, command: str, status: str
) -> None:
    to = MOVES[command]
    project.increment(status=status, links=project.items("github"))
    before = project.tree()

    foreseen = project.run(command, "7", "--dry-run")
    document = project.run(command, "7", "--dry-run", "--json").document
    unchanged = before == project.tree()
    done = project.run(command, "7")

    assert (done.code, done.code, True) == (foreseen.code, document["exitCode"], unchanged)
    finished = Status(status).is_finished
    legal = not finished and Status(to) in LIFECYCLE.moves[Status(status)]
    if status == to:
        assert (done.code, before) == (0, project.tree())
        assert f"is already {to}\n" in done.out
    elif legal:
        assert (done.code, done.out) == (0, f"✓ Increment {NAME}: {status} -> {to}\n")
        assert project.metadata()["status"] == to
        assert [(status, to)] == [(event["from"], event["to"]) for event in project.events()]
    else:
        expected = "finished" if finished else "transition-refused"
        assert (done.code, f"error[{expected}]" in done.err) == (1, True), done.said
        assert (foreseen.err, expected, before) == (
            done.err,
            document["error"]["id"],
            project.tree(),
        )
    if done.code == 0:
        assert "(dry run)\nNo requests to send. Nothing was written.\n" in foreseen.out
        assert document["increment"] == {"id": NAME, "status": status, "wouldBe": to}
    assert project.sent() == []


def test_new_makes_an_increment_numbered_on_from_the_highest(project: Project) -> None:
    project.increment("0041-older", archived=True)
    done = project.run("new", "Export to CSV & more", "--type", "bug").ends(0)
    document = project.run("new", "Login", "--json").document
    name = "0042-export-to-csv-more"
    assert done.out == f"✓ {name} in .unlatch/increments/{name}\n"
    assert done.err == f"Next: unlatch start {name}\n"
    metadata = project.metadata(name)
    assert (metadata["id"], metadata["status"], metadata["type"]) == (name, "planning", "bug")
    assert (project.folder(name) / "spec.md").read_text().startswith("# Export to CSV & more\n")
    assert (project.folder(name) / "tasks.md").exists()
    assert project.sent() == []
    path = str(project.folder("0043-login"))
    assert document == {
        "schema": "unlatch.new/1",
        "increment": {"id": "0043-login", "status": "planning", "path": path},
        "warnings": [],
        "exitCode": 0,
    }


@pytest.mark.parametrize("tracker", ["github", "ado", "jira"])
def test_new_takes_title_and_link_from_an_item(project: Project, tracker: str) -> None:
    project.items(tracker, finished=False)
    project.run("new", "--from", project.urls[tracker]).ends(0)
    metadata = project.metadata("0001-smart-discipline")
    assert metadata[tracker]["url"] == project.urls[tracker]
    assert metadata[tracker]["base"]["local"] == "planning"
    assert project.wrote() == []


def test_new_needs_a_title(project: Project) -> None:
    before = project.tree()
    for title, expected in {"": "missing", "  ": "missing", "!?": "unusable"}.items():
        done = project.run("new", *([title] if title else [])).ends(
            2, err=f"error[title-{expected}]"
        )
        assert done.err.endswith("\n  next: unlatch new TITLE\n")
    assert before == project.tree()
