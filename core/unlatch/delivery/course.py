"""One operation on its way to its item, as far as a run has come with it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from unlatch.delivery.result import Delivery, Reached
from unlatch.delivery.states import Evidence, Step, next_step, state_of
from unlatch.errors import UnlatchError
from unlatch.increments.records.links import link_of
from unlatch.spi.operation import Kind, Result

if TYPE_CHECKING:
    from unlatch.delivery.run import Run
    from unlatch.increments.model.increment import Increment
    from unlatch.spi import Capability, SyncPlugin
    from unlatch.spi.item import CommentRef, ItemRef, Snapshot
    from unlatch.spi.operation import Change, Operation
    from unlatch.spi.options import DeliveryOptions


@dataclass
class Course:
    """What is known of one operation; the steps write it, the state machine reads it.

    Args:
        increment: its increment, as it was last read.
        evidence: what the state machine decides by.
        is_fresh: whether this process has made it and nobody else can have sent it.
        ref: the item, once it is located.
        snapshot: the item as it was last read; None where it has to be read before writing.
        markers: its comments on the item, as far as they were looked for.
        asked: the whole change, whatever an earlier attempt did of it.
        noted: whether the attempt under way is noted on disk.
        written: whether this run has written to the item.
    """

    run: Run
    increment: Increment
    operation: Operation
    evidence: Evidence
    is_fresh: bool
    options: DeliveryOptions
    name: str
    ref: ItemRef | None = None
    snapshot: Snapshot | None = None
    markers: tuple[CommentRef, ...] = ()
    asked: Change | None = None
    noted: bool = False
    written: bool = False
    outcome: Reached | None = None
    error: UnlatchError | None = None
    undecided: str | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def step(self) -> Step:
        """The next step."""
        return next_step(self.operation, self.operation.attempt, self.evidence)

    @property
    def plugin(self) -> SyncPlugin:
        """The plugin of its tracker.

        Raises:
            UnlatchError: the tracker cannot be opened.
        """
        return self.run.trackers.open(self.operation.tracker)

    def can(self, capability: Capability) -> bool:
        """Whether its tracker's plugin declares a capability."""
        return (
            capability in self.run.trackers.registry.manifest(self.operation.tracker).capabilities
        )

    def locate(self, ref: ItemRef) -> ItemRef:
        """Take this for its item."""
        self.ref = ref
        self.name = self.run.trackers.settings(ref.tracker).name(ref)
        return ref

    def remark(self, *notes: str | None) -> None:
        """What a person should know, each once."""
        for note in notes:
            if note and note not in self.notes:
                self.notes.append(note)

    @property
    def holds_up_others(self) -> bool:
        """Whether later operations on the item wait for it: it failed, and is tried again."""
        return self.error is not None and not self.operation.is_blocked

    def has_news(self, requests: int) -> bool:
        """Whether the run reports it: not one that is blocked and was passed over."""
        return bool(requests) or self.error is not None or not self.operation.is_blocked

    def delivery(self, requests: int) -> Delivery:
        """The result of the run."""
        operation, outcome = self.operation, self.outcome
        # One that nobody has sent only found its item as it should be.
        was_sent = operation.attempt is not None or bool(self.markers)
        was_there = outcome is not None and was_sent and not (self.error or self.written)
        if outcome is not None:
            outcome = replace(outcome, notes=(*outcome.notes, *self.notes))
            if operation.kind is Kind.UNDO and not outcome.commented:
                was_there = was_there and outcome.result is not Result.STATE_KEPT
        return Delivery(
            operation,
            self.name,
            self.ref,
            outcome,
            self.error,
            requests,
            state_of(operation, operation.attempt, self.evidence),
            found=was_there,
            undecided=self.undecided,
            asked=self.asked,
        )


def begin(run: Run, increment: Increment, operation: Operation) -> Course:
    """An operation as a run takes it up."""
    is_fresh = run.is_fresh(operation)
    evidence = Evidence(
        run.workspace.clock(),
        probed=is_fresh,
        settled=not run.unsettled(increment, operation),
        named=run.named,
    )
    options = run.options.over(operation.options)
    course = Course(run, increment, operation, evidence, is_fresh, options, operation.item)
    if operation.kind is not Kind.CREATE:
        with suppress(UnlatchError):  # reading it reports why it cannot be located
            course.locate(run.trackers.locate(link_of(increment, operation)))
    return course
