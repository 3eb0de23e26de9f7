"""A change of an increment, of its items, or of an item alone: what `carry_out` works with."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from unlatch.delivery.preview import Preview
    from unlatch.delivery.run import SharedItems
    from unlatch.errors import UnlatchError, UsageError
    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.link import Link
    from unlatch.increments.model.reopens import Amendment, ReopenEntry
    from unlatch.lifecycle.activation_guard import WipSnapshot
    from unlatch.lifecycle.deliver import DeliveryResult
    from unlatch.lifecycle.scoping.change_scope import Scope
    from unlatch.project.trackers import Trackers
    from unlatch.project.workspace import Workspace
    from unlatch.spi import Snapshot
    from unlatch.spi.operation import DeliveryOptions, OperationKey


@dataclass(slots=True)
class Place:
    """Where changes are made: a project, or the user's own records of items.

    Args:
        trackers: None for changes that no tracker sees.
        shared: the increments that share items with those that change; read when first needed.
        wip: the active increments, for changes that add to them; None without a limit.
    """

    workspace: Workspace
    trackers: Trackers | None = None
    shared: SharedItems | None = None
    wip: WipSnapshot | None = None

    @property
    def open_trackers(self) -> Trackers:
        """The trackers, for a change that reads items."""
        if self.trackers is None:
            raise TypeError("the change needs trackers")
        return self.trackers


class Change(Protocol):
    """A planned change of one increment, or of the record of one item."""

    @property
    def subject(self) -> Increment:
        """The increment or the record, as the plan read it."""

    @property
    def items(self) -> Collection[object]:
        """The items to be written to; several changes of one item count it once."""

    @property
    def delivery(self) -> DeliveryOptions | None:
        """The options of the operations; None as configured."""

    def preview(self, place: Place) -> Preview:
        """The present change, without its requests; raises what would refuse it."""

    def apply(self, place: Place) -> Outcome:
        """Make the change on disk, and record the operations that follow from it.

        Raises:
            UnlatchError: it is refused; nothing was changed.
        """

    def entry(self, outcome: Outcome) -> dict[str, Any]:
        """The facts of its document, besides the increment and the deliveries."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a change did, before anything was delivered.

    Args:
        fresh: the operations that this process has just recorded.
        warnings: violations of rules that did not refuse it, and what a person has to do.
        step: the `ResumeStep` that a resume took.
        entry: the new entry of reopenHistory.
        undone: the entries of reopenHistory that an undo marked, the oldest first.
        scope: the change of the work.
        repeated: the change of the work that was skipped, because it was made before.
        spared: the links whose items stay open, with the unfinished increments that need them.
        is_reason_lost: whether it had that status already, and has no record of this reason.
        seen: the items of the new operations, as just read.
    """

    before: Increment
    increment: Increment
    fresh: frozenset[str] = frozenset()
    warnings: tuple[UnlatchError, ...] = ()
    step: str | None = None
    entry: ReopenEntry | None = None
    undone: tuple[ReopenEntry, ...] = ()
    scope: Scope | None = None
    repeated: Amendment | None = None
    spared: tuple[tuple[Link, tuple[str, ...]], ...] = ()
    is_reason_lost: bool = False
    seen: Mapping[OperationKey, Snapshot] = field(default_factory=dict)


@dataclass(slots=True)
class Done:
    """A change that was carried out.

    Args:
        delivered: None if nothing was pending.
        failed: the errors of the steps after the change.
    """

    change: Change
    outcome: Outcome
    delivered: DeliveryResult | None = None
    failed: tuple[UnlatchError, ...] = ()

    @property
    def id(self) -> str:
        return self.increment.id

    @property
    def increment(self) -> Increment:
        """The increment as it is after the delivery."""
        return self.delivered.increment if self.delivered else self.outcome.increment


@dataclass(frozen=True, slots=True)
class Refusal:
    """An increment that stays as it is, and why; `before` is None if it cannot be read."""

    id: str
    error: UnlatchError
    before: Increment | None = None


Ended: TypeAlias = "Done | Refusal"


@dataclass(frozen=True, slots=True)
class DryRun:
    """What changes would do.

    Args:
        items: the number of items to be written to.
        excess: the error if that is more than allowed.
    """

    previews: Sequence[Preview]
    refused: Sequence[Refusal]
    items: int
    excess: UsageError | None


@dataclass(frozen=True, slots=True)
class Work:
    """Planned changes at one place.

    Args:
        refused: what was refused when the changes were planned.
        names: the order in which all of them are reported; by default those that were refused last.
    """

    place: Place
    changes: Sequence[Change]
    refused: Sequence[Refusal] = ()
    names: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeOptions:
    """The options that commands which change something have in common.

    Args:
        command: the words after `unlatch`, without its arguments.
        listing: the whole command that lists the items to be written to.
        is_many: whether the arguments could have meant several; then what is refused does not stop
            the others, and a script gets the document for many.
        max_items: the most items to write to; by default as configured.
        tracker: the only tracker that is delivered to.
        activates: whether the changes add to the active increments.
        own_pending: refuse, also a dry run, where others recorded what is pending.
    """

    command: str
    listing: str = ""
    is_many: bool = False
    dry_run: bool = False
    offline: bool = False
    yes: bool = False
    as_json: bool = False
    verbose: bool = False
    max_items: int | None = None
    tracker: str | None = None
    activates: bool = False
    own_pending: bool = False
