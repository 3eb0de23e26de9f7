"""The use case of sync: it reports to its listener, asks it, and returns the result."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.cli.project import NAME, Project
from tests.cli.trackers.test_sync import by_hand, writes

from unlatch.errors import UsageError
from unlatch.increments.files.paths import paths_at
from unlatch.project.trackers import Trackers
from unlatch.project.workspace import Workspace
from unlatch.spi.delivery_options import DeliveryOptions
from unlatch.sync.compare import Verdict
from unlatch.sync.sync import Sync, SyncOptions, SyncResult, preview

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from unlatch.delivery.task import Delivery
    from unlatch.increments.model.increment import Increment
    from unlatch.sync.compare import Compared
    from unlatch.sync.plan import Move, SyncPlan


class Listener:
    """Answers each question alike, and records the reports."""

    def __init__(self, answer: Verdict | None = None) -> None:
        self.answer = answer
        self.events: list[str] = []

    @contextmanager
    def delivering(
        self, increments: Sequence[Increment], operations: int
    ) -> Iterator[Callable[[str, Delivery], None]]:
        def report(name: str, delivery: Delivery) -> None:
            self.events.append(f"delivered {delivery.operation.tracker} of {name}")

        self.events.append(f"delivering {operations} of {len(increments)}")
        yield report

    def applied(self, plan: SyncPlan, moved: Sequence[Move], other_branch: str | None) -> None:
        self.events.append(f"applied {len(moved)}")

    def choose(self, one: Compared) -> Verdict | None:
        self.events.append(f"asked about {one.link.tracker}")
        return self.answer


def opened(project: Project) -> tuple[Workspace, Trackers]:
    paths = paths_at(project.root)
    workspace = Workspace(paths, environ=project.environ, user_config=project.home / "none.toml")
    return workspace, Trackers(workspace)


def synced(project: Project, listener: Listener, options: SyncOptions | None = None) -> SyncResult:
    workspace, trackers = opened(project)
    return Sync(workspace, trackers, options or SyncOptions(), "Dana", listener).run()


def test_an_answer_to_follow_the_item_completes_the_increment(in_step: Project) -> None:
    by_hand(in_step, "github", opens=False)
    listener = Listener(Verdict.PULL)

    result = synced(in_step, listener)

    assert ["completed"] == [one.to for one in result.moved]
    assert "completed" == in_step.metadata()["status"]
    assert [
        "delivering 0 of 0",
        "asked about github",
        "applied 1",
        "delivering 2 of 1",
        f"delivered ado of {NAME}",
        f"delivered jira of {NAME}",
    ] == listener.events


def test_an_answer_to_follow_the_increment_reopens_the_item(in_step: Project) -> None:
    by_hand(in_step, "github", opens=False)

    result = synced(in_step, Listener(Verdict.PUSH))

    assert () == result.moved
    assert "open" == in_step.box.github.issue("octo/widgets", 4)["state"]
    assert [0] == [one.left for one in result.delivered]


@pytest.mark.parametrize("answer", [None, Verdict.DRIFT])
def test_without_a_decision_nothing_is_sent(in_step: Project, answer: Verdict | None) -> None:
    by_hand(in_step, "github", opens=False)

    result = synced(in_step, Listener(answer))

    assert [] == writes(in_step)
    assert (answer is None) is result.plan.is_unresolved


def test_a_preview_writes_nothing_and_lists_each_request(in_step: Project) -> None:
    before = in_step.tree()
    in_step.run("complete", "7", "--offline")
    after = in_step.tree()
    workspace, trackers = opened(in_step)

    found = preview(workspace, trackers, SyncOptions(), by="Dana", requests=True)

    assert before != after == in_step.tree()
    assert [] == writes(in_step)
    assert found.plan.has_drift


def test_blocked_operations_are_tried_again_only_if_something_was_named() -> None:
    named = [SyncOptions(ids=("7",)), SyncOptions(DeliveryOptions(follow=True))]

    assert [True, True] == [one.retries_blocked for one in named]
    assert not SyncOptions(max_items=5, force=True).retries_blocked


def test_more_items_than_allowed_are_refused_before_anything_is_sent(in_step: Project) -> None:
    in_step.run("complete", "7", "--offline")
    listener = Listener()

    with pytest.raises(UsageError) as raised:
        synced(in_step, listener, SyncOptions(max_items=2))

    assert ("too-many-items", [], []) == (raised.value.id, listener.events, writes(in_step))
