"""All acts on an increment, in any order, against a model."""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.changes import reopen, transition
from tests.increments.files.making import GITHUB, Project, github, jira, metadata

from unlatch.errors import StoreError, UnlatchError
from unlatch.increments.files.linking import link, unlink
from unlatch.increments.files.outbox import block, record_delivery
from unlatch.increments.model.increment import Base, Increment, Link, SyncedItem
from unlatch.increments.model.status import LIFECYCLE, Status
from unlatch.increments.records.events import read_events
from unlatch.spi.change import Result
from unlatch.spi.operation import Kind
from unlatch.worklog.json_text.document import JsonText

# Unknown fields and shapes, which must be unchanged at the end.
FOREIGN: dict[str, Any] = {
    "id": "0099-other",
    "testMode": "TDD",
    "coverageTarget": 95.50,
    "notes": ["a", {"b": [None, True, 1e3]}],
    "externalLinks": {"figma": "https://f.example"},
    "githubProfile": "default",
}
SHAPES: list[dict[str, Any]] = [
    {},
    {"github": {"issue": 1, "url": GITHUB.format(1), "synced": "x", "notes": "kept"}},
    {"github": {"milestone": 3, "user_story_issues": [{"id": "U", "issue_number": 1}]}},
    {"jira": {"epicKey": "A-1", "epicId": "10"}, "external_sync": {"jira": {"issueKey": "A-2"}}},
    {"github": {"number": 1}, "externalLinks": {"jira": {"epicKey": "A-1"}}},
]
ITEMS = [github(1), github(2), github(1, repository="octo/gadgets"), jira("A-1"), jira("A-3")]
REASONS = st.sampled_from(["Bug found", "a --> b", "$&\n\n# x", '","status":"x', "é\u2028漢"])
DONE: Any = {"result": Result.UPDATED, "commented": True}
STATUSES = st.sampled_from(Status)


@dataclass
class Expected:
    """The expected increment."""

    status: Status
    archived: bool
    reopens: list[str] = field(default_factory=list)
    pending: list[tuple[str, str, bool]] = field(default_factory=list)  # kind, item, state
    told: int = 0


