"""At the end of a command's time no further request of many changes begins."""

from functools import partial

import pytest
from tests.cli.project import Project
from tests.cli.work.test_bulk import COMPLETED, many, said
from tests.delivery.test_breaker import attempted, pending, skipping

from unlatch.transport.testing import SkippingClock
from unlatch_ado.plugin import AdoPlugin
from unlatch_sandbox import Fault

__all__ = ["skipping"]
COUNT = 9
TOGETHER = 3
IN_TIME = ("--max-time", "60", "--max-items", str(COUNT))


@pytest.fixture
def recorded(project: Project, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Nine increments to reopen; one request changes three work items."""
    names = many(project, COUNT)
    monkeypatch.setattr(AdoPlugin, "writes_together", TOGETHER)
    return names


def batches(project: Project) -> int:
    return sum("$batch" in one.path for one in project.box.requests.entries())


def test_the_request_that_is_under_way_is_recorded_and_no_further_one_begins(
    project: Project, recorded: list[str], skipping: SkippingClock
) -> None:
    wait = partial(skipping.sleep, 100.0)
    slow = Fault("ado", "human", path="batch\\?", method="PATCH", action=wait, effect=True)
    project.box.faults.add(slow)

    done = project.run(*COMPLETED, *IN_TIME)

    left = pending(project, recorded)
    assert (3, 1, COUNT - TOGETHER) == (done.code, batches(project), len(left)), done.said
    assert 0 == attempted(project, recorded)
    assert "out-of-time" in done.out
    assert TOGETHER == sum(said(project, range(1, COUNT + 1)))
    assert 0 == project.run("sync").code
    assert [1] * COUNT == said(project, range(1, COUNT + 1))


def test_a_request_whose_attempts_are_noted_is_sent(
    project: Project,
    recorded: list[str],
    skipping: SkippingClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_many = AdoPlugin.write_many

    def late(plugin: AdoPlugin, wanted: object) -> object:
        skipping.sleep(100.0)
        return write_many(plugin, wanted)  # type: ignore[arg-type]

    monkeypatch.setattr(AdoPlugin, "write_many", late)

    done = project.run(*COMPLETED, *IN_TIME)

    assert (3, COUNT - TOGETHER) == (done.code, len(pending(project, recorded))), done.said
    assert (0, TOGETHER) == (attempted(project, recorded), sum(said(project, range(1, COUNT + 1))))
