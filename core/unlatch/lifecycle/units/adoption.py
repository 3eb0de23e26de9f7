"""Adopt what the files of another tool show: the status of a unit that was changed there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.increments.model.status import Status
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.increments.files.changes.plans import Intent, Plan
    from unlatch.increments.model.increment import Increment
    from unlatch.project.workspace import Workspace
    from unlatch.worklog.event_log import Event


@dataclass(frozen=True, slots=True)
class Adoption:
    """A status that the files of a unit show since unlatch recorded another.

    Args:
        by: what shows it: "5/5 tasks", "archive".
        layout: the tool's name, for people.
    """

    increment: str
    recorded: Status
    shown: Status
    by: str
    layout: str

    @property
    def why(self) -> str:
        return f"{self.layout}: {self.by}"


def find_adoption(increment: Increment) -> Adoption | None:
    """What would be adopted for an increment, if anything."""
    now, recorded = increment.evidence, increment.overridden
    if now is None or recorded is None:
        return None
    from unlatch.increments.files.work.files import files_of  # noqa: PLC0415  (slow to load)

    layout = files_of(increment).layout.title
    # Finished work that goes on is active, also if the files show nothing done yet.
    goes_on = recorded.is_finished and not increment.status.is_finished
    status = Status.ACTIVE if goes_on else increment.status
    return Adoption(increment.id, recorded, status, now.by, layout)


def adopt(workspace: Workspace, increment: Increment, *, by: Callable[[], str]) -> Adoption | None:
    """Record the status that the files of a unit show; its items follow with the next comparison.

    A reopen in the tool's files is recorded as one, with what shows it for a reason.

    Raises:
        StoreError: its files cannot be read or written.
    """
    adoption = find_adoption(increment)
    if adoption is None:
        if _is_evidence_old(increment):
            workspace.manager.change(increment.id, _forget)
        return None
    reason = adoption.why
    workspace.manager.apply(increment.id, _plan(adoption), by=by(), reason=reason, recorded=False)
    return adoption


def _is_evidence_old(increment: Increment) -> bool:
    """Whether the files agree with the status again, and finished work is on record.

    Work that is done once more would be known, and not adopted.
    """
    if (now := increment.evidence) is None:
        return False
    from unlatch.increments.records.units import read_unit  # noqa: PLC0415  (slow to load)

    recorded = read_unit(increment.data)
    if recorded is None or recorded.evidence is None:
        return False
    return now.status is increment.status and now.status is not recorded.evidence.status


def _forget(_before: Increment, data: dict[str, Any]) -> list[Event]:
    from unlatch.increments.records.units import forget_evidence  # noqa: PLC0415  (as above)

    forget_evidence(data)
    return []


def _plan(adoption: Adoption) -> Callable[[Increment, Intent], Plan]:
    from unlatch.increments.files.changes.plans import (  # noqa: PLC0415  (slow to load)
        plan_enqueue,
        plan_reopen,
        plan_transition,
    )
    from unlatch.increments.records.status_events import Transitioned  # noqa: PLC0415

    def plan(before: Increment, intent: Intent) -> Plan:
        if find_adoption(before) != adoption:
            return plan_enqueue(before)  # it changed again, or another process was first
        recorded = replace(before, status=adoption.recorded, overridden=None)
        if adoption.recorded is Status.COMPLETED:
            source = f"{before.unit.layout}:{before.unit.key}" if before.unit else None
            return plan_reopen(recorded, replace(intent, exclude=before.links, source=source))
        # The files say nothing of the statuses on the way.
        is_done = adoption.shown is Status.COMPLETED
        change = plan_transition(
            replace(recorded, status=Status.ACTIVE) if is_done else recorded, adoption.shown, intent
        )
        event = change.event
        if isinstance(event, Transitioned):
            event = replace(event, origin=adoption.recorded)
        # A tool that archives what nobody will do closes nothing.
        pinned = before.links if adoption.shown is Status.ABANDONED else change.pin_base
        return replace(change, event=event, pin_base=pinned)

    return plan
