"""Plan the change of an operation, as the configuration permits it, and ask for labels again.

`sync.write` permits parts of all items, `sync.write_foreign` parts of items that are older than
their link. A SpecWeave project's consents (`canUpdateStatus` and the like) are read as these two.

An account may get the right to set labels later. A separate operation then asks for the labels
alone, so that neither state nor comment is sent again.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.config.choices import Part
from unlatch.delivery.changes import build_change, kind_for, remaining_labels, restrict
from unlatch.delivery.content import closing_note, hide_asker
from unlatch.delivery.revert import plan_revert
from unlatch.errors import Rejected, StoreError, UsageError
from unlatch.increments.files.changes.ids import retry_id
from unlatch.increments.model.check_boxes import (
    boxes_of,
    checks_in,
    states_of,
    ticked_by_people,
    with_states,
)
from unlatch.increments.model.status import Status
from unlatch.increments.records.events import Delivered, EventOnItem, Linked, read_events
from unlatch.increments.records.links import link_of, same_item
from unlatch.increments.records.pending import has_begun
from unlatch.patterns import pattern
from unlatch.spi import Capability
from unlatch.spi.change import Change, Draft, Goal, is_held_closed, must_move
from unlatch.spi.operation import AS_CONFIGURED, Kind, Operation
from unlatch.values import dataclass

if TYPE_CHECKING:
    from unlatch.delivery.task import DeliveryTask
    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.link import Link
    from unlatch.increments.records.refusals import Refusal
    from unlatch.project.workspace import Workspace
    from unlatch.spi.item import RemoteItem


# SpecWeave ends the ids of imported stories in an E.
_IMPORTED = pattern(r"US-?\w*\dE", re.IGNORECASE)
_REQUIRED = {Kind.CREATE: Part.CREATE, Kind.UPDATE: Part.BODY}
_STATE_LEFT = "its state is left alone: the configuration does not let it be written (sync.write)"


def check_permitted(workspace: Workspace, tracker: str, part: Part) -> None:
    """Refuse a part that no item of a tracker permits: `write-not-permitted`."""
    _require(part, workspace.config.sync.may_write(tracker), tracker)


def permitted_change(task: DeliveryTask, item: RemoteItem | None = None) -> Change:
    """Return the permitted change, whatever the item shows already; `item` as `build_change`."""
    parts = _parts(task)
    increment, operation = hide_asker(task.run.workspace, task.increment, task.operation)
    change = build_change(operation, increment, task.config, task.options, item)
    manifest = task.run.trackers.registry.manifest(task.operation.tracker)
    return restrict(replace(change, labels_match_case=manifest.labels_match_case), parts)


def expected_change(task: DeliveryTask) -> Change:
    """Return the change as far as it is known before the item is read."""
    change = permitted_change(task)
    # Most reopens have opened their item, so undoing them closes it.
    return replace(change, goal=Goal.COMPLETED) if task.operation.kind is Kind.UNDO else change


def plan_change(task: DeliveryTask, item: RemoteItem) -> Change:
    """Return the whole change, including parts that an earlier attempt did."""
    change, operation, parts = permitted_change(task, item), task.operation, _parts(task)
    if operation.state and Part.STATUS not in parts:
        task.remark(_STATE_LEFT)
    if operation.kind is Kind.UNDO:
        revert = plan_revert(task, change, item) or Change(change.op, options=change.options)
        change = restrict(revert, parts)
    elif why := reason_to_leave(task, item):
        # A command that names the item itself still posts its reason.
        is_named = task.increment.is_item or not task.increment.status.is_finished
        change = Change(
            change.op, options=change.options, comment=change.comment if is_named else None
        )
        task.remark(f"{'its labels are ' if is_named else ''}left alone: {why}")
    elif _is_said_again(task):
        task.remark("its reason is that of the reopen that follows")
        change = Change(change.op, options=change.options)
    elif _is_settled_alone(task, item, change):
        task.remark(f"is {item.state}; nothing changed")
        change = Change(change.op, options=change.options)
    elif operation.kind is Kind.CLOSE and operation.state and (needed := task.needed_by()):
        # Other increments may link to it since the close was enqueued.
        task.remark(f"left open: {', '.join(needed)} needs it")
        change = replace(change, goal=None, add_labels=(), remove_labels=())
    elif change.draft is not None:
        change = replace(change, draft=_keep_ticks(task, change.draft, item))
    task.change = _with_closing_note(task, change)
    return task.change


def _with_closing_note(task: DeliveryTask, change: Change) -> Change:
    """The change with the words that say how to reopen the item, if it closes one and has words."""
    comments, closes = task.config.comments, task.operation.kind is Kind.CLOSE
    if change.comment is None or change.goal is None or not (closes and comments.closing_note):
        return change
    if not task.supports(Capability.COMMANDS):
        return change
    return replace(change, comment=(*change.comment, *closing_note(task.operation, comments)))


def reason_to_leave(task: DeliveryTask, item: RemoteItem) -> str | None:
    """Return why an item that was closed deliberately needs nothing of an operation, if so.

    To complete its increment does not make it completed, and a reopen that the completion has
    superseded did not reopen it.
    """
    operation, amended = task.operation, task.increment.amendments
    if not item.deliberate or has_begun(operation):
        return None
    status = task.increment.status
    is_close = operation.kind is Kind.CLOSE and operation.state and status is not Status.ABANDONED
    is_reopen = operation.kind is Kind.REOPEN and not operation.state and status.is_finished
    if is_close or (is_reopen and all(amendment.id != operation.op for amendment in amended)):
        return f"it was closed deliberately ({item.state})"
    return None


def _is_said_again(task: DeliveryTask) -> bool:
    """Whether a reopen of items alone was superseded by a resume for the same reason.

    An earlier reopen of the increment itself took back another close, so its reason is a further
    one.
    """
    operation, increment = task.operation, task.increment
    if operation.state or operation.kind is not Kind.REOPEN or not operation.reason or task.markers:
        return False
    reasons = {entry.id: entry.reason for entry in increment.reopens}
    return any(
        other.state and other.kind is Kind.REOPEN and reasons.get(other.op) == operation.reason
        for other in increment.pending
        if same_item(link_of(increment, other), task.link)
    )


def _is_settled_alone(task: DeliveryTask, item: RemoteItem, change: Change) -> bool:
    """Whether an item that belongs to no increment was in the wanted state before the intent.

    The team of an increment has to know why it is worked on again; of an item alone there is
    nothing to say.
    """
    is_alone = task.increment.is_item and change.goal is not None and not task.markers
    has_part = has_begun(task.operation) or task.options.comment_anyway
    return is_alone and not has_part and not must_move(item, change.goal or Goal.OPEN)


def plan_create(task: DeliveryTask) -> Change:
    """Return the whole change of a create."""
    task.change = change = permitted_change(task)
    if change.draft is not None:
        task.boxes = boxes_of(checks_in(change.draft.body))
    return change


def _keep_ticks(task: DeliveryTask, draft: Draft, item: RemoteItem) -> Draft:
    """Return a draft with the check boxes as people left them on the item since the last sync.

    The next sync brings them into the files; the recorded boxes are those of the files.
    """
    checks = checks_in(draft.body)
    task.boxes = boxes_of(checks, task.link.base.boxes if task.link.base else None)
    base, seen = task.link.base, item.checks_of(draft.increment)
    pulls = task.config.sync.policy(task.operation.tracker).direction.pulls
    if base is None or base.boxes is None or seen is None or not pulls:
        return draft
    kept = ticked_by_people(states_of(checks), base.boxes, states_of(seen))
    return replace(draft, body=with_states(draft.body, kept))


def refuse_deliberate(item: RemoteItem, change: Change) -> None:
    """Refuse to reopen an item that was closed deliberately, without `even_if_not_planned`."""
    if not is_held_closed(item, change) or not must_move(item, Goal.OPEN):
        return
    error = Rejected(
        "deliberately-closed",
        f"the item was closed deliberately ({item.state})",
        where=item.ref.url,
        hint="to reopen it, repeat with --even-if-not-planned",
    )
    error.remedy = "--even-if-not-planned"
    raise error


def _parts(task: DeliveryTask) -> frozenset[Part]:
    """Return the parts of an operation's item that may be written; none at all is refused."""
    operation, sync = task.operation, task.config.sync
    is_restricted = sync.write_foreign is not None and operation.kind is not Kind.CREATE
    foreign = is_restricted and _is_foreign(task.increment, operation)
    parts = sync.may_write(operation.tracker, foreign=foreign)
    if operation.kind in _REQUIRED:
        _require(_REQUIRED[operation.kind], parts, operation.tracker)
    return parts if task.supports(Capability.LABELS) else parts - {Part.LABELS}


