"""The reopens of an increment and the changes of its work; most increments have none."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from unlatch.increments.model.link import Link
from unlatch.values import dataclass

if TYPE_CHECKING:
    from datetime import datetime

    from unlatch.increments.model.status import Status
    from unlatch.spi.operation import SeenItem


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
