"""Increments as they are read from disk."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from unlatch.increments.model.status import Status
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from unlatch.increments.model.unit import Evidence, Unit
    from unlatch.spi.operation import Operation, SeenItem

# The type of an increment, and of a unit of another tool, unless another is named.
NEW_TYPE = "feature"
# The `kind` of a record of an item alone.
ITEM = "item"
FROM_SPEC = "metadata.json is missing; read from the front matter of spec.md"


@dataclass(frozen=True, slots=True)
class Boxes:
    """The check boxes of an item and of its increment when both were last in sync.

    Args:
        ticked: the keys of those that were ticked.
        open: the keys of the others.
        lines: a digest of the lines that the increment listed.
        marks: what the files had in open boxes in place of a space, by key; unticking on the item
            restores it.
    """

    ticked: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    lines: str = ""
    marks: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def states(self) -> dict[str, bool]:
        return {**dict.fromkeys(self.ticked, True), **dict.fromkeys(self.open, False)}


@dataclass(frozen=True, slots=True)
class Base:
    """Both sides of a link when in sync; `remote` is the category of the tracker's own `state`.

    Args:
        boxes: the check boxes in the item's body; None if they were never compared.
    """

    local: str
    remote: str
    state: str
    boxes: Boxes | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """An increment's link to one item.

    Args:
        base: both sides when last in sync; None if they were never compared.
        path: the place in metadata.json that names the item; empty for a new link.
        story: the user story that the item is about; None for the increment as a whole.
        target: the container of an item without an address ("octo/widgets"), or SpecWeave's
            profile of it; None for the configured one.
        has_block: whether its place is an object, so that it can hold the base.
    """

    tracker: str
    item: str
    url: str | None = None
    base: Base | None = None
    path: tuple[str | int, ...] = ()
    story: str | None = None
    target: str | None = None
    has_block: bool = True

    @property
    def name(self) -> str:
        """Its id, behind its target where that is known (octo/widgets#4)."""
        return f"{self.target}#{self.item}" if "/" in (self.target or "") else self.item

    @property
    def key(self) -> str:
        """The item's key in operations: its address, else its name."""
        return self.url or self.name


@dataclass(frozen=True, slots=True)
class NewTask:
    """A task to add, proposed by a person or a program; `id` is empty until planned."""

    title: str
    story: str | None = None
    criteria: tuple[str, ...] = ()
    description: str | None = None
    id: str = ""

    @property
    def belongs_to(self) -> tuple[str, ...]:
        """The ids of its story and its criteria."""
        return (self.story, *self.criteria) if self.story else self.criteria


@dataclass(frozen=True, slots=True)
class Amendment:
    """A change of the work.

    Args:
        change: a description of the added work; None where only parts are reopened.
        parts: the ids of tasks, stories and criteria to be done again.
        about: the ids of the stories and criteria of a change without tasks.
        unwritten: the names of the files that lack it.
        describes: whether linked items list its tasks from then on; it is not recorded.
    """

    change: str | None = None
    tasks: tuple[NewTask, ...] = ()
    parts: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    unwritten: tuple[str, ...] = ()
    describes: bool = field(default=False, compare=False)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the added tasks; none until they are planned."""
        return tuple(task.id for task in self.tasks if task.id)

    @property
    def belongings(self) -> tuple[tuple[str, ...], ...]:
        """The stories and criteria of each new task, or of a change without tasks."""
        return tuple(task.belongs_to for task in self.tasks) or (self.about,)


@dataclass(frozen=True, slots=True)
class AppliedAmendment:
    """An amendment that was made; `id` is the ULID of its reopen, or its own."""

    id: str
    at: datetime
    by: str
    amendment: Amendment = field(default_factory=Amendment)
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class SyncedItem:
    """An item that a reopen reached, before and after it."""

    tracker: str
    item: str
    url: str
    before: SeenItem | None = None
    after: SeenItem | None = None
    labels_added: tuple[str, ...] = ()
    labels_removed: tuple[str, ...] = ()

    @property
    def link(self) -> Link:
        return Link(self.tracker, self.item, self.url)


@dataclass(frozen=True, slots=True)
class AlsoBy:
    """Who made the same reopen in another checkout, and when."""

    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ReopenCause:
    """What showed that finished work is broken; `evidence` is a text from outside."""

    kind: str
    fingerprint: str
    evidence: str
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class ReopenEntry:
    """One entry of reopenHistory; `category` is that of the reason.

    Args:
        previous_completed_in: the key that has the time of completion, if it stays there.
        previous_spec_status: the status in spec.md before it, if that was spelled differently.
        forced: the ids of the rules that were overridden.
        struck: items that stay open, because their close was not delivered before this reopen.
        done_work: the number of done marks in its documents after it; None if it is not recorded.
        also_by: who made the same reopen in other checkouts, which git merged.
        is_foreign: whether another tool wrote it: it has no event, and no operation of ours.
    """

    id: str
    reopened_at: datetime
    reason: str
    previous_status: Status
    reopened_by: str
    previous_completed_at: str | None = None
    previous_completed_in: str | None = None
    previous_spec_status: str | None = None
    amendment: Amendment | None = None
    category: str | None = None
    source: str | None = None
    forced: tuple[str, ...] = ()
    struck: tuple[str, ...] = ()
    cause: ReopenCause | None = None
    done_work: int | None = None
    reverted_at: datetime | None = None
    revert: str | None = None
    also_by: tuple[AlsoBy, ...] = ()
    synced_to: tuple[SyncedItem, ...] = ()
    is_foreign: bool = False

    @property
    def scope_change(self) -> str | None:
        return self.amendment.change if self.amendment else None


@dataclass(frozen=True, slots=True)
class Increment:
    """A snapshot of one increment.

    Args:
        id: the name of its folder.
        title: from spec.md, else the id's words.
        from_spec: whether metadata.json is missing and spec.md was read instead.
        unit: where another tool keeps its documents; None for unlatch's own folder.
        evidence: the status that the tool's files show now.
        overridden: the status that unlatch recorded, where the tool's files changed since and show
            another.
        amendments: changes of its work without a reopen.
    """

    id: str
    folder: Path
    title: str
    status: Status
    type: str | None = None
    created: datetime | None = None
    last_activity: datetime | None = None
    completed_at: datetime | None = None
    archived: bool = False
    links: tuple[Link, ...] = ()
    reopens: tuple[ReopenEntry, ...] = ()
    amendments: tuple[AppliedAmendment, ...] = ()
    pending: tuple[Operation, ...] = ()
    warnings: tuple[str, ...] = ()
    from_spec: bool = False
    unit: Unit | None = None
    evidence: Evidence | None = None
    overridden: Status | None = None
    data: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def is_item(self) -> bool:
        """Whether it is the record of an item alone, without spec.md and tasks.md."""
        return self.data.get("kind") == ITEM

    @property
    def name(self) -> str:
        """The name that people type: the increment's id, or the item's own name."""
        return self.title if self.is_item else self.id

    @property
    def argument(self) -> str:
        """What names it in a command: its id, or the item's address."""
        return self.links[0].url or self.name if self.is_item and self.links else self.id

    @property
    def as_recorded(self) -> Increment:
        """The increment as a command finds it that sets its status.

        What the files of a unit show since is not unlatch's status: completing a unit whose tasks
        are all ticked closes its items.
        """
        if self.overridden is None:
            return self
        status = self.overridden if self.overridden.is_finished else Status.ACTIVE
        return replace(self, status=status, overridden=None)

    def with_status(
        self,
        status: Status,
        pending: tuple[Operation, ...],
        reopens: tuple[ReopenEntry, ...] | None = None,
    ) -> Increment:
        reopens = self.reopens if reopens is None else reopens
        return replace(self, status=status, pending=pending, reopens=reopens)

    @property
    def effective_reopens(self) -> int:
        """The number of reopens that were not undone."""
        return sum(entry.reverted_at is None for entry in self.reopens)

    @property
    def amended(self) -> tuple[AppliedAmendment, ...]:
        """All changes of its work that were not undone."""
        with_reopens = (
            AppliedAmendment(
                entry.id, entry.reopened_at, entry.reopened_by, entry.amendment, entry.reason
            )
            for entry in self.reopens
            if entry.amendment and entry.reverted_at is None
        )
        return (*with_reopens, *self.amendments)

    @property
    def unwritten(self) -> tuple[str, ...]:
        """The names of the files that lack changes of its work."""
        names = (name for amended in self.amended for name in amended.amendment.unwritten)
        return tuple(dict.fromkeys(names))

    def has_frequent_reopens(self, threshold: int) -> bool:
        return self.effective_reopens >= threshold


@dataclass(frozen=True, slots=True)
class BrokenIncrement:
    """An increment whose files cannot be read; listed, never dropped."""

    id: str
    folder: Path
    error_id: str
    reason: str
    archived: bool = False
    hint: str | None = None
