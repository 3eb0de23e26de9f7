"""One operation on its way to its item.

A fresh operation (made in this very process, a moment ago) is simply sent. Any other may have been
delivered already, by a run that died before it could note it, or from another clone, so the item is
asked for the operation's marker first. The marker decides, whoever posted it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from unlatch.domain.operation import Change, Draft, Kind, Operation, Outcome, Result
from unlatch.engine.draft import draft_of
from unlatch.engine.finish import needed_by
from unlatch.engine.intent import change_for
from unlatch.engine.linking import link_of, story_of
from unlatch.engine.permission import left_out, refusal, writable
from unlatch.engine.undoing import Taken, done_by, entry_undone_by, plan_undo, was_reached
from unlatch.errors import Conflict, NotFound
from unlatch.spi import Capability
from unlatch.store.config import CommentStyle
from unlatch.store.sync_config import Part

if TYPE_CHECKING:
    from collections.abc import Collection

    from unlatch.domain.increment import Increment
    from unlatch.domain.item import CommentRef, ItemRef, RemoteItem
    from unlatch.engine.progress import Delivery
    from unlatch.engine.trackers import Trackers
    from unlatch.engine.workspace import Workspace
    from unlatch.spi import SyncPlugin
    from unlatch.store.attempts import Key, Tried
    from unlatch.store.config import CoreConfig

# A clock may be a day wrong, on this machine or on the one that made the intent.
CLOCK_LEEWAY = timedelta(days=1)
# How often a change is planned anew because somebody else was faster.
MOST_PLANS = 4


@dataclass(frozen=True, slots=True)
class Job:
    """How to deliver.

    Args:
        fresh: operations made in this process, which need no probe.
        even_if_deliberate: also reopen what was closed on purpose.
        options: options of the plugins' manifests that were asked for, now and for this delivery.
        follow: let links follow items that lie elsewhere by now.
        tracker: only what is owed to this tracker; None for all.
        comment: how much to say on the items, instead of what is configured.
        tried: operations that this run has tried already; what waits behind them waits on.
    """

    fresh: frozenset[str] = frozenset()
    even_if_deliberate: bool = False
    options: frozenset[str] = frozenset()
    follow: bool = False
    tracker: str | None = None
    comment: CommentStyle | None = None
    tried: frozenset[Key] = frozenset()


def wanted_change(
    operation: Operation, increment: Increment, config: CoreConfig, job: Job
) -> Change:
    """The change that an operation comes to, with what was asked for, now or at first."""
    manner = operation.manner
    asked = job.comment or (CommentStyle(manner.comment) if manner.comment else config.comment)
    change = change_for(
        operation,
        increment,
        config.model_copy(update={"comment": asked}),
        even_if_deliberate=job.even_if_deliberate or manner.even_if_not_planned,
    )
    permitted = within(change, writable(config, increment, operation))
    return replace(permitted, options=job.options | frozenset(manner.options))


def within(change: Change, parts: frozenset[Part]) -> Change:
    """What is left of a change where only these parts of an item may be written."""
    if Part.STATUS not in parts:
        change = replace(change, goal=None)
    if Part.COMMENT not in parts:
        change = replace(change, comment=None)
    if Part.LABELS not in parts:
        change = replace(change, add_labels=(), remove_labels=())
    return change


class Attempt:
    """One operation on its way to its item."""

    def __init__(
        self,
        workspace: Workspace,
        trackers: Trackers,
        increment: Increment,
        delivery: Delivery,
        job: Job,
        *,
        tried: Tried | None,
    ) -> None:
        self._config = workspace.config
        self._workspace = workspace
        self._trackers = trackers
        self._tried = tried
        self._plugin: SyncPlugin = trackers.open(delivery.operation.tracker)
        self._capabilities: Collection[Capability] = trackers.manifest(
            delivery.operation.tracker
        ).capabilities
        self._increment = increment
        self._delivery = delivery
        self._operation = delivery.operation
        self._job = job
        self._parts = writable(self._config, increment, delivery.operation)
        self._since = delivery.operation.at - CLOCK_LEEWAY

    def run(self) -> Delivery:
        """Send what is not there yet.

        Raises:
            TrackerError: it was not delivered, or nobody knows.
        """
        change = wanted_change(self._operation, self._increment, self._config, self._job)
        if refused := refusal(self._operation, self._parts):
            raise refused
        # An earlier attempt may have got through, even one of another process a moment ago.
        fresh = self._operation.op in self._job.fresh and self._tried is None
        if not fresh:
            self._let_settle()
            if needed := self._needed_by():
                kept = f"left open: {', '.join(needed)} needs it"
                change = replace(change, goal=None, add_labels=(), remove_labels=())
                return self._noted(self._sent(change, fresh=fresh), kept)
        return self._sent(change, fresh=fresh)

    def _needed_by(self) -> tuple[str, ...]:
        """Who needs the item that is to be closed; it may be others than when that was decided."""
        if self._operation.kind is not Kind.CLOSE or not self._operation.state:
            return ()
        link = link_of(self._increment, self._operation)
        return needed_by(self._workspace, self._increment, link)

    def _noted(self, delivery: Delivery, note: str) -> Delivery:
        outcome = delivery.outcome
        told = outcome and replace(outcome, notes=(*outcome.notes, note))
        return replace(delivery, outcome=told)

    def _sent(self, change: Change, *, fresh: bool) -> Delivery:
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

    def _let_settle(self) -> None:
        """Wait until nothing that was sent before can still take effect unseen."""
        settle = self._config.settle
        if settle is None:
            settle = self._trackers.manifest(self._operation.tracker).settle
        now = self._workspace.clock()
        # A process that died in its attempt may have sent something the moment before.
        last = self._tried.ended or now if self._tried else self._operation.at
        left = min(settle, settle - (now - last).total_seconds())
        if left > 0:
            self._trackers.pause(self._operation.tracker, left, "an earlier request may still act")

    def _send(self, change: Change) -> Delivery:
        if self._operation.kind is Kind.UNDO and self._delivery.ref is not None:
            return self._undo(self._delivery.ref, change)
        outcome = self._act(change)
        notes = (*outcome.notes, *left_out(self._operation, self._parts))
        return replace(self._delivery, outcome=replace(outcome, notes=notes))

    def _undo(self, ref: ItemRef, change: Change, *, again: bool = False) -> Delivery:
        """Take back what the reopen did to the item; what cannot be taken back is said."""
        item = self._plugin.get_issue_status(ref)
        taken = self._taken(ref, item, change, again=again)
        if taken.change is None:
            left = [f"left as it is: {taken.note}"] if taken.note else []
            return replace(self._delivery, outcome=_kept(item, *left))
        outcome = self._plugin.close_issue(ref, within(taken.change, self._parts))
        if taken.note:
            outcome = replace(outcome, notes=(*outcome.notes, taken.note))
        return replace(self._delivery, outcome=outcome)

    def _taken(self, ref: ItemRef, item: RemoteItem, change: Change, *, again: bool) -> Taken:
        key, increment = self._operation.item, self._increment
        entry = entry_undone_by(increment, self._operation.op)
        if entry is None:
            return Taken(None, "the reopen that it takes back is not in the history")
        if done := done_by(increment, entry, item, key):
            return plan_undo(self._workspace, increment, done, item, change, again=again)
        since = entry.reopened_at - CLOCK_LEEWAY
        reached = was_reached(increment, entry, item, key) or self._plugin.find_comments(
            ref, entry.id, since
        )
        return Taken(None, "what the reopen found there is not recorded" if reached else None)

    def _finish_undo(self, ref: ItemRef, change: Change) -> Delivery:
        """After an interruption: the marker is there, so that only labels can be missing."""
        item = self._plugin.get_issue_status(ref)
        entry = entry_undone_by(self._increment, self._operation.op)
        done = done_by(self._increment, entry, item, self._operation.item) if entry else None
        outcome = _kept(item)
        if done is not None and not self._is_atomic:
            left = Change(change.op, add_labels=done.removed, remove_labels=done.added)
            outcome = self._plugin.close_issue(ref, left)
        return replace(self._delivery, found=True, outcome=outcome)

    @property
    def _is_atomic(self) -> bool:
        return Capability.ATOMIC_COMMENT in self._capabilities

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
        if self._operation.kind is Kind.UNDO:
            return self._probe_and_undo(ref, change)
        if change.comment is None:
            return self._send(change)  # without a marker, state and labels are compared anew
        guarded = self._guarded(ref, change)
        if not self._markers(ref):
            sent = self._send(guarded)
            self._converge(ref)
            return sent
        # The state came before the comment. Whoever changed it since then did so on purpose.
        left = replace(change, goal=None, comment=None)
        if self._is_atomic:
            left = Change(change.op)
        return replace(self._send(left), found=True)

    def _probe_and_undo(self, ref: ItemRef, change: Change) -> Delivery:
        guarded = self._guarded(ref, change)
        if self._markers(ref):
            return self._finish_undo(ref, change)
        sent = self._undo(ref, guarded, again=True)
        if sent.outcome is not None and sent.outcome.commented:
            self._converge(ref)
        return sent

    def _probe_created(self, change: Change) -> Delivery:
        item = self._plugin.find_created(self._operation.op, self._since)
        if item is None:
            return self._send(change)
        return replace(self._delivery, outcome=Outcome(Result.CREATED, None, item), found=True)

    def _markers(self, ref: ItemRef) -> tuple[CommentRef, ...]:
        return self._plugin.find_comments(ref, self._operation.op, self._since)

    def _guarded(self, ref: ItemRef, change: Change) -> Change:
        """The change, bound to the item as it is before it is asked for the marker.

        What can be taken back needs no guard. What cannot is not to be posted where another clone
        did so after the probe and before the plugin read the item.
        """
        if Capability.RETRACT in self._capabilities:
            return change
        return replace(change, revision=self._plugin.get_issue_status(ref).revision)

    def _converge(self, ref: ItemRef) -> None:
        """Two clones may have posted at once: whoever is not the earliest takes its own back."""
        if Capability.RETRACT not in self._capabilities:
            return
        for surplus in self._markers(ref)[1:]:
            with suppress(NotFound):  # the other clone was faster at that, too
                self._plugin.retract_comment(ref, surplus)

    def _draft(self) -> Draft:
        story = story_of(self._increment, self._operation)
        return draft_of(self._increment, self._operation.tracker, story)


def _kept(item: RemoteItem, *notes: str) -> Outcome:
    return Outcome(Result.STATE_KEPT, item, item, notes=notes)