class Lifecycle(RuleBasedStateMachine):
    """One increment and all acts on it."""

    @initialize(shape=st.sampled_from(SHAPES), status=STATUSES, archived=st.booleans())
    def begin(self, shape: dict[str, Any], status: Status, *, archived: bool) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="unlatch-lifecycle-"))
        self.project = Project(self.root)
        self.first = metadata(**{**FOREIGN, **shape}, status=status.value)
        spec = f"---\ntitle: x\nstatus: {status.value}\n---\n# x\n"
        place = "_archive" if archived else ""
        self.project.add(self.first, archive=place, spec=spec)
        self.expected = Expected(status, archived)

    def teardown(self) -> None:
        if hasattr(self, "root"):
            shutil.rmtree(self.root)

    @property
    def now(self) -> Increment:
        return self.project.manager.read("7")

    def _tick(self) -> None:
        self.project.clock.advance()

    @rule(reason=REASONS)
    def reopen(self, reason: str) -> None:
        self._tick()
        before = self.now
        if before.status is not Status.COMPLETED:
            with pytest.raises(StoreError, match="not-completed"):
                reopen(self.project.manager, "7", reason, "ada")
            return
        _, entry = reopen(self.project.manager, "7", reason, "ada")
        self.expected.reopens.append(entry.id)
        self._moved(before, Status.ACTIVE, Kind.REOPEN)

    @rule(to=STATUSES, reason=REASONS | st.none(), enqueue=st.booleans())
    def transition(self, to: Status, reason: str | None, *, enqueue: bool) -> None:
        self._tick()
        before = self.now
        kind = Kind.CLOSE if to.is_finished and enqueue else None
        legal = to in LIFECYCLE.moves[before.status] and before.status is not Status.COMPLETED
        explained = before.status is not Status.ABANDONED or reason is not None
        if not (legal and explained):
            with pytest.raises(UnlatchError, match=r"reason-missing|transition-refused"):
                transition(self.project.manager, "7", to, by="bob", reason=reason, enqueue=kind)
            return
        transition(self.project.manager, "7", to, by="bob", reason=reason, enqueue=kind)
        self._moved(before, to, kind)

    def _moved(self, before: Increment, to: Status, kind: Kind | None) -> None:
        if to.is_finished != before.status.is_finished:
            self.expected.pending = [
                (o.kind.value, o.item, False)
                for o in before.pending
                if o.reason or o.op in {entry.id for entry in before.reopens}
                # A reopen that the tracker refused, before anything was sent, is withdrawn.
                if not (o.kind is Kind.REOPEN and o.is_blocked)
            ]
        if kind:
            self.expected.pending += [(kind.value, known.key, True) for known in before.links]
        self.expected.status = to
        self.expected.archived &= to.is_finished
        self.expected.told += 1

    @precondition(lambda self: self.now.pending)
    @rule(data=st.data())
    def deliver(self, data: st.DataObject) -> None:
        self._tick()
        place = data.draw(st.integers(0, len(self.now.pending) - 1))
        operation = self.now.pending[place]
        tail = operation.item.rpartition("/")[2]
        url = operation.item if "://" in operation.item else f"https://x.example/{tail}"
        base = Base(self.now.status.value, "doing", "open")
        reached = SyncedItem(operation.tracker, tail, url)
        after = record_delivery(
            self.project.manager, "7", operation, reached=reached, base=base, **DONE
        )
        del self.expected.pending[place]
        self.expected.told += 1
        for entry in after.reopens:
            if entry.id == operation.op:
                assert reached in entry.synced_to

    @precondition(lambda self: self.now.pending)
    @rule(cause=st.sampled_from(["item-locked", "item-not-found"]))
    def block(self, cause: str) -> None:
        self._tick()
        operation = self.now.pending[0]
        block(self.project.manager, "7", operation, cause=cause)
        assert self.now.pending[0].cause == cause
        self.expected.told += operation.cause != cause

    @rule(new=st.sampled_from(ITEMS))
    def link(self, new: Link) -> None:
        self._tick()
        before = self.now.links
        after = link(self.project.manager, "7", [new], by="ada").links
        assert len(after) - len(before) in (0, 1)
        assert {(k.tracker, k.item) for k in before} <= {(k.tracker, k.item) for k in after}
        assert (new.tracker, new.item) in {(k.tracker, k.item) for k in after}
        self.expected.told += len(after) - len(before)

    @precondition(lambda self: self.now.links)
    @rule(data=st.data())
    def unlink(self, data: st.DataObject) -> None:
        self._tick()
        gone = data.draw(st.sampled_from(self.now.links))
        before = self.now.links
        after = unlink(self.project.manager, "7", gone, by="ada").links
        keys = {(k.tracker, k.key) for k in after}
        assert keys == {(k.tracker, k.key) for k in before if k != gone}
        self.expected.pending = [entry for entry in self.expected.pending if entry[1] != gone.key]
        self.expected.told += 1

    @invariant()
    def the_increment_is_what_it_must_be(self) -> None:
        now, expected = self.now, self.expected
        assert (now.status, now.archived) == (expected.status, expected.archived)
        assert [entry.id for entry in now.reopens] == expected.reopens
        seen = [(o.kind.value, o.item, o.state) for o in now.pending]
        assert seen == expected.pending
        if expected.told:
            said = f"status: {expected.status.value}\n"
            assert said in (now.folder / "spec.md").read_text()

    @invariant()
    def the_file_is_sound_and_nobodys_field_is_lost(self) -> None:
        raw = (self.now.folder / "metadata.json").read_bytes()
        assert JsonText.parse(raw).duplicates == ()
        data = json.loads(raw)
        kept = {key: data[key] for key in FOREIGN if key != "externalLinks"}
        assert kept == {key: value for key, value in FOREIGN.items() if key != "externalLinks"}
        for outer, inner in (("github", "notes"), ("github", "milestone"), ("jira", "epicId")):
            if inner in self.first.get(outer, {}):
                assert data[outer][inner] == self.first[outer][inner]

    @invariant()
    def every_change_is_told_once(self) -> None:
        assert len(read_events(self.now.folder)) == self.expected.told


Lifecycle.TestCase.settings = settings(max_examples=12, stateful_step_count=12, deadline=None)
test_whatever_is_done_to_an_increment = Lifecycle.TestCase
