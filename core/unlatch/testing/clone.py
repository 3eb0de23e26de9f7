"""A clone of a project with one increment that is linked to an item, and commands in it."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import tomlkit

from unlatch.delivery.dispatch import deliver
from unlatch.delivery.run import DeliveryRun
from unlatch.increments.files.checkout_notes import note_agreed
from unlatch.increments.files.outbox import enqueue
from unlatch.increments.files.paths import paths_at
from unlatch.increments.model.increment import Increment, Link
from unlatch.increments.model.status import Status
from unlatch.increments.records.link_edits import add_link
from unlatch.lifecycle.resume import resume
from unlatch.lifecycle.resume_plan import ResumeRequest
from unlatch.lifecycle.status_change import apply_change, plan_finish
from unlatch.project.workspace import Workspace, utc_now
from unlatch.spi.delivery_options import AS_CONFIGURED, DeliveryOptions
from unlatch.spi.operation import Kind, Operation
from unlatch.testing.fixture import Fixture, FixtureTrackers
from unlatch.values import dataclass
from unlatch.worklog.times import stamp

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch.delivery.task import Delivery
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
        done = apply_change(self.workspace, plan)
        return self._deliver(done.fresh, plugin)

    def create(self, *, plugin: SyncPlugin | None = None) -> list[Delivery]:
        """Create an item as `unlatch link --create` does."""
        workspace, target = self.workspace, self.fixture.settings.target or ""
        op, now = workspace.new_id(), workspace.clock()
        made = Operation(op, Kind.CREATE, self.fixture.manifest.name, target, now, _BY)
        enqueue(workspace.manager, INCREMENT, made)
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
        made: list[Delivery] = []
        increment = self.increment
        note_agreed(self.root, increment.data, [one.key for one in increment.pending])
        deliver(run, [increment], lambda _name, delivery: made.append(delivery))
        return made


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