def may_write(workspace: Workspace, increment: Increment, link: Link, part: Part) -> bool:
    """Return whether the configuration lets a part of a linked item be written."""
    sync = workspace.config.sync
    update = Operation("", Kind.UPDATE, link.tracker, link.key, workspace.clock())
    foreign = sync.write_foreign is not None and _is_foreign(increment, update)
    return part in sync.may_write(link.tracker, foreign=foreign)


def _is_foreign(increment: Increment, operation: Operation) -> bool:
    """Whether the item is older than its link: imported by SpecWeave, or from `unlatch link`."""
    key = operation.tracker, operation.item
    link = next((link for link in increment.links if (link.tracker, link.key) == key), None)
    story = link.story if link else operation.story
    if increment.data.get("origin") == "external" or _IMPORTED.fullmatch(story or ""):
        return True
    try:
        events = read_events(increment.folder)
    except StoreError:
        return True  # without evidence the narrower permission counts
    keys = {operation.item, *((link.item, link.url) if link else ())}
    about = [event for event in events if isinstance(event, EventOnItem) and event.item in keys]
    about = [event for event in about if event.tracker == operation.tracker]
    is_created = any(isinstance(event, Delivered) and event.kind == Kind.CREATE for event in about)
    return not is_created and any(isinstance(event, Linked) for event in about)


