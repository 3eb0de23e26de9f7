"""A job for a comment that is killed at any request, and runs again on a fresh runner: once."""

import json
import shutil
from typing import Any

import pytest
from tests.cli.project import CLOSED, OPEN, Project
from tests.cli.trackers.comment_desk import REPOSITORY, Desk, add_people
from tests.delivery.stage import Held, kill_when_held, start

from unlatch_sandbox import Fault

# The requests of a command on an issue alone.
REQUESTS: dict[str, dict[str, Any]] = {
    "comment": {"method": "GET", "path": "/issues/comments/"},
    "last close": {"method": "POST", "path": "/graphql"},
    "right": {"method": "GET", "path": "/permission"},
    "issue": {"method": "GET", "path": "/issues/4$"},
    "state": {"method": "PATCH", "path": "/issues/4$"},
    "answer": {"method": "POST", "path": "/issues/4/comments"},
    "emoji": {"method": "POST", "path": "/reactions"},
}


@pytest.fixture
def desk(project: Project) -> Desk:
    """An issue without a project, as its job needs no checkout."""
    (project.root / ".unlatch/config.toml").unlink()
    (project.root / ".unlatch").rmdir()
    add_people(project)
    project.box.github.add_issue(number=4, title="Crash", author="ann")
    return Desk(project)


def kill(desk: Desk, comment: int, held: Held, **request: Any) -> None:
    """Run the job of a comment up to a request."""
    file = desk.project.home / "event.json"
    file.write_text(json.dumps(desk.event(comment)))
    desk.project.box.faults.add(Fault("github", "human", action=held, **request))
    kill_when_held(start(desk.project, "ingest", "--from", "github-event", str(file)), held)
    desk.project.box.faults.clear()


def run_on_fresh_runners(desk: Desk, comment: int) -> None:
    for _ in range(2):
        shutil.rmtree(desk.project.home / "state", ignore_errors=True)
        done = desk.take_up(comment)
        assert 0 == done.code, done.said


@pytest.mark.sample(at=(11,))
@pytest.mark.parametrize("effect", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("request_", REQUESTS)
def test_a_command_is_carried_out_once(desk: Desk, request_: str, *, effect: bool) -> None:
    desk.close("ann")
    comment, held = desk.post("ann", "/reopen It crashes"), Held()

    kill(desk, comment, held, effect=effect, **REQUESTS[request_])
    run_on_fresh_runners(desk, comment)

    assert ("open", 1, 1) == (desk.state, len(desk.answers), desk.thumbs(comment)), desk.texts
    assert "“It crashes”" in desk.answers[0]


@pytest.mark.sample(at=(3, 4))
@pytest.mark.parametrize("user", ["tim", "ann"])
@pytest.mark.parametrize("request_", ["state", "answer", "emoji"])
def test_the_increment_of_the_issue_gets_what_it_is_to_get(
    project: Project, request_: str, user: str
) -> None:
    add_people(project)
    project.increment(links=project.items("github", "ado", "jira"))
    project.commit()
    assert 0 == project.run("sync", "--yes").code
    project.commit()
    project.git("remote", "add", "origin", f"{project.box.github.web_url}/{REPOSITORY}.git")
    desk, held = Desk(project), Held()
    project.box.github.edit(REPOSITORY, 4, assignees=["ann"])
    project.box.github.edit(REPOSITORY, 4, state="open")
    desk.close("stale[bot]")
    comment = desk.post(user, "/reopen It crashes")

    kill(desk, comment, held, effect=True, **REQUESTS[request_])
    project.git("checkout", "--quiet", ".")
    project.git("clean", "--quiet", "-fdx", ".unlatch")
    run_on_fresh_runners(desk, comment)
    done = project.run("sync", "--yes")

    counts = [sum("(asked " in text for text in texts) for texts in project.comments().values()]
    reached = (project.metadata()["status"], project.states(), counts)
    assert 0 == done.code, done.said
    if user == "tim":
        assert ("active", OPEN, [1, 1, 1]) == reached
    else:
        assert ("completed", {**CLOSED, "github": "open"}, [1, 0, 0]) == reached
