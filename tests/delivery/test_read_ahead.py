"""Many items are read with few requests before they are written, and no promise is lost by that."""

from collections.abc import Callable
from itertools import count
from time import monotonic
from typing import Any

import pytest
from tests.cli.project import REASON, Project
from tests.crash.delivering import deliver_one
from tests.delivery.stage import Held, kill_when_held, start

from unlatch.delivery.dispatch import deliver
from unlatch.delivery.run import DeliveryRun
from unlatch.increments.files.paths import paths_at
from unlatch.lifecycle.resume import resume
from unlatch.lifecycle.resume_plan import ResumeRequest
from unlatch.project.trackers import Trackers
from unlatch.project.workspace import Workspace
from unlatch.spi.text import ops_in
from unlatch_sandbox import Fault
from unlatch_sandbox.jira import adf

RESUME = ("resume", "--all-matching", "status=completed", "--reason", REASON, "--yes")
# More than the eight that are changed at the same time.
_SEVERAL = 9


def add_issues(project: Project, number: int, *, home: str = "SCRUM") -> list[str]:
    """So many completed increments with a closed issue each; the keys of the issues."""
    keys = []
    for place in range(1, number + 1):
        status = "Done" if home == "SCRUM" else "Closed"
        key = project.box.jira.add_issue(project=home, summary=f"Number {place}", status=status)
        keys.append(key)
        url = f"{project.box.jira.site}/browse/{keys[-1]}"
        links = {"jira": {"issueKey": keys[-1], "url": url}}
        project.increment(f"{place:04d}-number", links=links)
    project.box.requests.clear()
    return keys


def count_requests(project: Project) -> dict[str, int]:
    """How many pages and single issues were read, and how many requests wrote."""
    sent = project.box.requests.entries("jira")
    pages = sum("bulkfetch" in one.path for one in sent)
    writes = sum(one.changes for one in sent)
    return {"pages": pages, "alone": len(sent) - pages - writes, "writes": writes}


def states(project: Project, keys: list[str]) -> list[str]:
    return [project.box.jira.issue(key)["fields"]["status"]["name"] for key in keys]


def comments(project: Project, keys: list[str]) -> list[int]:
    """How many comments with a marker each issue has."""
    found = [project.box.jira.comments(key) for key in keys]
    return [sum(bool(ops_in(adf.to_text(one["body"]))) for one in some) for some in found]


def assert_each_is_reopened_once(project: Project, keys: list[str]) -> None:
    assert ["In Progress"] * len(keys) == states(project, keys)
    assert [1] * len(keys) == comments(project, keys)
    names = sorted(folder.name for folder in project.increments.iterdir())
    assert [False] * len(names) == ["pending" in project.metadata(name) for name in names]


