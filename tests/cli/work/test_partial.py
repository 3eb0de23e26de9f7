"""A tracker fails while the others are served; later one command finishes the job, once."""

import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.cli.project import ALL, CLOSED, NAME, OPEN, REASON, Done, Project

from unlatch_sandbox import Fault

RESUME = ("resume", "7", "--reason", REASON, "--yes")
# The write that carries the comment, and the one that changes the state.
COMMENTING: dict[str, dict[str, Any]] = {
    "github": {"method": "POST", "path": "/comments"},
    "ado": {"method": "PATCH", "path": "(?i)/workitems/"},
    "jira": {"method": "PUT", "path": "/issue/SCRUM-28"},
}


def assert_that_only_it_failed(project: Project, done: Done, tracker: str, *errors: str) -> None:
    """One tracker's operation is recorded and not delivered; the others' are done."""
    assert done.code == 3, done.said
    document = done.document
    assert document["exitCode"] == 3
    outcomes = {entry["tracker"]: entry for entry in document["trackers"]}
    failed = outcomes.pop(tracker)
    assert failed["outcome"] in ("pending", "failed")
    assert failed["error"]["id"] in errors
    assert failed["error"]["message"]
    assert failed["error"]["hint"]
    assert {"reopened"} == {entry["outcome"] for entry in outcomes.values()}
    assert [tracker] == [operation["tracker"] for operation in project.metadata()["pending"]]
    others = [name for name in ALL if name != tracker]
    assert {name: OPEN[name] for name in others} == {
        name: project.states()[name] for name in others
    }


def assert_that_all_is_done_once(project: Project) -> None:
    assert project.states() == OPEN
    assert dict.fromkeys(ALL, 1) == {name: len(c) for name, c in project.comments().items()}
    labels = project.labels()
    assert [("reopened" in labels[name], "completed" in labels[name]) for name in ALL] == [
        (True, False)
    ] * 3
    assert "pending" not in project.metadata()
    (entry,) = project.metadata()["reopenHistory"]
    assert set(ALL) == set(entry["syncedTo"])


def assert_that_sync_finishes_it(project: Project) -> None:
    """As on another machine, which knows what the files say."""
    project.forget_local()
    project.run("sync", "7", "--yes").ends(0)
    assert_that_all_is_done_once(project)


@pytest.mark.sample(at=(4,))
@pytest.mark.parametrize("tracker", ALL)
@pytest.mark.parametrize(
    ("status", "errors"),
    [
        (401, ("unauthorized", "credential-refused", "credential-expired")),
        (403, ("forbidden",)),
        (404, ("item-not-found",)),
        (500, ("tracker-unavailable",)),
    ],
)
def test_a_tracker_that_refuses_to_be_read_keeps_its_operation(
    completed: Project, tracker: str, status: int, errors: tuple[str, ...]
) -> None:
    completed.box.faults.add(Fault(tracker, "status", code=status, times=99))
    done = completed.run("--max-wait", "0", *RESUME, "--json")
    assert_that_only_it_failed(completed, done, tracker, *errors)
    assert CLOSED[tracker] == completed.states()[tracker]
    completed.box.faults.clear()
    assert_that_sync_finishes_it(completed)


UNKNOWN: dict[str, dict[str, Any]] = {
    "500 before": {"kind": "status", "code": 500},
    "500 after": {"kind": "error-after", "code": 500},
    "reply lost": {"kind": "drop-after"},
    "never arrived": {"kind": "drop"},
    "cut short": {"kind": "truncate"},
    "html": {"kind": "html"},
}


# Azure DevOps does both in one request.
REQUESTS = [("github", "moving"), ("github", "commenting"), ("ado", "commenting")]
REQUESTS += [("jira", "moving"), ("jira", "commenting")]
# Each fault meets one or two of the requests, and each request one or more of the faults; `make
# torture` tries all pairs.
PAIRS = [
    pytest.param(*(fault, tracker, step), marks=() if (2 * f + r) % 5 < 2 else pytest.mark.sweep)
    for f, fault in enumerate(UNKNOWN)
    for r, (tracker, step) in enumerate(REQUESTS)
    # Jira's transition is answered without a body.
    if (fault, tracker, step) != ("cut short", "jira", "moving")
]


def test_everything_fails_and_local_work_stands(completed: Project) -> None:
    for tracker in ALL:
        completed.box.faults.add(Fault(tracker, "status", code=503, times=99))
    done = completed.run("--max-wait", "0", *RESUME).ends(3)
    assert completed.metadata()["status"] == "active"
    assert len(completed.metadata()["pending"]) == 3
    assert done.err.splitlines()[-1] == (
        f"3 operations recorded and not delivered. Next: unlatch sync {NAME}"
    )


@pytest.fixture
def elsewhere(completed: Project, tmp_path: Path) -> Callable[[], Project]:
    """Commits the project and makes a fresh copy of it, as CI would have it."""

    def clone() -> Project:
        if not (completed.root / ".git").exists():
            completed.git("init", "--quiet")
        completed.git("add", "--all")
        completed.git("commit", "--quiet", "--message", "Work")
        root = tmp_path / "elsewhere"
        if root.exists():
            shutil.rmtree(root)
        completed.git("clone", "--quiet", str(completed.root), str(root))
        return replace(completed, root=root)

    return clone


@pytest.mark.sweep
@pytest.mark.real_waits
def test_an_item_that_a_person_closed_in_between_stays_closed_and_hears_nothing_twice(
    completed: Project,
) -> None:
    completed.box.faults.add(Fault("github", "drop-after", **COMMENTING["github"]))
    completed.run(*RESUME)
    time.sleep(1.1)  # GitHub's times have whole seconds
    completed.box.github.edit("octo/widgets", 4, state="closed", state_reason="completed")
    completed.run("sync", "7").ends(5, out="left as it is: its state was changed to closed")
    assert completed.states()["github"] == "closed"
    assert len(completed.comments()["github"]) == 1
    assert "pending" not in completed.metadata()
