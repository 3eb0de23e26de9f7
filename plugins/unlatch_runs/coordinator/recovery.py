"""Recovery of a run whose coordinator died, in the steps of the requirement. Twice is as once."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.worklog.disk.safe_open import exists
from unlatch_runs import events as e
from unlatch_runs import outputs
from unlatch_runs.coordinator.dispatching import Dispatching
from unlatch_runs.coordinator.pausing import pause, recent_completions
from unlatch_runs.coordinator.plans import load_plan
from unlatch_runs.event_lines import word_of
from unlatch_runs.journal import read_events
from unlatch_runs.run_model import Cause, PauseReason, Status
from unlatch_runs.state_file import STATE, saved

if TYPE_CHECKING:
    from unlatch_runs.coordinator.context import RunContext
    from unlatch_runs.dispatch.port import Lease
    from unlatch_runs.event_base import RunEvent


def recover(context: RunContext, session: str) -> Dispatching:
    """Take a run over from a coordinator that died; returns its workers that still run.

    The answers of the others are recorded. The tasks of those without one are available again, with
    their checkpoints; after too many such ends of one task in a row, the run is paused.

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
    unsaved = [event for event in read_events(context.folder) if event.sequence > sequence]
    journal.take_over(session)
    leases = _take_over_leases(context)
    reconciled = [event for event in unsaved if not isinstance(event, e.StateReconciled)]
    for event in reconciled:
        _reconcile(context, event)
    recent = recent_completions(state, context.clock() - context.thresholds.window)
    workers = Dispatching(context)
    orphans = workers.adopt(leases)
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
        workers.stop(PauseReason.CRASHES.value)
        pause(context, PauseReason.CRASHES)
    return workers


def check_recoverable(context: RunContext) -> None:
    """Raise `run-paused` or `run-over` for a run without a dead coordinator."""
    state, name = context.journal.state, context.run
    if state.status is Status.PAUSED:
        message = f"the run '{name}' is paused; a pause is resumed, not recovered"
        raise StoreError("run-paused", message, hint=f"unlatch run resume {quote(name)}")
    if state.is_over:
        hint = f"unlatch run resume {quote(name)} --reason TEXT"
        raise StoreError("run-over", f"the run '{name}' is {state.status}", hint=hint)


def take_back(context: RunContext) -> Dispatching:
    """Take over the workers that earlier coordinators left; StoreError `run-worker-alive`."""
    leases, workers = _take_over_leases(context), Dispatching(context)
    workers.adopt(leases)
    return workers


def _take_over_leases(context: RunContext) -> tuple[Lease, ...]:
    """Keep the workers whose dispatch has no end in the log, and end all others."""
    state = context.journal.state
    recovery = context.dispatcher.recover(state.epoch, keep=state.dispatched())
    if recovery.stuck:
        names = ", ".join(lease.task_id for lease in recovery.stuck)
        message = f"workers of an earlier coordinator could not be ended: {names}"
        hint = "end their processes, then run the command again"
        raise StoreError("run-worker-alive", message, where=str(context.folder), hint=hint)
    return recovery.kept


def _reconcile(context: RunContext, event: RunEvent) -> None:
    context.journal.record(e.StateReconciled, task_id=event.task_id, event_type=word_of(event))