def test_each_issue_takes_two_requests_and_all_of_a_page_one(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unlatch_jira.plugin.PAGE", 4)  # it is 100
    keys = add_issues(project, 7)

    done = project.run(*RESUME)

    assert done.code == 0, done.said
    assert {"pages": 2, "alone": 0, "writes": 14} == count_requests(project)
    assert_each_is_reopened_once(project, keys)


def test_the_attempt_records_the_item_as_it_was_read(project: Project) -> None:
    keys = add_issues(project, 3)
    project.box.faults.add(Fault("jira", "drop-after", method="PUT", times=3))

    assert project.run(*RESUME).code == 3

    names = [f"{place:04d}-number" for place in (1, 2, 3)]
    noted = [project.metadata(name)["pending"][0]["attempt"]["before"] for name in names]
    assert ["Done"] * 3 == [before["state"] for before in noted]
    assert project.run("sync", "--yes").code == 0
    assert_each_is_reopened_once(project, keys)


PLACES: list[dict[str, Any]] = [{"path": "bulkfetch"}, {"path": "/transitions"}, {"method": "PUT"}]


@pytest.mark.sample
@pytest.mark.parametrize("place", PLACES, ids=["page", "transition", "edit"])
@pytest.mark.parametrize("effect", [False, True])
def test_a_run_that_dies_is_completed_by_the_next(
    project: Project, place: dict[str, Any], *, effect: bool
) -> None:
    keys, held = add_issues(project, 3), Held()
    project.box.faults.add(Fault("jira", "human", action=held, effect=effect, **place))

    kill_when_held(start(project, *RESUME), held)

    done = project.run("sync", "--yes")
    assert done.code == 0, done.said
    assert_each_is_reopened_once(project, keys)


@pytest.mark.sample
@pytest.mark.parametrize("place", PLACES, ids=["page", "transition", "edit"])
@pytest.mark.parametrize("kind", ["drop", "drop-after", "error-after", "truncate", "rate-limit"])
def test_a_fault_costs_nothing_but_a_further_sync(
    project: Project, place: dict[str, Any], kind: str
) -> None:
    keys = add_issues(project, 3)
    project.box.faults.add(Fault("jira", kind, times=2, **place))

    done = project.run(*RESUME)

    assert done.code in (0, 3), done.said
    assert 0 == project.run("sync", "--yes").code
    assert_each_is_reopened_once(project, keys)


def in_classic(project: Project) -> list[str]:
    project.box.jira.add_project("OLD", workflow="classic")
    project.configure(project.box.config().replace('"SCRUM"', '"OLD"'))
    return add_issues(project, 3, home="OLD")


def test_an_issue_that_a_person_moved_after_the_read_is_read_again(project: Project) -> None:
    keys = in_classic(project)
    project.box.faults.add(
        Fault(
            "jira",
            "human",
            path="bulkfetch",
            action=lambda: project.box.jira.edit(keys[1], status="In Progress"),
            effect=True,
        )
    )

    done = project.run(*RESUME)

    assert done.code == 0, done.said
    # The transition was refused: Jira offers others by now.
    assert ["Reopened", "In Progress", "Reopened"] == states(project, keys)
    assert [1, 1, 1] == comments(project, keys)


def test_without_a_page_each_issue_is_read_by_itself(project: Project) -> None:
    keys = add_issues(project, 4)
    project.box.faults.add(Fault("jira", "html", path="bulkfetch", times=20))

    done = project.run(*RESUME)

    assert done.code == 0, done.said
    assert 4 == count_requests(project)["alone"]
    assert_each_is_reopened_once(project, keys)


def prepared(project: Project, clock: Callable[[], float] = monotonic) -> DeliveryRun:
    """A run over all increments, which this process has just resumed."""
    workspace = Workspace(
        paths_at(project.root), environ=project.environ, user_config=project.home / "none.toml"
    )
    request = ResumeRequest(by="Dana", reason=REASON)
    names = [one.name for one in project.increments.iterdir()]
    fresh = frozenset().union(*(resume(workspace, name, request).fresh for name in names))
    return DeliveryRun(workspace, Trackers(workspace), fresh=fresh, clock=clock)


@pytest.mark.sample
@pytest.mark.parametrize("end", ["delivered", "answer lost"])
def test_what_another_process_does_after_the_read_is_not_done_again(
    project: Project, end: str
) -> None:
    keys = add_issues(project, _SEVERAL)
    run, last = prepared(project), f"{_SEVERAL:04d}-number"

    def deliver_elsewhere() -> None:
        if end == "answer lost":
            path = f"/issue/{keys[-1]}$"
            project.box.faults.add(Fault("jira", "drop-after", method="PUT", path=path))
        deliver_one(run.workspace, Trackers(run.workspace), last)

    # All but the last are in the hands of this run when the answer arrives.
    project.box.faults.add(
        Fault("jira", "human", path="bulkfetch", action=deliver_elsewhere, effect=True)
    )

    deliver(run, run.workspace.manager.read_all()[0], lambda *_: None)

    assert_each_is_reopened_once(project, keys)


def test_an_answer_that_is_too_old_is_not_used(project: Project) -> None:
    keys = add_issues(project, 4)
    minutes = count(step=60.0)

    run = prepared(project, lambda: next(minutes))
    deliver(run, run.workspace.manager.read_all()[0], lambda *_: None)

    assert {"pages": 1, "alone": 4, "writes": 8} == count_requests(project)
    assert_each_is_reopened_once(project, keys)
