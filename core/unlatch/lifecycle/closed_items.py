"""Closed items of unfinished increments: reopen them too, or report them."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from shlex import join, quote

from unlatch.errors import StoreError, UnlatchError
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.reason import quoted_reason
from unlatch.increments.model.status import Status
from unlatch.increments.records.links import identity, same_item
from unlatch.lifecycle.change import Place
from unlatch.lifecycle.fetch_items import ItemSnapshot, fetch_items
from unlatch.lifecycle.resume import Resume
from unlatch.lifecycle.resume_plan import (
    ACTIVE_STEPS,
    ResumeStep,
    known_reasons,
    reopened_by_pending,
)
from unlatch.project.registry import Registry
from unlatch.spi import Capability


def depends_on_items(plan: Resume) -> bool:
    """Whether a plan depends on the state of its items, which may be closed."""
    if plan.step is ResumeStep.REVIVE:
        return bool(plan.subject.links) and not plan.request.reopen_items
    if plan.step in (ResumeStep.ACTIVATE, ResumeStep.NOTHING):
        return bool(plan.subject.links) or has_new_reason(plan)
    return plan.step in ACTIVE_STEPS and (plan.request.reopen_items or has_new_reason(plan))


def has_new_reason(plan: Resume) -> bool:
    """Whether a plan for an active increment has an unrecorded reason."""
    reason = plan.request.reason
    if reason is None or plan.step not in ACTIVE_STEPS:
        return False
    return reason not in known_reasons(plan.subject)


def read_items_of(
    place: Place, plans: Sequence[Resume], *, offline: bool
) -> list[list[ItemSnapshot]]:
    """The items of each plan; without their state if they are not or cannot be read."""
    links = dict.fromkeys(link for plan in plans for link in plan.subject.links)
    seen = {link: ItemSnapshot(link, link.key) for link in links}
    if not offline and place.trackers is not None:
        within = place.workspace.config.patience
        seen |= {
            snapshot.link: snapshot
            for snapshot in fetch_items(place.trackers, links, within=within)
        }
    return [[seen[link] for link in plan.subject.links] for plan in plans]


def settle(place: Place, plan: Resume, seen: Sequence[ItemSnapshot], *, offline: bool) -> Resume:
    """Add closed items to a plan, or warnings about them, or the reason for a refusal."""
    reopens = plan.request.reopen_items
    if plan.step is ResumeStep.ACTIVATE and reopens:
        return reopening(plan, seen, unread=True)
    if plan.step in (ResumeStep.ACTIVATE, ResumeStep.REVIVE):
        # What stays closed while the increment is active.
        active = replace(plan.subject, status=Status.ACTIVE)
        return replace(plan, warnings=closed_warnings(active, seen))
    is_new = has_new_reason(plan)
    if not (is_new or reopens):
        return replace(plan, warnings=closed_warnings(plan.subject, () if offline else seen))
    settled = reopening(plan, seen, unread=reopens)
    if settled.reopening or not is_new:
        return settled
    return replace(plan, refusal=already_active(plan, seen, place.workspace.registry))


def reopenable(increment: Increment, seen: Iterable[ItemSnapshot]) -> tuple[ItemSnapshot, ...]:
    """The closed items, except those that a pending operation reopens."""
    closed = [
        snapshot
        for snapshot in seen
        if snapshot.item is not None and not snapshot.item.category.is_open
    ]
    return tuple(snapshot for snapshot in closed if not _is_pending(increment, snapshot))


def _is_pending(increment: Increment, snapshot: ItemSnapshot) -> bool:
    return any(same_item(snapshot.link, link) for link in reopened_by_pending(increment))


def reopening(plan: Resume, seen: Sequence[ItemSnapshot], *, unread: bool = False) -> Resume:
    """The plan that also reopens the closed items; with `unread` also those of unknown state."""
    chosen = [*reopenable(plan.subject, seen)]
    chosen += [snapshot for snapshot in seen if unread and snapshot.item is None]
    links = [snapshot.link for snapshot in chosen if not _is_pending(plan.subject, snapshot)]
    items = {
        identity(snapshot.link): snapshot.item for snapshot in chosen if snapshot.item is not None
    }
    return replace(plan, reopening=tuple(links), seen=items, is_new=has_new_reason(plan))


def closed_warnings(increment: Increment, seen: Sequence[ItemSnapshot]) -> tuple[UnlatchError, ...]:
    """Warnings about the items of an unfinished increment.

    `items-closed` for closed items, `items-unread` for items of unknown state.
    """
    if increment.status.is_finished:
        return ()
    closed, unread = (
        reopenable(increment, seen),
        [snapshot for snapshot in seen if snapshot.item is None],
    )
    command = f"unlatch resume {quote(increment.id)} --reopen-items --reason TEXT"
    warnings = []
    if closed:
        message = f"{_count(closed)} {_are(closed)} closed: {_names(closed)}"
        warnings.append(StoreError("items-closed", message, hint=f"to reopen: {command}"))
    if unread:
        message = f"{_count(unread)} {_were(unread)} not read and may be closed: {_names(unread)}"
        hint = f"unlatch show {quote(increment.id)}"
        warnings.append(StoreError("items-unread", message, hint=hint))
    return tuple(warnings)


def already_active(plan: Resume, seen: Sequence[ItemSnapshot], registry: Registry) -> StoreError:
    """The refusal of a new reason for an active increment without an item to reopen."""
    name, given = plan.subject.id, quoted_reason(plan.request.reason or "TEXT")
    hints = [
        *_deliver_hints(plan.subject),
        f"to add work: unlatch resume {quote(name)} --scope TEXT --reason {given} --yes",
    ]
    for link in plan.subject.links:
        manifest = registry.manifests.get(link.tracker)
        if manifest and Capability.REOPEN in manifest.capabilities:
            command = (
                f"unlatch {manifest.name} reopen-{manifest.slug} {quote(name)} --reason {given}"
            )
            hints.append(f"to post it on the {manifest.title} {manifest.noun}: {command}")
            break
    pending = [snapshot for snapshot in seen if _is_pending(plan.subject, snapshot)]
    unread = [snapshot for snapshot in seen if snapshot.item is None and snapshot not in pending]
    why = f"; {_names(unread)} {_were(unread)} not read" if unread else ""
    what = "and has no closed item to reopen"
    if pending:
        what = f"and an earlier operation to reopen {_names(pending)} is pending"
    return StoreError(
        "already-active",
        f"{name} is already active {what}{why}; the reason was not recorded",
        where=name,
        hint="; ".join(hints),
    )


def _deliver_hints(increment: Increment) -> list[str]:
    """The command that delivers the pending reopens, if there are any."""
    if not reopened_by_pending(increment):
        return []
    remedies = (operation.attempt.remedy for operation in increment.pending if operation.attempt)
    words = [word for remedy in dict.fromkeys(remedies) if remedy for word in remedy.split()]
    return [f"to deliver it: {join(('unlatch', 'sync', increment.id, *words))}"]


def _names(items: Iterable[ItemSnapshot]) -> str:
    return ", ".join(snapshot.name for snapshot in items)


def _count(items: Sequence[ItemSnapshot]) -> str:
    return "1 linked item" if len(items) == 1 else f"{len(items)} linked items"


def _are(items: Sequence[ItemSnapshot]) -> str:
    return "is" if len(items) == 1 else "are"


def _were(items: Sequence[ItemSnapshot]) -> str:
    return "was" if len(items) == 1 else "were"
