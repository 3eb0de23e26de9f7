"""Random commands, faults and deaths in the life of one increment, against a small model.

    python -m tests.crash.random_life [--examples N] [--steps N]

The model knows all intents and their order. After each calm `unlatch sync` the items must match the
intents: open or closed, our labels right and people's kept, each reason posted once and in order,
nothing pending. An undo reverts a reopen with any result, also one that a fault or a death cut off;
its reason may or may not be posted.
"""

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule
from tests.changes import transition, undo
from tests.crash.boundaries import Boundaries, in_fork
from tests.crash.cell import _Trackers as QuickTrackers
from tests.crash.delivering import deliver_one
from tests.crash.lives import Life, live
from tests.crash.stage import INCREMENT

from unlatch.increments.files import linking
from unlatch.increments.files.outbox import enqueue
from unlatch.increments.files.paths import paths_at
from unlatch.increments.model.link import Link
from unlatch.increments.model.status import Status
from unlatch.increments.records.events import Delivered, read_events
from unlatch.lifecycle.change import Place
from unlatch.lifecycle.finish import plan_finish
from unlatch.lifecycle.resume import resume
from unlatch.lifecycle.resume_plan import ResumeRequest
from unlatch.project.registry import Registry
from unlatch.project.workspace import Workspace
from unlatch.spi.operation import DeliveryOptions, Kind, Operation

TRACKERS = ("github", "ado", "jira")
OURS = {"reopened", "completed"}
# What an increment that was abandoned closed on purpose is opened again by the next reopen.
WHATEVER = DeliveryOptions(even_if_not_planned=True)
FAULTS: dict[str, dict[str, Any]] = {
    "drop": {},
    "drop-after": {},
    "error-after": {"code": 500},
    "status": {"code": 500},
    "truncate": {},
    "html": {},
}
MOST_SYNCS = 8
# More commands than these lie between two looks at everything.
OFTEN = 2
PATIENCE = 30.0
REGISTRY = Registry()
# Delivered at once, left for sync, or killed at the boundary of that number.
DEATHS = st.integers(1, 110)
HOW = st.integers(0, 9).flatmap(
    lambda drawn: DEATHS if drawn > 6 else st.just("online" if drawn < 5 else "offline")
)
STATISTICS: Counter[str] = Counter()


@dataclass
class Item:
    """The model of one item.

    Args:
        is_open: whether it is open once all is delivered; None if that cannot be said.
        labels: ours that it has then; None if that cannot be said.
        kept: people's labels.
        told: the intents whose reason is posted on it, in order.
        perhaps: intents whose reason may or may not be posted.
        is_dropped: whether it is closed as not to be done; None if that cannot be said.
        sparing: intents that leave it alone if it is closed as not to be done.
        linked: whether it is tied to the increment.
    """

    is_open: bool | None = False
    labels: set[str] | None = field(default_factory=lambda: {"completed"})
    kept: set[str] = field(default_factory=lambda: {"ours"})
    told: list[str] = field(default_factory=list)
    perhaps: set[str] = field(default_factory=set)
    is_dropped: bool | None = False
    sparing: set[str] = field(default_factory=set)
    linked: bool = True


@dataclass
class Reopen:
    """A reopen that could be undone.

    Args:
        found: whether each item was open at the intent, its labels, and whether it was dropped.
        sure: items that the undo finds as the reopen left them.
    """

    op: str
    found: dict[str, tuple[bool | None, set[str] | None, bool | None]]
    sure: set[str]


