"""The use case of sync, and the person that an event names."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.cli.project import Project
from tests.cli.trackers.test_sync import by_hand, writes
from tests.sync.test_compare import COMPLETED, PULL, compared

from unlatch.delivery.task import Delivery
from unlatch.errors import UsageError
from unlatch.increments.files.paths import paths_at
from unlatch.increments.model.increment import Increment
from unlatch.project.trackers import Trackers
from unlatch.project.workspace import Workspace
from unlatch.spi import ItemEvent
from unlatch.spi.operation import Category, DeliveryOptions
from unlatch.sync.compare import Compared, Verdict
from unlatch.sync.ingest import MatchedEvent, attribute_change
from unlatch.sync.plan import Move, SyncPlan, make_plan
from unlatch.sync.sync import Sync, SyncOptions, SyncResult, preview


class Listener:
    """Answers each question alike, and records the reports."""

    def __init__(self, answer: Verdict | None = None) -> None:
        self.answer = answer
        self.events: list[str] = []

    def agree(self, increments: Sequence[Increment]) -> None:
        """Every operation here is this user's own."""

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
    return Sync(workspace, trackers, options or SyncOptions(), lambda: "Dana", listener).run()


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


NOW = datetime(2026, 1, 1, tzinfo=UTC)
ONE = compared(1, PULL, increment=replace(COMPLETED, completed_at=NOW))
assert ONE.seen.item is not None
REF = ONE.seen.item.ref
EVENT = ItemEvent("reopened", REF.url, by="Dana", at=NOW, category=Category.DOING)


@pytest.mark.parametrize(
    ("change", "account", "name"),
    [
        ({}, None, "Dana"),
        ({"by": None}, None, "unknown user"),
        ({"by": "\x1b \n"}, None, "unknown user"),
        ({"category": None}, None, "unknown user"),
        ({"category": Category.DONE}, None, "unknown user"),
        ({"at": NOW - timedelta(seconds=1)}, None, "unknown user"),
        # The tracker's account stays where the event does not explain the state.
        ({"at": NOW - timedelta(seconds=1)}, "Erin", "Erin"),
    ],
)
def test_a_move_is_by_the_author_of_the_event_that_explains_it(
    change: dict[str, Any], account: str | None, name: str
) -> None:
    seen = compared(1, PULL, increment=ONE.increment, by=account)
    matched = MatchedEvent("github", replace(EVENT, **change), REF)
    (move,) = attribute_change(make_plan([seen]), matched).moves
    assert name == move.by


def test_an_event_about_another_item_names_no_one() -> None:
    url = REF.url.replace("/1", "/2")
    matched = MatchedEvent("github", EVENT, replace(REF, id="2", url=url))
    (move,) = attribute_change(make_plan([ONE]), matched).moves
    assert "unknown user" == move.by
