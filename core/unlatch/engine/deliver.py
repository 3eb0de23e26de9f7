"""Delivering what items are owed: items side by side, the operations of each in order.

A fresh operation (made in this very process, a moment ago) is simply sent. Any other may have been
delivered already, by a run that died before it could note it, or from another clone, so the item is
asked for the operation's marker first. The marker decides, whoever posted it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from unlatch.domain.increment import Base, Increment, Link, SyncedItem
from unlatch.domain.operation import Change, Draft, Kind, Operation, Outcome, Result
from unlatch.engine.draft import draft_of
from unlatch.engine.intent import change_for
from unlatch.engine.progress import Delivery
from unlatch.engine.side_by_side import side_by_side
from unlatch.errors import Conflict, NotFound, Rejected, UnlatchError, unexpected
from unlatch.spi import Capability
from unlatch.store.locks import delivery_lock
from unlatch.store.outbox import park, record

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from unlatch.domain.item import CommentRef, ItemRef
    from unlatch.engine.progress import Report
    from unlatch.engine.trackers import Trackers
    from unlatch.engine.workspace import Workspace
    from unlatch.spi import SyncPlugin
    from unlatch.store.config import CommentStyle

# A clock may be a day wrong, on this machine or on the one that made the intent.
CLOCK_LEEWAY = timedelta(days=1)
# How often a change is planned anew because somebody else was faster.
MOST_PLANS = 4
# A delivery waits for another one of the same increment; that one is bounded by its timeouts.
DELIVERY_PATIENCE = 120.0


@dataclass(frozen=True, slots=True)
class Job:
    """How to deliver.

    Args:
        fresh: operations made in this process, which need no probe.
        even_if_deliberate: also reopen what was closed on purpose.
        tracker: only what is owed to this tracker; None for all.
        comment: how much to say on the items, instead of what is configured.
    """

    fresh: frozenset[str] = frozenset()
    even_if_deliberate: bool = False
    tracker: str | None = None
    comment: CommentStyle | None = None


def deliver(
    workspace: Workspace, trackers: Trackers, wanted: str, job: Job, *, report: Report
) -> list[Delivery]:
    """Deliver what the items of one increment are owed.

    What cannot be delivered stays in `pending`; its delivery says why. One item's failure never
    keeps another from being served.

    Args:
        report: told of each delivery as it ends, in this thread.

    Raises:
        UnlatchError: the increment cannot be read, or another process is delivering it.
    """
    manager = workspace.manager
    name = manager.find(wanted).name
    if not _queues(manager.read(name), job):
        return []
    with delivery_lock(workspace.layout, name, patience=DELIVERY_PATIENCE):
        increment = manager.read(name)
        tasks = {
            key: _queue_task(workspace, trackers, increment, queue, job)
            for key, queue in _queues(increment, job).items()
        }
        done: list[Delivery] = []
        for _, deliveries in side_by_side(tasks):
            for delivery in deliveries:
                report(delivery)
                done.append(delivery)
    order = [operation.op + operation.item for operation in increment.pending]
    return sorted(done, key=lambda d: order.index(d.operation.op + d.operation.item))


def _queues(increment: Increment, job: Job) -> dict[tuple[str, str], list[Operation]]:
    queues: dict[tuple[str, str], list[Operation]] = {}
    for operation in increment.pending:
        if job.tracker in (None, operation.tracker):
            queues.setdefault((operation.tracker, operation.item), []).append(operation)
    return queues


def _queue_task(
    workspace: Workspace,
    trackers: Trackers,
    increment: Increment,
    queue: list[Operation],
    job: Job,
) -> Callable[[], list[Delivery]]:
    def run() -> list[Delivery]:
        deliveries = []
        for operation in queue:
            delivery = _deliver_one(workspace, trackers, increment, operation, job)
            deliveries.append(delivery)
            if not delivery.is_done:
                break  # what comes later on this item waits for what comes first
        return deliveries

    return run


def _deliver_one(
    workspace: Workspace,
    trackers: Trackers,
    increment: Increment,
    operation: Operation,
    job: Job,
) -> Delivery:
    from unlatch.transport import measure  # noqa: PLC0415  (nothing is sent without a tracker)

    delivery = Delivery(operation, operation.item)
    with measure() as meter:
        try:
            delivery = _located(trackers, increment, delivery)
            attempt = _Attempt(workspace, trackers, increment, delivery, job)
            delivery = attempt.run()
            _record(workspace, increment, delivery)
        except UnlatchError as error:
            delivery = _failed(workspace, increment, delivery, error)
        except Exception as error:  # noqa: BLE001  # a plugin's mistake must not stop the others
            delivery = replace(delivery, outcome=None, error=unexpected(error))
    return replace(delivery, requests=meter.requests)


def _located(trackers: Trackers, increment: Increment, delivery: Delivery) -> Delivery:
    operation = delivery.operation
    if operation.kind is Kind.CREATE:
        return delivery
    link = next(
        (
            link
            for link in increment.links
            if (link.tracker, link.key) == (operation.tracker, operation.item)
        ),
        None,
    )
    is_url = "://" in operation.item
    link = link or Link(operation.tracker, operation.item, operation.item if is_url else None)
    ref = trackers.locate(link)
    return replace(delivery, ref=ref, name=trackers.settings(ref.tracker).name(ref))


def _failed(
    workspace: Workspace, increment: Increment, delivery: Delivery, error: UnlatchError
) -> Delivery:
    parked = isinstance(error, Rejected | NotFound)
    if parked:
        park(workspace.manager, increment.id, delivery.operation, cause=error.id)
    return replace(delivery, outcome=None, error=error, parked=parked)


def _record(workspace: Workspace, increment: Increment, delivery: Delivery) -> None:
    outcome, operation = delivery.outcome, delivery.operation
    if outcome is None:
        return
    after = outcome.after
    reached = SyncedItem(after.ref.tracker, after.ref.id, after.ref.url)
    in_step = after.category.is_open is not increment.status.is_finished
    base = Base(increment.status.value, after.category.value, after.state) if in_step else None
    created = operation.kind is Kind.CREATE
    link = Link(after.ref.tracker, after.ref.id, after.ref.url, base) if created else None
    details = {
        "kind": operation.kind.value,
        "tracker": operation.tracker,
        "item": after.ref.url,
        "result": outcome.result.value,
        "commented": outcome.commented or delivery.found,
        "before": _before(outcome),
    }
    record(
        workspace.manager,
        increment.id,
        operation,
        reached=reached,
        base=base,
        details=details,
        link=link,
    )


def _before(outcome: Outcome) -> dict[str, object] | None:
    if outcome.before is None:
        return None
    return {"state": outcome.before.state, "labels": list(outcome.before.labels)}


class _Attempt:
    """One operation on its way to its item."""

    def __init__(
        self,
        workspace: Workspace,
        trackers: Trackers,
        increment: Increment,
        delivery: Delivery,
        job: Job,
    ) -> None:
        said = {"comment": job.comment} if job.comment else {}
        self._config = workspace.config.model_copy(update=said)
        self._plugin: SyncPlugin = trackers.open(delivery.operation.tracker)
        self._capabilities: Collection[Capability] = trackers.manifest(
            delivery.operation.tracker
        ).capabilities
        self._increment = increment
        self._delivery = delivery
        self._operation = delivery.operation
        self._job = job
        self._since = delivery.operation.at - CLOCK_LEEWAY

    def run(self) -> Delivery:
        """Send what is not there yet.

        Raises:
            TrackerError: it was not delivered, or nobody knows.
        """
        change = change_for(
            self._operation,
            self._increment,
            self._config,
            even_if_deliberate=self._job.even_if_deliberate,
        )
        fresh = self._operation.op in self._job.fresh
        for plan in range(MOST_PLANS):
            try:
                return self._send(change) if fresh else self._probe_and_send(change)
            except Conflict:
                # Somebody changed the item in between, perhaps another clone for this very
                # operation: from here on it is asked for the marker too.
                fresh = False
                if plan == MOST_PLANS - 1:
                    raise
        raise AssertionError

    def _send(self, change: Change) -> Delivery:
        return replace(self._delivery, outcome=self._act(change))

    def _act(self, change: Change) -> Outcome:
        kind, ref = self._operation.kind, self._delivery.ref
        if ref is None:
            return self._plugin.create_issue(self._draft(), change)
        if kind is Kind.UPDATE:
            return self._plugin.update_issue(ref, self._draft(), change)
        if kind is Kind.CLOSE:
            return self._plugin.close_issue(ref, change)
        return self._plugin.reopen_issue(ref, change)

    def _probe_and_send(self, change: Change) -> Delivery:
        ref = self._delivery.ref
        if ref is None:
            return self._probe_created(change)
        if change.comment is None:
            return self._send(change)  # without a marker, state and labels are compared anew
        if not self._markers(ref):
            sent = self._send(change)
            self._converge(ref)
            return sent
        # The state came before the comment. Whoever changed it since then did so on purpose.
        left = replace(change, goal=None, comment=None)
        if Capability.ATOMIC_COMMENT in self._capabilities:
            left = Change(change.op)
        return replace(self._send(left), found=True)

    def _probe_created(self, change: Change) -> Delivery:
        item = self._plugin.find_created(self._operation.op, self._since)
        if item is None:
            return self._send(change)
        return replace(self._delivery, outcome=Outcome(Result.CREATED, None, item), found=True)

    def _markers(self, ref: ItemRef) -> tuple[CommentRef, ...]:
        return self._plugin.find_comments(ref, self._operation.op, self._since)

    def _converge(self, ref: ItemRef) -> None:
        """Two clones may have posted at once: whoever is not the earliest takes its own back."""
        if Capability.RETRACT not in self._capabilities:
            return
        for surplus in self._markers(ref)[1:]:
            with suppress(NotFound):  # the other clone was faster at that, too
                self._plugin.retract_comment(ref, surplus)

    def _draft(self) -> Draft:
        return draft_of(self._increment)
