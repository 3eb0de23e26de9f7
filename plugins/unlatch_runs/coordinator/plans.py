"""Loading the plan into a run: drift is reported, and changed commands wait for consent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import UsageError
from unlatch_runs.dispatch.port import Role
from unlatch_runs.events import AgentStopped, ConsentChanged, PlanLoaded, TaskFacts
from unlatch_runs.run_model import RunState, Stage, Task

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch_runs.coordinator.context import RunContext
    from unlatch_runs.plan.plan_model import Plan


def load_plan(context: RunContext) -> tuple[str, ...]:
    """Read the plan in full, and report how the run differed from it; returns the differences.

    Raises:
        MistakesError: `plan-invalid`; the run is as it was.
        UsageError: `run-no-auditor`, if nothing could ever complete a task.
    """
    plan = context.read_plan(context.journal.state.tasks)
    check_auditor(plan, has_auditor=bool(context.consent().auditor))
    journal = context.journal
    drift = tuple(_drift(journal.state, plan))
    for agent, task in journal.state.dispatched().items():
        if reason := _ends_dispatch(task, plan):
            journal.record(AgentStopped, agent_id=agent, task_id=task.id, reason=reason)
    facts = tuple(
        TaskFacts(id=task.id, title=task.title, digest=task.digest, blocked_by=task.blocked_by)
        for task in plan.tasks.values()
    )
    journal.record(PlanLoaded, tasks=facts, drift=drift)
    context.plan = plan
    check_consent(context)
    for difference in drift:
        context.note(f"drift: {difference}")
    return drift


def _ends_dispatch(task: Task, plan: Plan) -> str | None:
    """The reason for which a worker is not wanted any more: an auditor checks the old criteria."""
    if task.id not in plan.tasks:
        return "not in the plan"
    is_audit = task.dispatch is not None and task.dispatch.role is Role.AUDITOR
    is_changed = task.digest != plan.tasks[task.id].digest
    return "the task was changed" if is_audit and is_changed else None


def check_consent(context: RunContext) -> None:
    """Record which tasks wait for a person's consent, if that changed."""
    missing = tuple(context.consent().missing(context.plan))
    if frozenset(missing) != context.journal.state.no_consent:
        context.journal.record(ConsentChanged, missing=missing)


def check_auditor(plan: Plan, *, has_auditor: bool) -> None:
    """Make sure that each task can be completed: by its commands, or by an auditor."""
    without = tuple(task.id for task in plan.tasks.values() if not task.commands)
    if without and not has_auditor:
        message = f"{len(without)} of {len(plan.tasks)} tasks have no acceptance command"
        hint = "add commands to their Acceptance Criteria, or name an auditor: --auditor COMMAND"
        raise UsageError("run-no-auditor", message, hint=hint, problems=without)


def _drift(state: RunState, plan: Plan) -> Iterator[str]:
    """How a run differs from its plan; nothing for a new run."""
    if not state.tasks:
        return
    for task in state.tasks.values():
        if task.id not in plan.tasks:
            yield f"{task.id} is not in the plan any more"
        elif plan.tasks[task.id].digest != task.digest:
            after = " after it was completed" if task.stage is Stage.DONE else ""
            yield f"{task.id} was changed{after}"
    yield from (f"{task} is new" for task in plan.tasks if task not in state.tasks)
