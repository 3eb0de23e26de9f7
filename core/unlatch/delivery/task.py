"""One operation in a run of delivery: its progress and its result."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import field
from typing import TYPE_CHECKING

from unlatch.delivery.states import Evidence, State, Step, current_state, next_step
from unlatch.errors import UnlatchError
from unlatch.increments.records.links import link_of
from unlatch.spi.change import Change, Result
from unlatch.spi.operation import DeliveryOptions, Kind, Operation, SeenItem
from unlatch.values import dataclass

if TYPE_CHECKING:
    from unlatch.config.config import CoreConfig
    from unlatch.delivery.run import DeliveryRun
    from unlatch.increments.files.manager import MetadataManager
    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.link import Boxes, Link
    from unlatch.spi import Capability, SyncPlugin
    from unlatch.spi.item import CommentRef, ItemRef, RemoteItem, Snapshot


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of an operation on its item, as the tracker's answers show it."""

    result: Result
    before: SeenItem | None  # before the first attempt wrote anything; None for a create
    after: RemoteItem  # after the last write
    commented: bool = False  # whether the item has its comment, from this run or an earlier one
    labels_added: tuple[str, ...] = ()
    labels_removed: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()  # labels that the tracker refused for good
    notes: tuple[str, ...] = ()  # for the user
    account: str | None = None  # the author of the comment, if this run posted it


@dataclass(frozen=True, slots=True)
class Delivery:
    operation: Operation
    name: str  # the item's display name, or its key where the name is unknown
    ref: ItemRef | None = None  # the item, if it could be located
    effect: Effect | None = None  # with an error, the parts that were done all the same
    error: UnlatchError | None = None
    requests: int = 0
    state: State = State.PENDING
    found: bool = False  # whether an earlier run or another clone had delivered it
    undecided: str | None = None  # why an undo left the item as it is, for a person to decide
    # The whole change, including parts that an earlier attempt did; None if the item was not read.
    change: Change | None = None
    remarks: tuple[str, ...] = ()  # of this run, for the user

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the tracker and of this run."""
        return (*(self.effect.notes if self.effect else ()), *self.remarks)

    @property
    def is_blocked(self) -> bool:
        """Whether it waits for a person."""
        return self.state is State.BLOCKED


@dataclass(eq=False)
class DeliveryTask:
    """One operation that a run delivers; the steps update it, the state machine reads it."""

    run: DeliveryRun
    increment: Increment  # as last read
    operation: Operation
    evidence: Evidence
    is_fresh: bool  # whether this process has made it and no other can have sent it
    options: DeliveryOptions
    name: str
    ref: ItemRef | None = None  # the item, once it is located
    snapshot: Snapshot | None = None  # as last read; None if it has to be read before writing
    markers: tuple[CommentRef, ...] = ()  # its comments found on the item
    change: Change | None = None  # the whole, including parts that an earlier attempt did
    boxes: Boxes | None = None  # those of the increment that the item's body is to show
    noted: bool = False  # whether the current attempt is noted on disk
    written: bool = False  # whether this run has written to the item
    effect: Effect | None = None
    error: UnlatchError | None = None
    undecided: str | None = None
    # Whether an undo leaves the item open because the reopen found it open.
    is_kept_open: bool = False
    notes: list[str] = field(default_factory=list)

    @property
    def step(self) -> Step:
        return next_step(self.operation, self.operation.attempt, self.evidence)

    @property
    def plugin(self) -> SyncPlugin:
        return self.run.trackers.open(self.operation.tracker)

    @property
    def manager(self) -> MetadataManager:
        return self.run.workspace.manager

    @property
    def config(self) -> CoreConfig:
        return self.run.workspace.config

    @property
    def link(self) -> Link:
        return link_of(self.increment, self.operation)

    def supports(self, capability: Capability) -> bool:
        manifest = self.run.trackers.registry.manifest(self.operation.tracker)
        return capability in manifest.capabilities

    def needed_by(self) -> tuple[str, ...]:
        """Return the other unfinished increments that link to its item."""
        return self.run.shared.needed_by(self.increment, self.link)

    def locate(self, ref: ItemRef | None = None) -> ItemRef:
        """Set its item; without `ref`, locate the one of its link."""
        self.ref = ref or self.run.trackers.locate(self.link)
        self.name = self.run.trackers.settings(self.ref.tracker).name(self.ref)
        return self.ref

    def remark(self, *notes: str | None) -> None:
        """Add notes for the user, each once."""
        self.notes += [note for note in dict.fromkeys(notes) if note and note not in self.notes]

    def result(self, requests: int) -> Delivery:
        operation, effect = self.operation, self.effect
        # One that was never sent, or has nothing to change, only found its item in that state.
        change = self.change
        has_part = change is None or any(
            (change.goal, change.comment, change.draft, change.add_labels, change.remove_labels)
        )
        was_sent = (operation.attempt is not None and has_part) or bool(self.markers)
        was_already = effect is not None and was_sent and not (self.error or self.written)
        if effect is not None:
            is_silent_undo = operation.kind is Kind.UNDO and not effect.commented
            was_already = was_already and not (
                is_silent_undo and effect.result is Result.STATE_KEPT
            )
        state = current_state(operation, operation.attempt, self.evidence)
        facts = (operation, self.name, self.ref, effect, self.error, requests, state, was_already)
        return Delivery(*facts, self.undecided, self.change, tuple(self.notes))


def make_task(
    run: DeliveryRun, increment: Increment, operation: Operation, *, offline: bool = False
) -> DeliveryTask:
    """Make the task for an operation; `offline`, its item may be outside the configured targets."""
    is_fresh, settled = run.is_fresh(operation), not run.settle_time(increment, operation)
    now = run.workspace.clock()
    evidence = Evidence(now, probed=is_fresh, settled=settled, named=run.named)
    options = run.options.over(operation.options)
    task = DeliveryTask(run, increment, operation, evidence, is_fresh, options, operation.item)
    if operation.kind is not Kind.CREATE:
        with suppress(UnlatchError):  # reading the item reports why it cannot be located
            # Whether a target is the former name of a configured one costs a request.
            task.locate(run.trackers.place(task.link) if offline else None)
    return task
