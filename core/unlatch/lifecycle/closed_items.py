"""Closed items of increments that are not finished: to reopen them too, or to report them."""

from __future__ import annotations

from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UnlatchError
from unlatch.increments.records.events import (
    Amended,
    Delivered,
    Reopened,
    Transitioned,
    read_events,
)
from unlatch.increments.records.links import link_of, same_item
from unlatch.lifecycle.resume_plan import ACTIVE_STEPS, ResumePlan, ResumeStep
from unlatch.spi import Capability
from unlatch.spi.operation import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from unlatch.increments.model.increment import Increment, Link
    from unlatch.lifecycle.fetch_items import ItemSnapshot
    from unlatch.project.registry import Registry

_LONGEST_QUOTED = 60


def depends_on_items(plan: ResumePlan) -> bool:
    """Whether a plan depends on the state of its items: they may be closed."""
    if plan.step in (ResumeStep.ACTIVATE, ResumeStep.NOTHING):
        return bool(plan.before.links) or has_new_reason(plan)
    return plan.step in ACTIVE_STEPS and (plan.request.reopen_items or has_new_reason(plan))


def has_new_reason(plan: ResumePlan) -> bool:
    """Whether a plan for an active increment has a reason that is not recorded."""
    reason = plan.request.reason
    if reason is None or plan.step not in ACTIVE_STEPS:
        return False
    return reason not in _known_reasons(plan.before)


def _known_reasons(increment: Increment) -> set[str | None]:
    """The reasons since the last reopen: a script that is repeated gives one of them again."""
    found = {operation.reason for operation in increment.pending}
    for event in read_events(increment.folder, increment.reopens):
        if isinstance(event, Reopened):
            found.clear()
        if isinstance(event, Reopened | Transitioned | Amended | Delivered):
            found.add(event.reason)
    return found


def reopenable(increment: Increment, seen: Iterable[ItemSnapshot]) -> tuple[ItemSnapshot, ...]:
    """The items that are closed, without those that a pending operation reopens."""
    due = [link_of(increment, one) for one in increment.pending if one.kind is Kind.REOPEN]
    return tuple(
        one
        for one in seen
        if one.item is not None
        and not one.item.category.is_open
        and not any(same_item(one.link, link) for link in due)
    )


def reopening(
    plan: ResumePlan, seen: Sequence[ItemSnapshot], *, unread: bool = False
) -> ResumePlan:
    """The plan that also reopens the closed items; with `unread` those of unknown state, too."""
    links: list[Link] = [one.link for one in reopenable(plan.before, seen)]
    links += [one.link for one in seen if unread and one.item is None]
    return replace(plan, reopening=tuple(links))


def closed_warnings(increment: Increment, seen: Sequence[ItemSnapshot]) -> tuple[UnlatchError, ...]:
    """Warnings about the items of an increment that is not finished.

    `items-closed` for closed ones, and `items-unread` for those whose state is not known.
    """
    if increment.status.is_finished:
        return ()
    closed, unread = reopenable(increment, seen), [one for one in seen if one.item is None]
    command = f"unlatch resume {increment.id} --reopen-items --reason TEXT"
    warnings = []
    if closed:
        message = f"{_count(closed)} {_are(closed)} closed: {_names(closed)}"
        warnings.append(StoreError("items-closed", message, hint=f"to reopen: {command}"))
    if unread:
        message = f"{_count(unread)} {_were(unread)} not read and may be closed: {_names(unread)}"
        warnings.append(StoreError("items-unread", message, hint=f"unlatch show {increment.id}"))
    return tuple(warnings)


def already_active(
    plan: ResumePlan, seen: Sequence[ItemSnapshot], registry: Registry
) -> StoreError:
    """The refusal of a new reason for an active increment without an item to reopen."""
    name, reason = plan.before.id, quote(plan.request.reason or "TEXT")
    given = reason if reason.isprintable() and len(reason) <= _LONGEST_QUOTED else "TEXT"
    hints = [f"to add work: unlatch resume {name} --scope TEXT --reason {given} --yes"]
    for link in plan.before.links:
        manifest = registry.manifests.get(link.tracker)
        if manifest and Capability.REOPEN in manifest.capabilities:
            command = f"unlatch {manifest.name} reopen-{manifest.slug} {name} --reason {given}"
            hints.append(f"to post it on the {manifest.title} {manifest.noun}: {command}")
            break
    unread = [one for one in seen if one.item is None]
    why = f"; {_names(unread)} {_were(unread)} not read" if unread else ""
    return StoreError(
        "already-active",
        f"{name} is already active and has no closed item to reopen{why}; the reason was not "
        "recorded",
        where=name,
        hint="; ".join(hints),
    )


def _names(items: Iterable[ItemSnapshot]) -> str:
    return ", ".join(one.name for one in items)


def _count(items: Sequence[ItemSnapshot]) -> str:
    return "1 linked item" if len(items) == 1 else f"{len(items)} linked items"


def _are(items: Sequence[ItemSnapshot]) -> str:
    return "is" if len(items) == 1 else "are"


def _were(items: Sequence[ItemSnapshot]) -> str:
    return "was" if len(items) == 1 else "were"
