"""A tracker fails while the others are served; later one command finishes the job, once."""

import shutil
import socket
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
MOVING: dict[str, dict[str, Any]] = {
    "github": {"method": "PATCH", "path": "/issues/4"},
    "ado": {"method": "PATCH", "path": "(?i)/workitems/"},
    "jira": {"method": "POST", "path": "/transitions"},
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


@pytest.mark.parametrize(("fault", "tracker", "step"), PAIRS)
def test_a_write_whose_outcome_is_unknown_is_probed_and_not_repeated(
    completed: Project, fault: str, tracker: str, step: str
) -> None:
    where = {"moving": MOVING, "commenting": COMMENTING}[step][tracker]
    options: dict[str, Any] = {**UNKNOWN[fault], **where}
    completed.box.faults.add(Fault(tracker, options.pop("kind"), **options))
    done = completed.run(*RESUME, "--json")
    assert_that_only_it_failed(completed, done, tracker, "unknown-outcome")
    assert f"unlatch sync {NAME}" in completed.run("status").err
    assert_that_sync_finishes_it(completed)


@pytest.mark.parametrize("tracker", ALL)
def test_a_tracker_that_is_not_there_keeps_its_operation(completed: Project, tracker: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]  # no server listens on it
        place = {
            "github": completed.box.github.api_url,
            "ado": completed.box.ado.organization_url,
            "jira": completed.box.jira.site,
        }[tracker].split("/")[2]
        key = {"github": "api_url", "ado": "organization_url", "jira": "site"}[tracker]
        lines = completed.box.config().splitlines()
        gone = [line.replace(place, f"127.0.0.1:{port}") if line.startswith(f"{key} =") else line
                for line in lines]  # fmt: skip
        completed.configure("\n".join(gone))
        trusted = completed.box.environ()["UNLATCH_TRUSTED_HOSTS"]
        completed.extra["UNLATCH_TRUSTED_HOSTS"] = f"{trusted},{tracker}=127.0.0.1:{port}"

        done = completed.run("--max-wait", "0", *RESUME, "--json")

    assert_that_only_it_failed(completed, done, tracker, "tracker-unreachable")

    completed.configure(completed.box.config())
    assert_that_sync_finishes_it(completed)


def test_people_are_told_what_failed_and_what_finishes_it(completed: Project) -> None:
    completed.box.github.add_repository("octo/widgets", issues_write=False)
    done = completed.process(*RESUME).ends(3)
    line = next(line for line in done.out.splitlines() if line.startswith("✗"))
    assert line.startswith("✗ GitHub octo/widgets#4 not reopened: ")
    assert line.endswith(" [forbidden]")
    assert "issues" in done.out.lower()
    assert done.err.splitlines()[-1] == (
        f"1 operation recorded and not delivered. Remove the cause first. Next: unlatch sync {NAME}"
    )


def test_another_failure_leaves_what_is_done_alone(completed: Project) -> None:
    completed.box.faults.add(Fault("jira", "status", code=503, times=99))
    completed.run("--max-wait", "0", *RESUME)
    comments = completed.comments()

    again = completed.run("--max-wait", "0", "sync", "7", "--json")

    assert again.code == 3
    assert [e["tracker"] for e in again.document["increments"][0]["trackers"]] == ["jira"]
    assert comments == completed.comments()


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


@pytest.mark.parametrize("tracker", ALL)
@pytest.mark.parametrize("fault", ["error-after", "drop"])
def test_a_fresh_copy_finishes_what_another_machine_began(
    completed: Project, elsewhere: Callable[[], Project], tracker: str, fault: str
) -> None:
    completed.box.faults.add(Fault(tracker, fault, **COMMENTING[tracker]))
    assert completed.run(*RESUME).code == 3
    box = completed.box
    copy = elsewhere()
    # CI posts as another user, and the marker counts with any author.
    copy.extra = {
        "GITHUB_TOKEN": box.github.bot_token,
        "AZURE_DEVOPS_EXT_PAT": box.ado.bot_token,
        "JIRA_EMAIL": box.jira.bot_email,
        "JIRA_API_TOKEN": box.jira.bot_token,
    }

    done = copy.run("sync", "7", "--yes")

    assert done.code == 0, done.said
    assert_that_all_is_done_once(copy)
    assert len({event["id"] for event in copy.events()}) == len(copy.events())


def test_two_copies_that_deliver_one_after_the_other_leave_one_comment(
    completed: Project, elsewhere: Callable[[], Project]
) -> None:
    completed.run(*RESUME, "--offline")
    copy = elsewhere()

    codes = [completed.run("sync", "7", "--yes").code, copy.run("sync", "7", "--yes").code]

    assert codes == [0, 0]
    assert_that_all_is_done_once(completed)
    assert_that_all_is_done_once(copy)


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


def test_sync_without_anything_to_do_says_so(completed: Project) -> None:
    completed.run("sync")
    before = completed.tree()
    done = completed.run("sync")
    assert (done.code, done.said) == (0, "Nothing is pending; both sides are in sync.\n")
    assert before == completed.tree()
    assert completed.wrote() == []


def test_sync_delivers_for_all_increments_or_those_that_are_named(completed: Project) -> None:
    number = completed.box.github.add_issue(title="Other", state="closed")
    url = f"{completed.box.github.web_url}/octo/widgets/issues/{number}"
    completed.increment("0008-other", links={"github": {"issue": number, "url": url}})
    for name in (NAME, "0008-other"):
        completed.run("resume", name, "--reason", REASON, "--yes", "--offline")
    one = completed.run("sync", "8", "--json")
    rest = completed.run("sync", "--json")
    assert [entry["id"] for entry in one.document["increments"]] == ["0008-other"]
    assert [entry["id"] for entry in rest.document["increments"]] == [NAME]
    assert (one.code, rest.code) == (0, 0)


def test_sync_dry_run_sends_and_writes_nothing(completed: Project) -> None:
    completed.run(*RESUME, "--offline")
    before = completed.tree()
    done = completed.run("sync", "--dry-run").ends(0, out="1 operation pending")
    assert all(f"{name} " in done.out for name in ("octo/widgets#4", "widgets 101", "SCRUM-28"))
    assert before == completed.tree()
    assert completed.wrote() == []
