"""A tracker that is down gets few requests, and its other operations stay as they are."""

from functools import partial
from typing import Any

import pytest
from tests.cli.project import Project
from tests.cli.work.test_bulk import COMPLETED, many
from tests.delivery.stage import ALL

from unlatch import transport
from unlatch.transport.testing import SkippingClock
from unlatch_sandbox import Fault


@pytest.fixture
def skipping(monkeypatch: pytest.MonkeyPatch) -> SkippingClock:
    """The clock of the requests of `Project.run`."""
    clock = SkippingClock()
    made = partial(transport.TransportOptions, clock=clock, sleep=clock.sleep)
    monkeypatch.setattr(transport, "TransportOptions", made)
    return clock


MANY = 21  # the output counts the rest of more than twenty
COUNT = 16  # twice as many as are served at the same time
AGREED = ("--max-items", str(MANY))
MOST = 5


def offline(project: Project, tracker: str, count: int = COUNT) -> list[str]:
    def build(project: Project) -> None:
        many(project, count, tracker=tracker)
        assert project.run(*COMPLETED, *AGREED, "--offline").code == 0

    project.enter(f"{count} offline on {tracker}", build)
    return sorted(folder.name for folder in project.increments.iterdir())


def pending(project: Project, names: list[str]) -> list[dict[str, Any]]:
    return [one for name in names for one in project.metadata(name).get("pending", [])]


def comments(project: Project) -> list[int]:
    """How many comments each issue of Jira has."""
    return [len(project.box.jira.comments(f"SCRUM-{n}")) for n in range(1, COUNT + 1)]


def attempted(project: Project, names: list[str]) -> int:
    return sum("attempt" in one for one in pending(project, names))


@pytest.mark.sweep
@pytest.mark.parametrize("tracker", ALL)
@pytest.mark.usefixtures("skipping")
def test_a_tracker_that_is_down_gets_five_requests_at_most(project: Project, tracker: str) -> None:
    names = offline(project, tracker, MANY)
    project.box.faults.add(Fault(tracker, "status", code=503, times=999))

    done = project.run("sync", *AGREED, "--yes")

    assert (3, MANY) == (done.code, len(pending(project, names))), done.said
    assert project.box.requests.count(tracker) <= MOST
    assert attempted(project, names) <= 3
    assert f"{MANY - 3} more items likewise [tracker-unavailable]" in done.out
    assert 1 == done.out.count("503")

    project.box.faults.clear()
    assert project.run("sync", *AGREED, "--yes").code == 0


@pytest.mark.sample
@pytest.mark.parametrize("code", [401, 502])
def test_writes_that_the_server_fails_are_not_sent_for_each_item(
    project: Project, code: int
) -> None:
    names = offline(project, "github")
    project.box.faults.add(
        Fault("github", "status", method="PATCH", path="/issues/", code=code, times=999)
    )

    done = project.run("sync", *AGREED, "--yes")

    assert (3, COUNT) == (done.code, len(pending(project, names))), done.said
    # Eight items at most are served at the same time.
    assert len(project.wrote()) <= 3 + 8
    assert attempted(project, names) <= 3 + 8
