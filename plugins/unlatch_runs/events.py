"""The events of a run, by the types of the requirement; `event_lines` has their lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.worklog.record import FLAG, NUMBER, TEXT, WORDS, Record, Type, key, list_in, record
from unlatch_runs.event_base import AMOUNT, OPTIONAL_TIME, RunEvent, event

if TYPE_CHECKING:
    from datetime import datetime


@record
class TaskFacts:
    """The facts of a task that its state depends on."""

    id: str = key(TEXT)
    title: str = key(TEXT)
    digest: str = key(TEXT)
    blocked_by: tuple[str, ...] = key(WORDS, default=())


_TASK = Record.of(TaskFacts)
TASKS = Type(
    "RunTasks",
    lambda raw: _TASK.read_all(list_in(raw, "")),
    _TASK.write_all,
    blank=(),
)


@event("run_created")
@record
class RunCreated(RunEvent):
    """The run was created.

    Args:
        attempts: the number of failures that block a task.
        crashes: the number of ends with the coordinator, in a row, that block a task.
        on: the dispatcher; empty: this machine.
    """

    plan_file: str = key(TEXT)
    title: str = key(TEXT)
    attempts: int = key(NUMBER)
    by: str = key(TEXT)
    crashes: int = key(NUMBER, default=5)
    on: str = key(TEXT, default="")


@event("coordinator_started")
@record
class CoordinatorStarted(RunEvent):
    """A coordinator took the run over; events of earlier epochs do not count from here on."""

    epoch: int = key(NUMBER)
    previous_session_id: str | None = key(TEXT, default=None)


@event("plan_loaded")
@record
class PlanLoaded(RunEvent):
    """The plan was read in full; tasks that are not in it are no longer part of the run."""

    tasks: tuple[TaskFacts, ...] = key(TASKS)
    drift: tuple[str, ...] = key(WORDS, default=())


@event("consent_changed")
@record
class ConsentChanged(RunEvent):
    """Tasks with acceptance commands without consent; they are blocked."""

    missing: tuple[str, ...] = key(WORDS)


@event("developer_dispatched")
@record
class DeveloperDispatched(RunEvent):
    """A worker gets the task; recorded before it is started."""

    blocked_by: tuple[str, ...] = key(WORDS)
    resumed: bool = key(FLAG)
    attempt: int = key(NUMBER, default=1)
    worktree: str | None = key(TEXT, default=None)


@event("auditor_dispatched")
@record
class AuditorDispatched(RunEvent):
    """An auditor gets the task; `revalidation` if it was complete already."""

    revalidation: bool = key(FLAG, default=False)


@event("agent_placed")
@record
class AgentPlaced(RunEvent):
    """A node, another machine, has the worker or auditor."""

    node: str = key(TEXT)


@event("checkpoint")
@record
class Checkpoint(RunEvent):
    """A worker or auditor says how far it is."""

    text: str = key(TEXT)


@event("question_asked")
@record
class QuestionAsked(RunEvent):
    """A worker asks a person; its task waits for the answer."""

    question_id: str = key(TEXT)
    text: str = key(TEXT)
    options: tuple[str, ...] = key(WORDS, default=())


@event("question_answered")
@record
class QuestionAnswered(RunEvent):
    """A person answered; the next assignment of the task has it."""

    question_id: str = key(TEXT)
    text: str = key(TEXT)
    by: str = key(TEXT)


@event("task_submitted")
@record
class TaskSubmitted(RunEvent):
    """A worker says that its task is done; an auditor decides. `commit` has work of a node."""

    summary: str = key(TEXT, default="")
    commit: str = key(TEXT, default="")


@event("task_complete")
@record
class TaskComplete(RunEvent):
    """An auditor accepted the task: the only completion."""

    summary: str = key(TEXT, default="")


@event("task_revalidated")
@record
class TaskRevalidated(RunEvent):
    """An auditor accepted a completed task again."""


@event("audit_rejected")
@record
class AuditRejected(RunEvent):
    """An auditor rejected the task."""

    reason: str = key(TEXT)


@event("agent_failed")
@record
class AgentFailed(RunEvent):
    """A worker or auditor failed, died or took too long; the task has one more attempt."""

    reason: str = key(TEXT)


@event("agent_stopped")
@record
class AgentStopped(RunEvent):
    """A worker or auditor was ended, or waits for an answer: no attempt of the task."""

    reason: str = key(TEXT)


@event("late_answer")
@record
class LateAnswer(RunEvent):
    """An answer of a dispatch that is over; it changes nothing."""

    answer: str = key(TEXT)


@event("usage")
@record
class Usage(RunEvent):
    """The tokens and the cost in US dollars that a worker reported.

    With `agent_session`, they are the totals of that session of the worker's agent since it began.
    """

    tokens: int = key(NUMBER, default=0)
    cost: float = key(AMOUNT, default=0)
    agent_session: str = key(TEXT, default="")


@event("task_retried")
@record
class TaskRetried(RunEvent):
    """A person lets a task begin again whose attempts were used up."""

    by: str = key(TEXT)


@event("context_reported")
@record
class ContextReported(RunEvent):
    """The agent that drives the run says how much of its context is left, in percent."""

    left: float = key(AMOUNT)


@event("compaction_start")
@record
class CompactionStart(RunEvent):
    """The state is on disk; the driving agent's context is compacted next."""

    compaction_number: int = key(NUMBER)
    context_remaining: float = key(AMOUNT)


@event("compaction_complete")
@record
class CompactionComplete(RunEvent):
    """The run goes on after a compaction; every second time with the full plan."""

    compaction_number: int = key(NUMBER)
    full_reload: bool = key(FLAG)


@event("session_pause")
@record
class SessionPause(RunEvent):
    """The run is paused: by a usage limit, a person, an error, or a question."""

    reason: str = key(TEXT)
    remaining_percent: float | None = key(AMOUNT, default=None)
    resets_at: datetime | None = key(OPTIONAL_TIME, default=None)


@event("session_resume")
@record
class SessionResume(RunEvent):
    """A paused run goes on, after these tasks are validated again."""

    resume_count: int = key(NUMBER)
    tasks_to_revalidate: tuple[str, ...] = key(WORDS)


@event("orphan_agent_detected")
@record
class OrphanAgentDetected(RunEvent):
    """A dispatch without an end, of a coordinator that died: no attempt; `type` is its role."""

    type: str = key(TEXT)


@event("state_reconciled")
@record
class StateReconciled(RunEvent):
    """An event later than the saved state, of this type, was applied."""

    event_type: str = key(TEXT)


@event("coordinator_recovered")
@record
class CoordinatorRecovered(RunEvent):
    """Recovery is complete; these tasks are validated again."""

    orphaned_agents: int = key(NUMBER)
    events_reconciled: int = key(NUMBER)
    tasks_to_revalidate: tuple[str, ...] = key(WORDS, default=())


@event("run_reopened")
@record
class RunReopened(RunEvent):
    """A run that had ended is taken up again."""

    reason: str = key(TEXT)
    by: str = key(TEXT)


@event("run_finished")
@record
class RunFinished(RunEvent):
    """All tasks are complete."""


@event("run_stopped")
@record
class RunStopped(RunEvent):
    """A person ended the run before all tasks were complete."""

    reason: str = key(TEXT)
