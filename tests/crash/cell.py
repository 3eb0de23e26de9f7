"""One cell of the fault matrix: a project with one item, an operation, and its result."""

from __future__ import annotations

import json
import shutil
from copy import copy
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.changes import undo
from tests.crash.delivering import deliver_one
from tests.crash.items import Items
from tests.crash.sweep import different

from unlatch.delivery.task import Delivery
from unlatch.increments.files.outbox import enqueue
from unlatch.increments.files.paths import items_at, paths_at
from unlatch.increments.model.status import Status
from unlatch.lifecycle.change import Place
from unlatch.lifecycle.finish import plan_finish
from unlatch.lifecycle.items.change import ItemRequest, locate_items, plan_items
from unlatch.lifecycle.resume import resume
from unlatch.lifecycle.resume_plan import ResumeRequest
from unlatch.project.registry import Registry
from unlatch.project.trackers import Trackers
from unlatch.project.workspace import Workspace
from unlatch.spi.operation import Kind, Operation
from unlatch.transport import TransportOptions
from unlatch.transport.testing import SkippingClock
from unlatch.worklog.disk.user_files import requests_folder, state_folder
from unlatch_sandbox import Sandbox

INCREMENT = "0007-smart-discipline"
REASON, UNDONE = "Bug discovered in error handling", "Reopened the wrong one"
# A person's labels, from before and from in between, and the title that a person gives.
KEPT, MINE, RENAMED = "ours", "urgent", " (renamed)"
PATIENT = 30.0
# The longest limit that a blow asks for is over by then.
_LIMITED = timedelta(minutes=15)
_REGISTRY = Registry()


@dataclass(frozen=True)
class Aim:
    """The effect of an operation.

    Args:
        is_open: whether the item is open in the end; it begins on the other side.
        before: our label that it begins with; None where there is no item yet.
        after: our label that it ends with.
        status: the increment's in the end.
        result: the result in the event.
        of_item: whether it is about an item that belongs to no increment.
    """

    kind: Kind
    is_open: bool
    before: str | None
    after: str | None
    status: str
    result: str
    of_item: bool = False


AIMS = {
    "reopen": Aim(
        Kind.REOPEN,
        is_open=True,
        before="completed",
        after="reopened",
        status="active",
        result="reopened",
    ),
    "close": Aim(
        Kind.CLOSE,
        is_open=False,
        before="reopened",
        after="completed",
        status="completed",
        result="closed",
    ),
    "create": Aim(
        Kind.CREATE, is_open=True, before=None, after=None, status="active", result="created"
    ),
}
AIMS |= {f"{name}-item": replace(AIMS[name], of_item=True) for name in ("reopen", "close")}


class _Trackers(Trackers):
    """Trackers that wait for nothing but an answer."""

    def __init__(self, workspace: Workspace, read_seconds: float) -> None:
        clock, timeouts = SkippingClock(), (5.0, read_seconds)
        super().__init__(
            workspace, TransportOptions(timeouts=timeouts, clock=clock, sleep=clock.sleep)
        )

    def pause(self, name: str, seconds: float, why: str) -> None:
        """Nothing is pending, except effects later than any settle time."""


