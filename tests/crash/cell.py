"""One cell of the fault matrix: a project with one item, unlatch at work, and what is left."""

from __future__ import annotations

import json
import shutil
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.crash.items import Items

from unlatch.domain.operation import Kind
from unlatch.domain.status import Status
from unlatch.engine.deliver import Job, deliver
from unlatch.engine.finish import finish
from unlatch.engine.linking import owe_operation
from unlatch.engine.progress import quiet
from unlatch.engine.registry import Registry, load_plugin
from unlatch.engine.resume import resume
from unlatch.engine.trackers import Trackers
from unlatch.engine.workspace import Workspace
from unlatch.store.layout import layout_at
from unlatch.store.locks import prepare_local
from unlatch.store.undoing import undo
from unlatch.transport import Transport
from unlatch.transport.credentials import find_credential
from unlatch.transport.rehearsal import SkippingClock

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch.engine.progress import Delivery
    from unlatch.sandbox import Sandbox
    from unlatch.spi import SyncPlugin

INCREMENT = "0007-smart-discipline"
REASON = "Bug discovered in error handling"
# A person's labels, from before and from in between, and the title that a person gives.
KEPT, MINE, RENAMED = "ours", "urgent", " (renamed)"
PATIENT = 30.0
_REGISTRY = Registry()


@dataclass(frozen=True)
class Aim:
    """What an operation brings about.

    Args:
        is_open: whether the item is open in the end; it begins on the other side.
        before: our label that it begins with; None where there is no item yet.
        after: our label that it ends with.
        status: the increment's in the end.
    """

    kind: Kind
    is_open: bool
    before: str | None
    after: str | None
    status: str


AIMS = {
    "reopen": Aim(Kind.REOPEN, is_open=True, before="completed", after="reopened", status="active"),
    "close": Aim(
        Kind.CLOSE, is_open=False, before="reopened", after="completed", status="completed"
    ),
    "create": Aim(Kind.CREATE, is_open=True, before=None, after=None, status="active"),
}


class _Trackers(Trackers):
    """Trackers that wait for nothing but an answer."""

    def __init__(self, workspace: Workspace, read_seconds: float) -> None:
        super().__init__(workspace)
        self._read_seconds = read_seconds
        self._plugins: dict[str, SyncPlugin] = {}

    def open(self, name: str) -> SyncPlugin:
        if name not in self._plugins:
            self._plugins[name] = load_plugin(self.manifest(name))(
                self.settings(name), self._transport(name)
            )
        return self._plugins[name]

    def pause(self, name: str, seconds: float, why: str) -> None:
        """Nothing on the sandbox acts after its connection ended."""

    def _transport(self, name: str) -> Transport:
        clock = SkippingClock()
        cache = prepare_local(self._workspace.layout) / "cache" / name
        cache.mkdir(parents=True, exist_ok=True)
        credential = find_credential(
            self.manifest(name).tokens,
            tracker=name,
            host="",
            env=self._workspace.environ,
            keyring_get=lambda _service, _key: None,
            run=lambda _argv: None,
        )
        return Transport(
            name,
            origin=self.settings(name).base_url,
            credential=credential,
            cache=cache,
            timeouts=(5.0, self._read_seconds),
            clock=clock,
            sleep=clock.sleep,
        )


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
        folder = self.folder
        folder.mkdir(parents=True)
        (self.root / ".unlatch" / "config.toml").write_text(self.box.config())
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
        return self.root / ".unlatch" / "increments" / INCREMENT

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
        """What `unlatch resume`, `complete` or `link --create` does."""
        fresh = self.owe()
        (delivery,) = self._deliver(self._workspace(), Job(fresh), read_seconds)
        return delivery

    def owe(self) -> frozenset[str]:
        """What they do with `--offline`; the ids of the operations."""
        workspace = self._workspace()
        if self.aim.kind is Kind.REOPEN:
            return resume(workspace, INCREMENT, reason=REASON, by="Dana").fresh
        if self.aim.kind is Kind.CLOSE:
            done = finish(workspace, INCREMENT, Status.COMPLETED, by="Dana", reason=REASON)
            return done.fresh
        return frozenset({self._owed(workspace)})

    def take_back(self, reason: str) -> None:
        """What `unlatch undo --offline` does."""
        undo(self._workspace().manager, INCREMENT, by="Dana", reason=reason)

    def sync(self) -> list[Delivery]:
        """What `unlatch sync` does, in a new process."""
        return self._deliver(self._workspace(), Job(), PATIENT)

    def cloned(self) -> Cell:
        """The same project as it is now, in another place."""
        there = copy(self)
        there.root = self.root.with_name(f"{self.root.name}-clone")
        shutil.copytree(self.root, there.root, ignore=shutil.ignore_patterns("local"))
        return there

    def forget_local(self) -> None:
        """Delete what only this machine knows."""
        shutil.rmtree(self.root / ".unlatch" / "local")

    def _owed(self, workspace: Workspace) -> str:
        increment = workspace.manager.read(INCREMENT)
        target = workspace.settings[self.tracker].target or ""
        owed = owe_operation(
            workspace, increment, Kind.CREATE, tracker=self.tracker, item=target, by="Dana"
        )
        return owed.op

    def _deliver(self, workspace: Workspace, job: Job, read_seconds: float) -> list[Delivery]:
        trackers = _Trackers(workspace, read_seconds)
        return deliver(workspace, trackers, INCREMENT, job, report=quiet)

    def _workspace(self) -> Workspace:
        return Workspace(
            layout_at(self.root),
            environ=self.box.environ(),
            user_config=self.root / "none.toml",
            registry=_REGISTRY,
        )

    # What is left

    def problems(self) -> list[str]:
        """Everything that is not as it should be after an operation that got through."""
        made = [self._made] if self._made else self.items.titled(self.title)
        if len(made) != 1:
            return [f"items: {made}"]
        facts = {**self._item_facts(made[0]), **self._file_facts(made[0])}
        return [
            f"{name}: {got!r} is not {wanted!r}"
            for name, (wanted, got) in facts.items()
            if got != wanted
        ]

    def _item_facts(self, item: str) -> dict[str, tuple[Any, Any]]:
        view = self.items.view(item)
        said = [REASON in comment.text for comment in view.comments]
        return {
            "open": (self.aim.is_open, view.open),
            "title": (self.title, view.title),
            "comments": ([] if self.aim.kind is Kind.CREATE else [True], said),
            "labels": (
                sorted({*self.labels, *filter(None, [self.aim.after])}),
                sorted(view.labels),
            ),
        }

    def _file_facts(self, item: str) -> dict[str, tuple[Any, Any]]:
        metadata, link = self.metadata, self.items.link(item)
        history = metadata.get("reopenHistory", [])
        reopened = self.aim.kind is Kind.REOPEN
        lines = (self.folder / "events.jsonl").read_text().splitlines()
        delivered = [e["kind"] for e in map(json.loads, lines) if e["event"] == "delivered"]
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
            "delivered": ([self.aim.kind.value], delivered),
        }


def _urls(synced: dict[str, dict[str, Any]]) -> dict[str, str]:
    return {
        tracker: value
        for tracker, block in synced.items()
        for name, value in block.items()
        if name.endswith("Url")
    }
