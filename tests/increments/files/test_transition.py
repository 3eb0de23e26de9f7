"""Changes of status, all in any order against a model, and their events."""

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
from tests.increments.files.making import (
    GITHUB,
    NOW,
    STAMP,
    Project,
    github,
    jira,
    metadata,
    tree,
    ulid,
)

from unlatch.errors import StoreError, UnlatchError, UsageError
from unlatch.increments.files.linking import link, unlink
from unlatch.increments.files.outbox import block, record_delivery
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.link import Base, Link
from unlatch.increments.model.reopens import ReopenEntry, SyncedItem
from unlatch.increments.model.status import LIFECYCLE, Status
from unlatch.increments.records.events import read_events
from unlatch.increments.records.status_events import LOG
from unlatch.spi.change import Result
from unlatch.spi.operation import Kind, Operation
from unlatch.worklog.disk.file_check import LARGEST
from unlatch.worklog.json_text.document import JsonText

LINKED = {"github": {"issue": 4, "url": GITHUB.format(4)}, "jira": {"issueKey": "SCRUM-28"}}


def kinds(pending: tuple[Operation, ...]) -> list[tuple[str, str, bool]]:
    return [(o.kind.value, o.tracker, o.state) for o in pending]


# tests/increments/model/test_model.py has the whole product.
MOVES = [
    (Status.PLANNING, Status.ACTIVE),
    (Status.ACTIVE, Status.COMPLETED),
    (Status.READY_FOR_REVIEW, Status.ABANDONED),
    (Status.ABANDONED, Status.ACTIVE),
    (Status.PLANNING, Status.COMPLETED),
    (Status.PAUSED, Status.PAUSED),
    (Status.COMPLETED, Status.ACTIVE),
]


@pytest.mark.parametrize(("before", "after"), MOVES)
def test_a_move_is_made_or_refused_by_the_table(
    project: Project, before: Status, after: Status
) -> None:
    project.add(metadata(status=before.value))
    untouched = tree(project.root)
    if before is Status.COMPLETED or after not in LIFECYCLE.moves[before]:
        with pytest.raises(StoreError) as caught:
            transition(project.manager, "7", after, by="ada", reason="why")
        assert (caught.value.id, tree(project.root)) == ("transition-refused", untouched)
        resume = "unlatch resume 0007-search" if before is Status.COMPLETED else None
        assert resume in (None, caught.value.hint)
        return
    found = transition(project.manager, "7", after, by="ada", reason="why")
    assert (found.status, project.data()["status"]) == (after, after.value)
    moved = {"reason": "why", "from": before.value, "to": after.value}
    told = {"id": ulid(1), "at": STAMP, "event": "transitioned", "by": "ada", **moved}
    assert project.events() == [told]
    assert "reopenHistory" not in project.data()


@pytest.mark.parametrize("before", [s for s in Status if s is not Status.COMPLETED])
def test_only_leaving_what_is_finished_needs_a_reason(project: Project, before: Status) -> None:
    project.add(metadata(status=before.value))
    untouched = tree(project.root)
    after = next(iter(LIFECYCLE.moves[before]))
    if before is Status.ABANDONED:
        with pytest.raises(UsageError) as caught:
            transition(project.manager, "7", after, by="ada")
        assert (caught.value.id, tree(project.root)) == ("reason-missing", untouched)
    else:
        assert transition(project.manager, "7", after, by="ada").status is after
        assert "reason" not in project.events()[0]


@pytest.mark.parametrize(
    "spared", [github(4), Link("github", "4"), github(4, repository="OCTO/widgets")]
)
def test_nothing_is_enqueued_for_spared_items(project: Project, spared: Link) -> None:
    project.add(metadata(status="active", **LINKED))
    after = transition(
        project.manager, "7", Status.COMPLETED, by="ada", enqueue=Kind.CLOSE, exclude=[spared]
    )
    assert kinds(after.pending) == [("close", "jira", True)]


@pytest.mark.parametrize(
    ("before", "after", "archived"),
    [(Status.ABANDONED, Status.ACTIVE, False), (Status.ACTIVE, Status.COMPLETED, True)],
)
def test_unfinished_work_comes_out_of_the_archive_and_finished_work_stays(
    project: Project, before: Status, after: Status, *, archived: bool
) -> None:
    project.add(metadata(status=before.value), archive="_archive")
    moved = transition(project.manager, "7", after, by="ada", reason="why")
    assert (moved.archived, moved.status) == (archived, after)