class Cell:
    """A project with one increment, and the one item that it is about.

    Args:
        root: the project's folder, which is made.
        number: tells this cell's item from those of other cells.
    """

    def __init__(self, box: Sandbox, tracker: str, aim: Aim, root: Path, number: int) -> None:
        self.box, self.tracker, self.aim, self.root = box, tracker, aim, root
        self.items = Items(box, tracker)
        self.title = f"Smart discipline {number}"
        self.labels = {KEPT} if aim.before else set()
        self._made: str | None = None
        if aim.before:
            self._made = self.items.make(
                self.title, is_open=not aim.is_open, labels=(KEPT, aim.before)
            )
        self._write_project()

    def _write_project(self) -> None:
        (self.root / ".unlatch").mkdir(parents=True)
        (self.root / ".unlatch" / "config.toml").write_text(self.box.config())
        if self.aim.of_item:
            return
        folder = self.folder
        folder.mkdir(parents=True)
        (folder / "spec.md").write_text(f"# {self.title}\n")
        status = "completed" if self.aim.kind is Kind.REOPEN else "active"
        data = {
            "id": INCREMENT,
            "status": status,
            "type": "feature",
            "created": "2025-11-01T09:00:00Z",
            "lastActivity": "2025-11-04T09:00:00Z",
            **({"completedAt": "2025-11-04T09:00:00Z"} if status == "completed" else {}),
            **({self.tracker: self.items.link(self._made)} if self._made else {}),
        }
        (folder / "metadata.json").write_text(json.dumps(data, indent=2))

    @property
    def folder(self) -> Path:
        if self.aim.of_item:
            (record,) = (self.root / ".unlatch" / "items").iterdir()
            return record
        return self.root / ".unlatch" / "increments" / INCREMENT

    @property
    def has_records(self) -> bool:
        """Whether anything is recorded about items alone."""
        return any((self.root / ".unlatch" / "items").glob("*/metadata.json"))

    @property
    def metadata(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "metadata.json").read_bytes())
        return found

    @property
    def pending(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.metadata.get("pending", [])
        return found

    # A person

    def rename(self) -> None:
        """Give the item another title, once there is one."""
        for item in self.items.titled(self.title):
            self.title += RENAMED
            self.items.rename(item, self.title)

    def label(self) -> None:
        """Give the item a label, once there is one."""
        for item in self.items.titled(self.title):
            self.labels.add(MINE)
            self.items.label(item, MINE)

    # unlatch

    def act(self, read_seconds: float = PATIENT) -> Delivery:
        """Act as `unlatch resume`, `complete` or `link --create`."""
        fresh = self.enqueue()
        (delivery,) = self._deliver(self._workspace(), read_seconds, fresh)
        return delivery

    def enqueue(self) -> frozenset[str]:
        """Act as these with `--offline`; returns the ids of the operations."""
        workspace = self._workspace()
        if self.aim.of_item:
            return self._record_item(workspace)
        if self.aim.kind is Kind.REOPEN:
            return resume(workspace, INCREMENT, ResumeRequest(by="Dana", reason=REASON)).fresh
        if self.aim.kind is Kind.CLOSE:
            plan = plan_finish(workspace, INCREMENT, Status.COMPLETED, by="Dana", reason=REASON)
            return plan.apply(Place(workspace)).fresh
        return frozenset({self._enqueue_create(workspace)})

    def take_back(self, reason: str) -> None:
        """Act as `unlatch undo --offline`."""
        undo(self._workspace().manager, INCREMENT, by="Dana", reason=reason)

    def undo(self) -> list[Delivery]:
        """Act as `unlatch undo`."""
        self.take_back(UNDONE)
        fresh = frozenset(operation["op"] for operation in self.pending)
        return self._deliver(self._workspace(later=_LIMITED), PATIENT, fresh)

    def sync(self) -> list[Delivery]:
        """Act as `unlatch sync 7` in a new process, after all limits have ended."""
        return self._deliver(self._workspace(later=_LIMITED), PATIENT)

    def cloned(self) -> Cell:
        """The same project as it is now, in another place."""
        there = copy(self)
        there.root = self.root.with_name(f"{self.root.name}-clone")
        shutil.copytree(self.root, there.root)
        return there

    def forget_local(self) -> None:
        """Delete local state."""
        shutil.rmtree(state_folder(self.root))

    def _record_item(self, workspace: Workspace) -> frozenset[str]:
        trackers, url = Trackers(workspace), self.items.link(self._made or "")["url"]
        request = ItemRequest(self.aim.kind, "Dana", REASON)
        plans = plan_items(workspace, trackers, locate_items(trackers, [url]), request)
        place = Place(workspace, trackers)
        return frozenset(op for one in plans for op in one.apply(place).fresh)

    def _enqueue_create(self, workspace: Workspace) -> str:
        target = workspace.settings[self.tracker].target or ""
        manager = workspace.manager
        create = Operation(
            workspace.new_id(), Kind.CREATE, self.tracker, target, workspace.clock(), "Dana"
        )
        enqueue(manager, INCREMENT, create)
        return create.op

    def _deliver(
        self, workspace: Workspace, read_seconds: float, fresh: frozenset[str] = frozenset()
    ) -> list[Delivery]:
        return deliver_one(workspace, _Trackers(workspace, read_seconds), self.folder.name, fresh)

    def _workspace(self, later: timedelta = timedelta()) -> Workspace:
        if later and (waits := requests_folder()):  # the machine's own clock stays
            shutil.rmtree(waits, ignore_errors=True)
        return Workspace(
            (items_at if self.aim.of_item else paths_at)(self.root),
            clock=lambda: datetime.now(UTC) + later,
            environ=self.box.environ(),
            user_config=self.root / "none.toml",
            registry=_REGISTRY,
        )

    # What is left

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events of deliveries."""
        lines = (self.folder / "events.jsonl").read_text().splitlines()
        return [event for event in map(json.loads, lines) if event["event"] == "delivered"]

    def problems(self, *, copies: int = 1, alone: bool = True) -> list[str]:
        """Everything that is not as it should be after an operation that got through.

        Args:
            copies: how many copies of the comment, or of a new item, may be there.
            alone: whether no other clone delivered it too.
        """
        made = [self._made] if self._made else self.items.titled(self.title)
        if not 1 <= len(made) <= copies:
            return [f"items: {made}"]
        linked = [one for one in made if self.items.link(one)["url"] == self._linked_url]
        if len(linked) != 1:
            return [f"linked: {self._linked_url}"]
        facts = {**self._item_facts(linked[0], copies), **self._file_facts(linked[0])}
        if alone:
            facts |= self._event_facts()
        return different(facts)

    def undo_problems(self, deliveries: list[Delivery]) -> list[str]:
        """The mistakes after an undo of a partial delivery."""
        item = self._made or ""
        view = self.items.view(item)
        (delivery,) = deliveries
        if delivery.undecided is not None:
            return [] if view.open else [f"undecided, and closed: {delivery.undecided}"]
        said = [UNDONE in comment.text for comment in view.comments]
        return different(
            {
                "undo's error": (None, delivery.error),
                "undo pending": ([], self.pending),
                "undo's open": (self.aim.kind is not Kind.REOPEN, view.open),
                "undo's labels": (
                    sorted({*self.labels, str(self.aim.before)}),
                    sorted(view.labels),
                ),
                "undo's comments": (1, said.count(True)),
            }
        )

    @property
    def _linked_url(self) -> str | None:
        found: str | None = self.metadata.get(self.tracker, {}).get("url")
        return found

    def _item_facts(self, item: str, copies: int) -> dict[str, tuple[Any, Any]]:
        view = self.items.view(item)
        said = [REASON in comment.text for comment in view.comments]
        fits = not said if self.aim.kind is Kind.CREATE else 1 <= len(said) <= copies
        wanted = {*self.labels, *filter(None, [self.aim.after])}
        # A refused label is recorded; whether it is there may be as before.
        refused = {label for event in self.events for label in event.get("labelsRefused", [])}
        return {
            "open": (self.aim.is_open, view.open),
            "title": (self.title, view.title),
            "comments": (True, fits and all(said)),
            "labels": (sorted(wanted - refused), sorted(set(view.labels) - refused)),
        }

    def _file_facts(self, item: str) -> dict[str, tuple[Any, Any]]:
        metadata, link = self.metadata, self.items.link(item)
        history = metadata.get("reopenHistory", [])
        reopened = self.aim.kind is Kind.REOPEN
        block = metadata.get(self.tracker, {})
        return {
            "status": (self.aim.status, metadata["status"]),
            "pending": ([], metadata.get("pending", [])),
            "link": (link, {name: block.get(name) for name in link}),
            "base": (self.aim.status, block.get("base", {}).get("local")),
            "reasons": ([REASON] if reopened else [], [entry["reason"] for entry in history]),
            "synced to": (
                [{self.tracker: link["url"]}] if reopened else [],
                [_urls(entry["syncedTo"]) for entry in history],
            ),
            "delivered": ([self.aim.kind.value], [event["kind"] for event in self.events]),
        }

    def _event_facts(self) -> dict[str, tuple[Any, Any]]:
        """The item in the event: before the first attempt, and after."""
        (event,) = self.events[-1:] or [{}]
        before, after = event.get("before") or {}, event.get("after") or {}
        was_open = None if self.aim.before is None else before.get("category") != "done"
        labels = set(before.get("labels", [])) - {MINE}
        return {
            "result": (self.aim.result, event.get("result")),
            "before": (None if self.aim.before is None else not self.aim.is_open, was_open),
            "labels before": (
                set(filter(None, [self.aim.before and KEPT, self.aim.before])),
                labels,
            ),
            "after": (self.aim.is_open, after.get("category") != "done"),
        }


def _urls(synced: dict[str, dict[str, Any]]) -> dict[str, str]:
    return {
        tracker: value
        for tracker, block in synced.items()
        for name, value in block.items()
        if name.endswith("Url")
    }
