"""A clone of a project with an increment linked to an item, and checks of their final state."""

from __future__ import annotations

import json
import shutil
import traceback
from typing import TYPE_CHECKING, Any

import tomlkit

from unlatch.delivery.dispatch import deliver
from unlatch.delivery.run import DeliveryRun
from unlatch.increments.files.checkout_notes import note_agreed
from unlatch.increments.files.outbox import enqueue
from unlatch.increments.files.paths import paths_at
from unlatch.increments.model.link import Link
from unlatch.increments.model.status import Status
from unlatch.increments.records.link_edits import add_link
from unlatch.lifecycle.change import Place
from unlatch.lifecycle.finish import plan_finish
from unlatch.lifecycle.resume import resume
from unlatch.lifecycle.resume_plan import ResumeRequest
from unlatch.project.workspace import Workspace, utc_now
from unlatch.spi import Capability
from unlatch.spi.operation import AS_CONFIGURED, DeliveryOptions, Kind, Operation
from unlatch.testing.harness import Fixture, FixtureTrackers
from unlatch.values import dataclass
from unlatch.worklog.times import stamp

if TYPE_CHECKING:
    from collections.abc import Collection
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from unlatch.delivery.task import Delivery
    from unlatch.increments.model.increment import Increment
    from unlatch.spi import SyncPlugin
    from unlatch.spi.item import ItemRef


INCREMENT = "0007-kept-in-step"
REASON = "Bug discovered in error handling"
_BY = "the conformance kit"


@dataclass(frozen=True, slots=True)
class Clone:
    """One clone.

    Args:
        root: its folder.
    """

    fixture: Fixture
    root: Path

    @property
    def workspace(self) -> Workspace:
        """The project as a new process sees it."""
        return Workspace(
            paths_at(self.root),
            environ={},
            user_config=self.root / "none.toml",
            registry=self.fixture.registry,
        )

    @property
    def increment(self) -> Increment:
        """The increment as its files say."""
        return self.workspace.manager.read(INCREMENT)

    @property
    def delivered(self) -> int:
        """How many deliveries the increment's events record."""
        lines = (self.increment.folder / "events.jsonl").read_text(encoding="utf-8").splitlines()
        return sum(json.loads(line)["event"] == "delivered" for line in lines)

    def copied(self, name: str) -> Clone:
        """A fresh clone of the files in git."""
        root = self.root.with_name(f"{self.root.name}-{name}")
        shutil.copytree(self.root, root, ignore=shutil.ignore_patterns("local"))
        return Clone(self.fixture, root)

    def reopen(
        self, *, plugin: SyncPlugin | None = None, deliver_now: bool = True
    ) -> list[Delivery]:
        """Reopen the increment as `unlatch resume` does."""
        resumed = resume(self.workspace, INCREMENT, ResumeRequest(_BY, REASON))
        return self._deliver(resumed.fresh, plugin) if deliver_now else []

    def close(self, *, plugin: SyncPlugin | None = None) -> list[Delivery]:
        """Complete the increment as `unlatch complete` does."""
        plan = plan_finish(self.workspace, INCREMENT, Status.COMPLETED, by=_BY, reason=REASON)
        done = plan.apply(Place(self.workspace))
        return self._deliver(done.fresh, plugin)

    def create(self, *, plugin: SyncPlugin | None = None) -> list[Delivery]:
        """Create an item as `unlatch link --create` does."""
        workspace, target = self.workspace, self.fixture.settings.target or ""
        op, now = workspace.new_id(), workspace.clock()
        operation = Operation(op, Kind.CREATE, self.fixture.manifest.name, target, now, _BY)
        enqueue(workspace.manager, INCREMENT, operation)
        return self._deliver(frozenset({op}), plugin)

    def update(self, title: str, *, plugin: SyncPlugin | None = None) -> list[Delivery]:
        """Rename the increment, and update its item as `unlatch TRACKER update-issue` does."""
        workspace, (link,) = self.workspace, self.increment.links
        (self.increment.folder / "spec.md").write_text(f"# {title}\n", encoding="utf-8")
        op, now = workspace.new_id(), workspace.clock()
        enqueue(
            workspace.manager,
            INCREMENT,
            Operation(op, Kind.UPDATE, link.tracker, link.key, now, _BY),
        )
        return self._deliver(frozenset({op}), plugin)

    def sync(
        self, *, plugin: SyncPlugin | None = None, options: DeliveryOptions = AS_CONFIGURED
    ) -> list[Delivery]:
        """Deliver as `unlatch sync ID` does, blocked operations included."""
        return self._deliver(frozenset(), plugin, options)

    def _deliver(
        self,
        fresh: frozenset[str],
        plugin: SyncPlugin | None,
        options: DeliveryOptions = AS_CONFIGURED,
    ) -> list[Delivery]:
        workspace = self.workspace
        trackers = FixtureTrackers(workspace, self.fixture, plugin or self.fixture.plugin)
        run = DeliveryRun(workspace, trackers, options=options, fresh=fresh, named=not fresh)
        deliveries: list[Delivery] = []
        increment = self.increment
        note_agreed(self.root, increment.data, [operation.key for operation in increment.pending])
        deliver(run, [increment], lambda _name, delivery: deliveries.append(delivery))
        return deliveries