def _require(part: Part, parts: frozenset[Part], tracker: str) -> None:
    if part in parts:
        return
    done = {Part.CREATE: "created", Part.BODY: "updated"}.get(part, f"given a {part.value}")
    raise UsageError(
        "write-not-permitted",
        f"the configuration does not let items be {done}",
        where=f"[trackers.{tracker}]",
        hint=f'add "{part.value}" to write in [sync] of .unlatch/config.toml; to see '
        "where its value comes from: unlatch doctor --settings",
    )


@dataclass(frozen=True, slots=True)
class RefusedLabels:
    """Labels that an item lacks, or still has, because its tracker refused them."""

    refusal: Refusal
    add: tuple[str, ...]
    remove: tuple[str, ...]

    @property
    def signed(self) -> tuple[str, ...]:
        """The labels as in results: "+reopened", "-completed"."""
        return (*(f"+{label}" for label in self.add), *(f"-{label}" for label in self.remove))

    def still_in(self, other: RefusedLabels) -> RefusedLabels:
        """Those that are refused by another count, too."""
        add, remove = set(other.add), set(other.remove)
        return replace(
            self,
            add=tuple(label for label in self.add if label in add),
            remove=tuple(label for label in self.remove if label in remove),
        )


def refused_labels(
    workspace: Workspace, increment: Increment, refusal: Refusal, item: RemoteItem | None = None
) -> RefusedLabels | None:
    """The labels of a refusal that are still wanted; None if there are none.

    They follow from the increment's status, so the item has to be in the same state.

    Args:
        item: as it is now, for those that are still missing; None where it was not read.
    """
    if item is not None and item.category.is_open is increment.status.is_finished:
        return None
    if not may_write(workspace, increment, refusal.link, Part.LABELS):
        return None
    change = _change(workspace, increment, refusal)
    add, remove = change.add_labels, change.remove_labels
    if item is not None:
        add, remove = remaining_labels(change, item.labels)
    return RefusedLabels(refusal, add, remove) if add or remove else None


def _change(workspace: Workspace, increment: Increment, refusal: Refusal) -> Change:
    operation = ask_again(workspace, increment, refusal, by=None)
    change = build_change(operation, increment, workspace.config, AS_CONFIGURED)
    matches_case = workspace.registry.manifest(refusal.link.tracker).labels_match_case
    return replace(change, labels_match_case=matches_case)


def ask_again(
    workspace: Workspace, increment: Increment, refusal: Refusal, *, by: str | None
) -> Operation:
    """The operation that asks again for refused labels."""
    return Operation(
        retry_id(increment, refusal.op),
        kind_for(increment.status),
        refusal.link.tracker,
        refusal.link.key,
        workspace.clock(),
        by,
        why="asked again for refused labels",
        state=False,
        labels=refusal.labels,
        retries=refusal.first,
    )