class RandomLife(Life):
    """The life of one increment and its three items."""

    @initialize()
    def begin(self) -> None:
        """A completed increment with closed items."""
        self.case = self.stage.case(self.begin_next())
        self.items = {tracker: Item() for tracker in TRACKERS}
        for tracker in TRACKERS:
            self._relabel(tracker, {"completed", "ours"})
        self.status = Status.COMPLETED
        self.reopens: list[Reopen] = []
        self.is_undoable = False  # no finish came after the last reopen
        self.links = {link.tracker: link for link in self.workspace.manager.read("7").links}
        self.is_calm = True
        self.words = self.unsettled = 0

    # What unlatch does

    @property
    def workspace(self) -> Workspace:
        """The project, as a new process sees it."""
        return Workspace(
            paths_at(self.case.root),
            environ=self.stage.environ,
            user_config=self.stage.folder / "none.toml",
            registry=REGISTRY,
        )

    def _deliver(self, workspace: Workspace, fresh: frozenset[str]) -> None:
        deliver_one(workspace, QuickTrackers(workspace, PATIENCE), INCREMENT, fresh)

    def _do(self, how: str | int, command: Callable[[Workspace], frozenset[str]]) -> None:
        STATISTICS["commands"] += 1
        self.unsettled += 1

        def whole(workspace: Workspace) -> None:
            self._deliver(workspace, command(workspace))

        if how == "online":
            whole(self.workspace)
        elif how == "offline":
            command(self.workspace)
        else:
            STATISTICS["deaths"] += os.WIFSIGNALED(in_fork(lambda: self._die(int(how), whole)))

    def _die(self, at: int, whole: Callable[[Workspace], None]) -> None:
        Boundaries(at).install()
        whole(self.workspace)

    def _pending(self, op: str | None = None) -> list[str]:
        owed = self.case.metadata.get("pending", [])
        return [one["tracker"] for one in owed if op in (None, one["op"])]

    def _moved(self) -> bool:
        """Whether the last command got as far as its intent."""
        now = Status(self.case.metadata["status"])
        moved, self.status = now is not self.status, now
        return moved

    def _linked(self) -> list[Item]:
        return [item for item in self.items.values() if item.linked]

    def _reason(self) -> str:
        self.words += 1
        return f"reason {self.words}"

    # Commands

    @precondition(lambda self: self.status is Status.COMPLETED)
    @rule(how=HOW)
    def reopen(self, how: str | int) -> None:
        """As unlatch resume of a completed increment."""
        reason, waiting = self._reason(), set(self._pending())
        found = {t: (item.is_open, item.labels, item.is_dropped) for t, item in self.items.items()}
        self._do(
            how,
            lambda w: (
                resume(w, "7", ResumeRequest(by="Dana", reason=reason, options=WHATEVER)).fresh
            ),
        )
        if not self._moved():
            return
        op = self.case.metadata["reopenHistory"][-1]["id"]
        linked = {tracker for tracker, item in self.items.items() if item.linked}
        self.reopens.append(Reopen(op, found, linked - waiting))
        self.is_undoable = True
        for item in self._linked():
            item.is_open, item.labels = True, {"reopened"}
            item.is_dropped = item.is_dropped and None
            item.told.append(op)

    @precondition(lambda self: self.status is Status.ACTIVE)
    @rule(how=HOW, to=st.sampled_from([Status.COMPLETED, Status.ABANDONED]))
    def finish(self, how: str | int, to: Status) -> None:
        """As unlatch complete and abandon."""
        reason = self._reason()
        before = self.case.metadata.get("pending", [])
        self._do(
            how,
            lambda w: plan_finish(w, "7", to, by="Dana", reason=reason).apply(Place(w)).fresh,
        )
        if not self._moved():
            return
        self.is_undoable = False
        op = self._op_of_finish({one["op"] for one in before})
        for tracker, item in self.items.items():
            if not item.linked:
                continue
            item.is_open = False
            item.told += [op] if op else []
            if item.is_dropped is not False:
                # So may reopens that this has overtaken.
                item.sparing |= {one["op"] for one in before if one["tracker"] == tracker}
                item.sparing |= {op} if op and to is Status.COMPLETED else set()
            if to is Status.ABANDONED:
                item.is_dropped = None
            # What is abandoned, or was, only loses its "reopened".
            item.labels = {"completed"} if item.is_dropped is False else None

    def _op_of_finish(self, before: set[str]) -> str | None:
        owed = [one["op"] for one in self.case.metadata.get("pending", [])]
        new = [op for op in owed if op not in before]
        if new:
            return str(new[-1])
        moves = [e for e in read_events(self.case.folder) if isinstance(e, Delivered)]
        closes = [one.op for one in moves if one.kind == "close"]
        return closes[-1] if closes and self._linked() else None

    @precondition(lambda self: self.status is Status.ABANDONED)
    @rule()
    def revive(self) -> None:
        """As unlatch resume of an abandoned increment: its items are left as they are."""
        owed = set(self._pending())
        self._do(
            "offline", lambda w: resume(w, "7", ResumeRequest(by="Dana", reason="once more")).fresh
        )
        assert self._moved()
        for tracker in owed:
            self.items[tracker].is_open = self.items[tracker].labels = None

    @precondition(lambda self: self.status in (Status.ACTIVE, Status.PAUSED))
    @rule()
    def pause_or_go_on(self) -> None:
        """As unlatch pause, and resume of a paused increment."""
        to = Status.PAUSED if self.status is Status.ACTIVE else Status.ACTIVE
        transition(self.workspace.manager, "7", to, by="Dana")
        assert self._moved()

    @precondition(
        lambda self: (
            self.status is Status.ACTIVE
            and self.is_undoable
            and any("revertedAt" not in e for e in self.case.metadata.get("reopenHistory", []))
        )
    )
    @rule(how=HOW)
    def undo(self, how: str | int) -> None:
        """As unlatch undo."""
        entries = self.case.metadata["reopenHistory"]
        op = next(e["id"] for e in reversed(entries) if "revertedAt" not in e)
        reopen = next(one for one in self.reopens if one.op == op)
        owed, pending = set(self._pending(op)), Counter(self._pending())

        def command(workspace: Workspace) -> frozenset[str]:
            after, undone = undo(workspace.manager, "7", by="Dana")
            mark = next(e.revert for e in after.reopens if e.id == undone.id)
            return frozenset({str(mark)})

        self._do(how, command)
        if not self._moved():
            return
        STATISTICS["undos"] += 1
        undone = next(e for e in self.case.metadata["reopenHistory"] if e["id"] == op)["revert"]
        for tracker, item in self.items.items():
            if tracker in owed:
                # An unlinked item may have it still: nobody knows whether it took effect.
                item.told = [one for one in item.told if one != op]
                item.perhaps.add(op)
            if not item.linked:
                continue
            is_open, labels, is_dropped = reopen.found[tracker]
            item.is_dropped = is_dropped and None
            if tracker in reopen.sure and pending[tracker] == (tracker in owed):
                STATISTICS["sure undos"] += 1
                item.is_open, item.labels = is_open, labels
            else:
                item.is_open = item.labels = None
            if item.is_open is None or tracker in owed:
                item.perhaps.add(undone)
            else:
                item.told.append(undone)

    @precondition(lambda self: self.status is Status.COMPLETED)
    @rule(first=HOW, then=HOW)
    def think_again(self, first: str | int, then: str | int) -> None:
        """A reopen, and its undo at once."""
        self.reopen(first)
        if self.status is Status.ACTIVE:
            self.undo(then)

    @precondition(lambda self: any(item.linked for item in self.items.values()))
    @rule(data=st.data(), how=st.sampled_from(["online", "offline"]))
    def reopen_one(self, data: st.DataObject, how: str) -> None:
        """One item, as unlatch TRACKER reopen-... does it; the increment stays as it is."""
        tracker = data.draw(st.sampled_from([t for t in TRACKERS if self.items[t].linked]))
        owed: list[str] = []

        def command(workspace: Workspace) -> frozenset[str]:
            operation = Operation(
                workspace.new_id(),
                Kind.REOPEN,
                tracker,
                self.links[tracker].key,
                workspace.clock(),
                "Dana",
                self._reason(),
                options=WHATEVER,
            )
            enqueue(workspace.manager, "7", operation)
            owed.append(operation.op)
            return frozenset({operation.op})

        self._touch(tracker)
        self._do(how, command)
        item = self.items[tracker]
        item.is_open, item.labels = True, {"reopened"}
        item.is_dropped = item.is_dropped and None
        item.told.append(owed[0])

    @rule(at=st.none() | st.integers(1, 80))
    def sync(self, at: int | None) -> None:
        """As unlatch sync."""
        self._do("online" if at is None else at, lambda _: frozenset())

    @rule(tracker=st.sampled_from(TRACKERS), what=st.sampled_from(["links", "local", "label"]))
    def meddle(self, tracker: str, what: str) -> None:
        """Acts besides the commands that reopen and close."""
        if what == "links":
            self._link_or_unlink(tracker)
        elif what == "local":  # it may be deleted at any time
            self.stage.forget_local(self.case)
        else:
            self._label(tracker)

    def _link_or_unlink(self, tracker: str) -> None:
        """As unlatch link and unlink: a later link gets no earlier operation."""
        item, manager = self.items[tracker], self.workspace.manager
        if item.linked:
            link = next(one for one in manager.read("7").links if one.tracker == tracker)
            for owed in self.case.metadata.get("pending", []):
                if owed["tracker"] == tracker:
                    item.perhaps.add(owed["op"])
            item.told = [op for op in item.told if op not in item.perhaps]
            linking.unlink(manager, "7", link, by="Dana")
        else:
            known = self.links[tracker]
            linking.link(manager, "7", [Link(tracker, known.item, known.url)], by="Dana")
        item.linked = not item.linked
        item.is_open = item.labels = item.is_dropped = None
        self._touch(tracker)

    # What people and networks do

    def _label(self, tracker: str) -> None:
        """A person's label."""
        label = f"mine{len(self.items[tracker].kept)}"
        self.items[tracker].kept.add(label)
        self._relabel(tracker, {*self.stage.views()[tracker]["labels"], label})
        self._touch(tracker)

    def _touch(self, tracker: str) -> None:
        """An undo of earlier operations may leave this item unchanged."""
        for reopen in self.reopens:
            reopen.sure.discard(tracker)

    def _relabel(self, tracker: str, labels: set[str]) -> None:
        named = {"github": "number", "ado": "id", "jira": "key"}[tracker]
        where = {"repository": "octo/widgets"} if tracker == "github" else {}
        what = {"tags" if tracker == "ado" else "labels": sorted(labels)}
        item = getattr(self.case, tracker)
        self.stage.call(tracker, "edit", **{named: item}, **where, **what)

    @precondition(lambda self: self.is_calm and self.unsettled)
    @rule(
        tracker=st.sampled_from(TRACKERS),
        kind=st.sampled_from(sorted(FAULTS)),
        after=st.integers(0, 5),
    )
    def fault(self, tracker: str, kind: str, after: int) -> None:
        """Something goes wrong with a request that is yet to come."""
        STATISTICS["faults"] += 1
        self.is_calm = False
        self.stage.fault(tracker=tracker, kind=kind, after=after, **FAULTS[kind])

    # What has to be true

    @precondition(lambda self: self.unsettled > OFTEN)
    @rule()
    def settle(self) -> None:
        """Without faults, sync brings everything to its end."""
        STATISTICS["settled"] += 1
        self.unsettled = 0
        self.stage.calm()
        self.is_calm = True
        for _ in range(MOST_SYNCS):
            if self._pending():
                self._deliver(self.workspace, frozenset())
        data = self.case.metadata
        assert "pending" not in data, data["pending"]
        assert self.status.value == data["status"]
        views, marked = self.stage.views(), self.stage.marked(self.case)
        spared = self._spared()
        for tracker, item in self.items.items():
            assert spared[tracker] <= item.sparing | item.perhaps, (item, spared[tracker])
            STATISTICS["spared"] += len(spared[tracker].intersection(item.told))
            item.told = [op for op in item.told if op not in spared[tracker]]
            self._check(item, views[tracker], marked[tracker])
            item.is_dropped = _is_dropped(views[tracker])
        history = self.workspace.manager.read("7").reopens
        events = {event.id for event in read_events(self.case.folder, history)}
        assert [one.op for one in self.reopens] == [entry.id for entry in history]
        assert events.issuperset(entry.id for entry in history)

    def _spared(self) -> dict[str, set[str]]:
        """Intents that left an item alone since it was closed as not to be done."""
        spared: dict[str, set[str]] = {tracker: set() for tracker in TRACKERS}
        for event in read_events(self.case.folder):
            if not isinstance(event, Delivered) or event.kind not in ("close", "reopen"):
                continue
            spared[event.tracker].discard(event.op)
            is_dropped = event.before and event.before.category == "dropped"
            if is_dropped and event.result == "state-kept" and not event.commented:
                spared[event.tracker].add(event.op)
        return spared

    def _check(self, item: Item, view: dict[str, Any], marked: Counter[str]) -> None:
        assert set(marked.values()) <= {1}, marked
        assert item.told == [op for op in marked if op not in item.perhaps], (item, marked)
        labels = set(view["labels"])
        assert item.kept <= labels, (item, view)
        if item.linked and item.is_open is not None:
            assert item.is_open == view["open"], (item, view)
        if item.linked and item.labels is not None:
            assert item.labels == labels & OURS, (item, view)

    def teardown(self) -> None:
        """The end of the life."""
        if hasattr(self, "case"):
            self.unsettled = OFTEN + 1
            self.settle()


def _is_dropped(view: dict[str, Any]) -> bool:
    return view["state"] == "Removed" or "reason not_planned" in view["notes"]


if __name__ == "__main__":
    live(RandomLife, STATISTICS, __doc__)