def make_clone(fixture: Fixture, *, finished: bool, title: str, item: ItemRef | None) -> Clone:
    """A project with one increment.

    Args:
        finished: whether it is completed, or active.
        item: the linked item, or None.
    """
    clone = Clone(fixture, fixture.folder / title.rpartition(" ")[2])
    paths = paths_at(clone.root)
    folder = paths.increments / INCREMENT
    folder.mkdir(parents=True)
    table = {"trackers": {fixture.manifest.name: fixture.table}}
    paths.config.write_text(tomlkit.dumps(table), encoding="utf-8")
    (folder / "spec.md").write_text(f"# {title}\n", encoding="utf-8")
    content = json.dumps(_content(fixture, finished=finished, item=item), indent=2)
    (folder / "metadata.json").write_text(content + "\n", encoding="utf-8")
    return clone


def _content(fixture: Fixture, *, finished: bool, item: ItemRef | None) -> dict[str, Any]:
    now = stamp(utc_now())
    content: dict[str, Any] = {
        "id": INCREMENT,
        "status": "completed" if finished else "active",
        "type": "feature",
        "created": now,
        "lastActivity": now,
        **({"completedAt": now} if finished else {}),
    }
    if item is not None:
        add_link(content, Link(item.tracker, item.id, item.url), fixture.manifest.link)
    return content


# A label that a person added before.
KEPT = "kept"


@dataclass(frozen=True, slots=True)
class Transition:
    """The effect of an operation on an item.

    Args:
        opens: whether the item is open afterwards, and closed before, or the reverse.
        before: our label before.
        after: our label afterwards.
    """

    operation: Kind
    opens: bool
    before: str
    after: str


REOPEN = Transition(Kind.REOPEN, opens=True, before="completed", after="reopened")
CLOSE = Transition(Kind.CLOSE, opens=False, before="reopened", after="completed")


def check_item(
    fixture: Fixture,
    item: ItemRef,
    transition: Transition,
    *,
    differing: Collection[str] = (),
    where: str,
) -> None:
    """Check the item on the server, without the plugin.

    Args:
        differing: labels that may be there in addition, or missing.
    """
    harness = fixture.harness
    assert transition.opens == harness.is_open(item.id), f"{where}: the item's state"
    said = sum(REASON in text for text in harness.comments(item.id))
    assert said == 1, f"{where}: {said} comments"
    check_labels(
        fixture, item, {KEPT, transition.after} ^ {*differing}, where=f"{where}: the labels"
    )


def check_labels(
    fixture: Fixture, item: ItemRef, expected: AbstractSet[str], *, where: str
) -> None:
    """Check that an item has exactly these labels, ignoring case, if the tracker has labels."""
    if fixture.can(Capability.LABELS):
        there = {label.casefold() for label in fixture.harness.labels(item.id)}
        assert expected == there, where


def check_order(fixture: Fixture, item: ItemRef, *texts: str, where: str) -> None:
    """Check that an item's body has each of these texts once, in this order."""
    body = fixture.harness.body(item.id)
    counts = {text: body.count(text) for text in texts}
    assert dict.fromkeys(texts, 1) == counts, f"{where}: the texts in the body"
    assert [*texts] == sorted(texts, key=body.index), f"{where}: the order of the texts"


def check_files(clone: Clone, item: ItemRef, transition: Transition, *, where: str) -> None:
    """Check the increment's files."""
    increment = clone.increment
    assert increment.pending == (), f"{where}: still pending"
    based = [link.base is not None for link in increment.links]
    assert based == [True], f"{where}: the base of the link"
    assert clone.delivered == 1, f"{where}: {clone.delivered} deliveries are recorded"
    if transition.opens:
        (entry,) = increment.reopens
        reached = [synced.url for synced in entry.synced_to]
        assert reached == [item.url], f"{where}: syncedTo"


def check_no_secret(fixture: Fixture, error: BaseException, where: str) -> None:
    """Check that no visible part of an error contains the credential."""
    texts = [*traceback.format_exception(error), repr(error), repr(vars(error))]
    for form in fixture.credential.forms:
        assert not any(form in text for text in texts), f"{where}: the error shows the secret"