# ---- what a later change of status leaves of an undelivered operation ---------------------------


@pytest.mark.parametrize(
    ("before", "acts", "left"),
    [
        ("completed", ["reopen", "completed"], {"reopen": False, "close": True}),
        ("active", ["completed", "reopen"], {"reopen": True}),
        ("active", ["completed: shipped", "reopen"], {"close": False, "reopen": True}),
        (
            "completed",
            ["reopen: first", "completed", "reopen: second", "completed", "reopen: third"],
            {"reopen: first": False, "reopen: second": False, "reopen: third": True},
        ),
        *(("completed", ["reopen", to], {"reopen": True}) for to in ("paused", "backlog")),
        ("completed", ["reopen", "ready_for_review"], {"reopen": True}),
    ],
    ids=[
        *("the comment of a reopen stays", "a close without words goes", "its words stay"),
        *("each reason is a comment", "no pause", "no backlog", "no review"),
    ],
)
def test_a_later_status_overtakes_the_state_of_an_operation_and_not_its_words(
    project: Project, before: str, acts: list[str], left: dict[str, bool]
) -> None:
    project.add(metadata(status=before, **LINKED))
    for act in acts:
        word, _, reason = act.partition(": ")
        if word == "reopen":
            reopen(project.manager, "7", reason or "why", "ada")
        else:
            close = Kind.CLOSE if word == "completed" else None
            transition(
                project.manager, "7", Status(word), by="ada", enqueue=close, reason=reason or None
            )
    found = project.manager.read("7")
    assert kinds(found.pending) == [
        (word.partition(":")[0], tracker, state)
        for word, state in left.items()
        for tracker in ("github", "jira")
    ]
    said = {entry.id: entry.reason for entry in found.reopens}
    words = [operation.reason or said.get(operation.op) for operation in found.pending[::2]]
    assert [word.partition(": ")[2] for word in left if ": " in word] in ([], words)
    assert "shipped" in words or "completed: shipped" not in acts


def test_creating_and_updating_are_no_state_steps(project: Project) -> None:
    common = {"tracker": "github", "item": "octo/widgets", "at": STAMP, "by": "ada"}
    pending = [
        {"op": ulid(n), "kind": kind, **common} for n, kind in ((8, "create"), (9, "update"))
    ]
    project.add(metadata(pending=pending))
    reopen(project.manager, "7", "why", "ada")
    assert project.data()["pending"] == pending


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


REOPEN = ReopenEntry(ulid(5), NOW, "why", Status.COMPLETED, "ada")


def kept_event(number: int) -> dict[str, Any]:
    return {"id": ulid(number), "at": STAMP, "event": "note", "by": "ada", "theirs": number}


@pytest.mark.parametrize(
    ("kept", "left"),
    [
        ([[5], kept_event(5), {"a": 1}], [[5], {"a": 1}]),
        ([[5]], [[5]]),
        ({"a": 1}, {"a": 1}),
        ("text", "text"),
        ([kept_event(5), kept_event(6)], None),
    ],
)
def test_a_change_writes_the_kept_events_and_leaves_what_is_no_event(
    project: Project, kept: object, left: object
) -> None:
    folder = project.add(metadata(unwrittenEvents=kept))
    reopen(project.manager, "7", "why", "ada")
    transition(project.manager, "7", Status.PAUSED, by="ada")

    assert left == json.loads((folder / "metadata.json").read_bytes()).get("unwrittenEvents")
    written = [LOG.entry(one) for one in LOG.read(folder)]
    events = kept if isinstance(kept, list) else []
    assert [one for one in events if "id" in one] == [one for one in written if "theirs" in one]


@pytest.mark.sample
@pytest.mark.parametrize("kept", [[[5]], "text"])
def test_an_event_that_finds_no_room_is_kept_beside_what_is_no_event(
    project: Project, kept: object
) -> None:
    folder = project.add(metadata(status="active", unwrittenEvents=kept))
    with (folder / LOG.name).open("wb") as file:
        file.truncate(LARGEST)

    transition(project.manager, "7", Status.PAUSED, by="ada")

    *others, event = json.loads((folder / "metadata.json").read_bytes())["unwrittenEvents"]
    assert kept == (others if isinstance(kept, list) else others[0])
    assert ("transitioned", "paused") == (event["event"], event["to"])
