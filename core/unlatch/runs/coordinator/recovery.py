"""Recovery of a run whose coordinator died, in the steps of the requirement. Twice is as once."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.runs import events as e
from unlatch.runs import outputs
from unlatch.runs.coordinator.pausing import pause, recent_completions
from unlatch.runs.coordinator.plans import load_plan
from unlatch.runs.event_lines import word_of
from unlatch.runs.journal import read_events
from unlatch.runs.model import Cause, PauseReason, Status
from unlatch.runs.state_file import STATE, saved
from unlatch.worklog.disk.safe_open import exists

if TYPE_CHECKING:
    from unlatch.runs.coordinator.context import Context
    from unlatch.runs.event_base import RunEvent


def recover(context: Context, session: str) -> None:
    """Take a run over from a coordinator that died.

    Its workers are ended before anything is started again; their tasks are available again, with
    their checkpoints. After too many such ends of one task in a row, the run is paused.

    Raises:
        StoreError: `run-paused` for a recorded pause, which is resumed; `run-over`; or
            `run-worker-alive` if a worker of the dead coordinator could not be ended.
    """
    journal, state = context.journal, context.journal.state
    check_recoverable(context)
    at, sequence = saved(context.folder) or (None, 0)
    prior_state = outputs.NO_PRIOR_STATE
    if exists(context.folder / STATE):
        prior_state = outputs.prior_state(context.state_file, at)
    unsaved = [one for one in read_events(context.folder) if one.sequence > sequence]
    journal.take_over(session)
    end_old_workers(context)
    reconciled = [one for one in unsaved if not isinstance(one, e.StateReconciled)]
    for event in reconciled:
        _reconcile(context, event)
    orphans = end_orphans(context)
    recent = recent_completions(state, context.clock() - context.thresholds.window)
    load_plan(context)
    journal.record(
        e.CoordinatorRecovered,
        orphaned_agents=orphans,
        events_reconciled=len(reconciled),
        tasks_to_revalidate=tuple(recent),
    )
    context.save("recovery")
    context.say(
        outputs.recovered(
            state,
            prior_state=prior_state,
            reconciled=len(reconciled),
            orphans=orphans,
            validating=len(recent),
        )
    )
    if any(state.reached(task) is Cause.CRASHES for task in state.tasks.values()):
        pause(context, PauseReason.CRASHES)


def check_recoverable(context: Context) -> None:
    """Raise `run-paused` or `run-over` for a run without a dead coordinator."""
    state, name = context.journal.state, context.run
    if state.status is Status.PAUSED:
        message = f"the run '{name}' is paused; a pause is resumed, not recovered"
        raise StoreError("run-paused", message, hint=f"unlatch run resume {quote(name)}")
    if state.is_over:
        hint = f"unlatch run resume {quote(name)} --reason TEXT"
        raise StoreError("run-over", f"the run '{name}' is {state.status}", hint=hint)


def end_old_workers(context: Context) -> None:
    """End the workers that earlier coordinators left; StoreError `run-worker-alive`."""
    found = context.dispatcher.recover(context.journal.state.epoch)
    if found.stuck:
        names = ", ".join(lease.task_id for lease in found.stuck)
        message = f"workers of an earlier coordinator could not be ended: {names}"
        hint = "end their processes, then run the command again"
        raise StoreError("run-worker-alive", message, where=str(context.folder), hint=hint)


def end_orphans(context: Context) -> int:
    """Record the dispatches that never ended; returns their number."""
    found = context.journal.state.dispatched()
    for agent, task in found.items():
        role = task.dispatch.role.value if task.dispatch else ""
        context.journal.record(e.OrphanAgentDetected, agent_id=agent, task_id=task.id, type=role)
    return len(found)


def _reconcile(context: Context, event: RunEvent) -> None:
    context.journal.record(e.StateReconciled, task_id=event.task_id, event_type=word_of(event))
