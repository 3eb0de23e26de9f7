"""A clone of a project whose one increment is linked to an item, and unlatch at work in it."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import tomlkit

from unlatch.domain.increment import Link
from unlatch.domain.operation import Kind
from unlatch.domain.status import Status
from unlatch.domain.times import stamp
from unlatch.engine.deliver import Job, deliver
from unlatch.engine.finish import finish
from unlatch.engine.linking import owe_operation
from unlatch.engine.progress import quiet
from unlatch.engine.resume import resume
from unlatch.engine.workspace import Workspace, utc_now
from unlatch.store.layout import layout_at
from unlatch.store.links import add_link
from unlatch.testing.bench import Bench, BenchTrackers

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch.domain.increment import Increment
    from unlatch.domain.item import ItemRef
    from unlatch.engine.progress import Delivery
    from unlatch.spi import SyncPlugin

INCREMENT = "0007-kept-in-step"
REASON = "Bug discovered in error handling"
_BY = "the conformance kit"


@dataclass(frozen=True, slots=True)
class Clone:
    """One clone.

    Args:
        root: its folder.
    """

    bench: Bench
    root: Path

    @property
    def workspace(self) -> Workspace:
        """The project as a new process sees it."""
        return Workspace(
            layout_at(self.root),
            environ={},
            user_config=self.root / "none.toml",
            registry=self.bench.registry,
        )

    @property
    def increment(self) -> Increment:
        """The increment as its files say."""
        return self.workspace.manager.read(INCREMENT)

    @property
    def delivered(self) -> int:
        """How many deliveries the increment's events tell of."""
        lines = (self.increment.folder / "events.jsonl").read_text(encoding="utf-8").splitlines()
        return sum(json.loads(line)["event"] == "delivered" for line in lines)

    def copied(self, name: str) -> Clone:
        """A fresh clone of what is in git."""
        root = self.root.with_name(f"{self.root.name}-{name}")
        shutil.copytree(self.root, root, ignore=shutil.ignore_patterns("local"))
        return Clone(self.bench, root)

    def reopen(
        self, *, plugin: SyncPlugin | None = None, deliver_now: bool = True
    ) -> list[Delivery]:
        """What `unlatch resume` does."""
        resumed = resume(self.workspace, INCREMENT, reason=REASON, by=_BY)
        return self._deliver(resumed.fresh, plugin) if deliver_now else []

    def close(self, *, plugin: SyncPlugin | None = None) -> list[Delivery]:
        """What `unlatch complete` does."""
        done = finish(self.workspace, INCREMENT, Status.COMPLETED, by=_BY, reason=REASON)
        return self._deliver(done.fresh, plugin)

    def create(self, *, plugin: SyncPlugin | None = None) -> list[Delivery]:
        """What `unlatch link --create` does."""
        made = owe_operation(
            self.workspace,
            self.increment,
            Kind.CREATE,
            tracker=self.bench.manifest.name,
            item=self.bench.settings.target or "",
            by=_BY,
        )
        return self._deliver(frozenset({made.op}), plugin)

    def sync(
        self, *, plugin: SyncPlugin | None = None, even_if_deliberate: bool = False
    ) -> list[Delivery]:
        """What `unlatch sync` does."""
        return self._deliver(frozenset(), plugin, even_if_deliberate=even_if_deliberate)

    def _deliver(
        self,
        fresh: frozenset[str],
        plugin: SyncPlugin | None,
        *,
        even_if_deliberate: bool = False,
    ) -> list[Delivery]:
        workspace = self.workspace
        trackers = BenchTrackers(workspace, self.bench, plugin or self.bench.plugin)
        job = Job(fresh, even_if_deliberate=even_if_deliberate)
        return deliver(workspace, trackers, INCREMENT, job, report=quiet)


def make_clone(bench: Bench, *, finished: bool, title: str, item: ItemRef | None) -> Clone:
    """A project with one increment.

    Args:
        finished: whether it is completed, or active.
        item: what it is linked to; None for nothing.
    """
    clone = Clone(bench, bench.folder / title.rpartition(" ")[2])
    layout = layout_at(clone.root)
    folder = layout.increments / INCREMENT
    folder.mkdir(parents=True)
    table = {"trackers": {bench.manifest.name: bench.table}}
    layout.config.write_text(tomlkit.dumps(table), encoding="utf-8")
    (folder / "spec.md").write_text(f"# {title}\n", encoding="utf-8")
    content = json.dumps(_content(bench, finished=finished, item=item), indent=2)
    (folder / "metadata.json").write_text(content + "\n", encoding="utf-8")
    return clone


def _content(bench: Bench, *, finished: bool, item: ItemRef | None) -> dict[str, Any]:
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
        add_link(content, Link(item.tracker, item.id, item.url), bench.manifest.link)
    return content
