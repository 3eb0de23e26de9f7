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

    from unlatch.increments.model.link import Link
    from unlatch.increments.model.reopens import AppliedAmendment, ReopenEntry
    from unlatch.increments.model.unit import Evidence, Unit
    from unlatch.spi.operation import Operation

# The type of an increment, and of a unit of another tool, unless another is named.
NEW_TYPE = "feature"
# The `kind` of a record of an item alone.
ITEM = "item"
FROM_SPEC = "metadata.json is missing; read from the front matter of spec.md"


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
        if not self.reopens:
            return self.amendments
        from unlatch.increments.model.reopens import AppliedAmendment  # noqa: PLC0415  (as few have)

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
