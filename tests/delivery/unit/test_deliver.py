"""Delivery: side by side, in order, with a probe where it is needed, and once in the end."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.cli.project import ALL, CLOSED, NAME, OPEN, REASON, Project

from unlatch.delivery import dispatch, steps
from unlatch.delivery.run import DeliveryRun
from unlatch.errors import StoreError
from unlatch.increments.files.locks import delivery_lock
from unlatch.increments.files.paths import paths_at
from unlatch.project.trackers import Trackers
from unlatch.project.workspace import Workspace
from unlatch_github.plugin import GithubPlugin
from unlatch_sandbox import Fault

RESUME = ("resume", "7", "--reason", REASON, "--yes")


def counts(project: Project) -> dict[str, int]:
    return {name: len(comments) for name, comments in project.comments().items()}


def in_between(project: Project, tracker: str, action: Callable[[], Any], **where: Any) -> None:
    """Let something happen just before a request is served."""
    project.box.faults.add(Fault(tracker, "human", action=action, **where))


def test_items_are_served_side_by_side(completed: Project) -> None:
    meeting = threading.Barrier(3)
    for tracker in ALL:
        in_between(completed, tracker, lambda: meeting.wait(30), path="(?i)issues?/|workitems/")

    done = completed.run(*RESUME)

    assert done.code == 0, done.said
    assert not meeting.broken


def test_deliveries_come_back_in_the_order_of_the_outbox(completed: Project) -> None:
    completed.box.faults.add(Fault("github", "latency", seconds=0.5, times=2))

    document = completed.run(*RESUME, "--json").document

    assert list(ALL) == [entry["tracker"] for entry in document["trackers"]]


def test_what_people_edit_in_between_is_kept(completed: Project) -> None:
    box = completed.box
    edits: dict[str, tuple[str, Callable[[], object]]] = {
        "github": (
            "PATCH",
            lambda: box.github.edit("octo/widgets", 4, labels=["bug", "completed", "urgent"]),
        ),
        "ado": (
            "PATCH",
            lambda: box.ado.edit(101, title="Smarter", tags=["ui", "completed", "urgent"]),
        ),
        "jira": ("PUT", lambda: box.jira.edit("SCRUM-28", labels=["ux", "completed", "urgent"])),
    }
    for tracker, (method, edit) in edits.items():
        in_between(completed, tracker, edit, method=method)

    done = completed.run(*RESUME)

    assert done.code == 0, done.said
    assert box.ado.work_item(101)["fields"]["System.Title"] == "Smarter"
    assert {
        "github": {"bug", "urgent", "reopened"},
        "ado": {"ui", "urgent", "reopened"},
        "jira": {"ux", "urgent", "reopened"},
    } == completed.labels()
    assert counts(completed) == dict.fromkeys(ALL, 1)


def test_what_comes_later_on_an_item_waits_for_what_comes_first(completed: Project) -> None:
    completed.run(*RESUME, "--offline")
    completed.run("complete", "7", "--reason", "Mended", "--offline")
    completed.box.faults.add(Fault("github", "drop", method="POST", path="/comments"))

    done = completed.run("sync", "7", "--yes", "--json")

    assert done.code == 3
    left = completed.metadata()["pending"]
    assert [(o["tracker"], o["kind"]) for o in left] == [("github", "reopen"), ("github", "close")]
    assert counts(completed)["github"] == 0

    assert completed.run("sync", "7", "--yes").code == 0
    said = completed.comments()["github"]
    assert [REASON in said[0], "Mended" in said[1]] == [True, True]


def fail(*_: object) -> None:
    raise ZeroDivisionError("division by zero")


def full(*_: object, **__: object) -> None:
    raise StoreError("not-writable", "cannot write metadata.json")


# What fails, and the error that the document has.
MISTAKES: dict[str, tuple[object, str, Callable[..., None], str, str]] = {
    "of a plugin": (GithubPlugin, "write", fail, "unexpected", "division by zero"),
    "an obstacle that cannot be noted": (steps, "block", full, "forbidden", ""),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_stops_no_other(
    completed: Project, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    owner, name, mistake, expected, words = MISTAKES[case]
    monkeypatch.setattr(owner, name, mistake)
    completed.box.faults.add(Fault("github", "status", method="PATCH", code=403))

    done = completed.run(*RESUME, "--json")

    assert done.code == 3, done.said
    error = done.document["trackers"][0]["error"]
    assert (error["id"], words in error["message"]) == (expected, True)
    assert completed.states() == {**OPEN, "github": "closed"}


def test_another_delivery_that_takes_too_long_leaves_the_reopen_recorded(
    completed: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatch, "LOCK_TIMEOUT", 0.1)

    with delivery_lock(paths_at(completed.root), NAME, patience=1):
        done = completed.run(*RESUME, "--json")

    assert done.code == 3, done.said
    assert [entry["error"]["id"] for entry in done.document["trackers"]] == ["locked"] * 3
    assert completed.metadata()["status"] == "active"
    assert len(completed.metadata()["pending"]) == 3
    assert completed.states() == CLOSED
    assert completed.run("sync", "7", "--yes").code == 0


def test_local_commands_do_not_wait_for_a_delivery(single: Project) -> None:
    with delivery_lock(paths_at(single.root), NAME, patience=1):
        assert single.run(*RESUME, "--offline").code == 0
        assert single.run("pause", "7").code == 0
        assert single.run("show", "7", "--offline").code == 0


@pytest.mark.parametrize("tracker", ALL)
def test_the_intent_is_on_disk_before_anything_is_written(completed: Project, tracker: str) -> None:
    seen: list[tuple[str, list[str]]] = []

    def look() -> None:
        metadata = completed.metadata()
        owed = [operation["op"] for operation in metadata["pending"]]
        seen.append((metadata["status"], owed))

    for method in ("PATCH", "POST", "PUT"):
        in_between(completed, tracker, look, method=method)

    assert completed.run(*RESUME).code == 0

    op = completed.metadata()["reopenHistory"][0]["id"]
    assert seen
    assert all(status == "active" and op in owed for status, owed in seen)


@pytest.mark.parametrize("tracker", ALL)
def test_without_a_comment_state_and_labels_are_replayed(completed: Project, tracker: str) -> None:
    method = "POST" if tracker == "jira" else "PATCH"
    completed.box.faults.add(Fault(tracker, "drop-after", method=method))

    lost = completed.run(*RESUME, "--comment", "none")
    done = completed.run("sync", "7", "--yes", "--comment", "none")

    assert (lost.code, done.code) == (3, 0), done.said
    assert completed.states() == OPEN
    assert counts(completed) == dict.fromkeys(ALL, 0)
    assert [True] * 3 == ["reopened" in labels for labels in completed.labels().values()]
    assert [False] * 3 == ["completed" in labels for labels in completed.labels().values()]


def test_an_answer_that_was_lost_is_waited_for_from_the_beginning_of_the_next_run(
    project: Project,
) -> None:
    project.increment(links=project.items("github"))
    project.configure(project.box.github.config())
    project.box.faults.add(Fault("github", "drop-after", method="POST", path="/comments"))
    assert project.run(*RESUME).code == 3
    # The wall clock is no evidence; another machine's may have noted the attempt.
    workspace = Workspace(
        paths_at(project.root),
        environ=project.environ,
        user_config=project.home / "none.toml",
        clock=lambda: datetime(2090, 1, 1, tzinfo=UTC),
    )
    increment = workspace.manager.read(NAME)
    seconds = iter((100.0, 103.0, 150.0))
    run = DeliveryRun(workspace, Trackers(workspace), clock=lambda: next(seconds))

    waits = [run.settle_time(increment, increment.pending[0]) for _ in range(2)]

    assert [7.0, 0.0] == waits


def test_a_tracker_that_cannot_be_opened_while_it_wants_to_be_left_alone_stops_no_other(
    completed: Project,
) -> None:
    completed.box.faults.add(Fault("github", "rate-limit", method="PATCH", seconds=600))
    completed.box.faults.add(Fault("jira", "drop", method="POST", path="/transitions"))
    assert completed.run("--max-wait", "0", *RESUME).code == 3
    hosts = completed.box.environ()["UNLATCH_TRUSTED_HOSTS"].split(",")
    trusted = (host for host in hosts if not host.startswith("github="))
    completed.extra["UNLATCH_TRUSTED_HOSTS"] = ",".join(trusted)

    done = completed.run("sync", "--yes")

    assert "[unexpected]" not in done.said
    assert "is not a host that a token for GitHub may be" in done.said
    assert completed.states() == {**OPEN, "github": "closed"}
