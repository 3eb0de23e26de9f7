"""The state of a run from its events. Pure: no clock, no file; an event applied twice counts once.

An event that does not fit is passed over, as an answer of a dispatch that is over is: a log may be
damaged, or come from a coordinator that was replaced.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch_runs import events as e
from unlatch_runs.dispatch.port import Role
from unlatch_runs.run_model import Dispatch, Pause, Question, RunState, Stage, Status, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from unlatch_runs.event_base import RunEvent


def apply(state: RunState, event: RunEvent) -> bool:
    """Apply the next event to a state; False for one that is in it already, or of an old epoch."""
    if event.sequence != state.sequence + 1:
        return False
    takes_over = isinstance(event, e.CoordinatorStarted) and event.epoch > state.epoch
    if state.session and event.session_id != state.session and not takes_over:
        return False
    state.sequence, state.updated = event.sequence, event.timestamp
    if change := _CHANGES.get(type(event)):
        change(state, event)
    return True


def _create(state: RunState, event: e.RunCreated) -> None:
    state.plan_file, state.title, state.created = event.plan_file, event.title, event.timestamp
    state.on = event.on
    state.attempts_limit, state.crashes_limit = max(1, event.attempts), max(1, event.crashes)


def _take_over(state: RunState, event: e.CoordinatorStarted) -> None:
    state.epoch, state.session = event.epoch, event.session_id
    state.previous_session = event.previous_session_id
    state.origin = state.origin or event.session_id


def _load(state: RunState, event: e.PlanLoaded) -> None:
    tasks = {}
    for facts in event.tasks:
        task = state.tasks.get(facts.id) or Task(facts.id, "", "", ())
        task.title, task.digest, task.blocked_by = facts.title, facts.digest, facts.blocked_by
        if task.stage is Stage.DONE and task.done_digest != task.digest:
            task.stage, task.completed_at, task.validates = Stage.CRITIQUE, None, False
            task.dispatch, task.validations = None, 0
        tasks[facts.id] = task
    state.tasks = tasks


def _consent(state: RunState, event: e.ConsentChanged) -> None:
    state.no_consent = frozenset(event.missing)


def _assign(state: RunState, event: e.DeveloperDispatched) -> None:
    task = state.tasks.get(event.task_id or "")
    if task and task.stage is Stage.OPEN and event.agent_id:
        task.stage = Stage.IN_PROGRESS
        task.dispatches += 1
        task.worktree = event.worktree or task.worktree
        task.dispatch = Dispatch(event.agent_id, Role.DEVELOPER, event.timestamp)


def _audit(state: RunState, event: e.AuditorDispatched) -> None:
    task = state.tasks.get(event.task_id or "")
    if task and task.stage in (Stage.CRITIQUE, Stage.DONE) and event.agent_id:
        if task.stage is Stage.CRITIQUE:
            task.stage = Stage.AUDIT
        task.dispatch = Dispatch(event.agent_id, Role.AUDITOR, event.timestamp)


def _current(state: RunState, event: RunEvent, role: Role | None = None) -> Task | None:
    """The task of an event, if its agent has the task now."""
    task = state.tasks.get(event.task_id or "")
    if task is None or task.dispatch is None or task.dispatch.agent != event.agent_id:
        return None
    return task if role in (None, task.dispatch.role) else None


def _ended(state: RunState, event: RunEvent, role: Role | None = None) -> Task | None:
    """As `_current`; its dispatch ended while its coordinator was there."""
    if task := _current(state, event, role):
        task.dispatch, task.crashes = None, 0
    return task


def _place(state: RunState, event: e.AgentPlaced) -> None:
    task = _current(state, event)
    if task and task.dispatch:
        task.dispatch = replace(task.dispatch, node=event.node)


def _note(state: RunState, event: e.Checkpoint) -> None:
    # An auditor's words are no context for the next worker.
    if task := _current(state, event, Role.DEVELOPER):
        task.checkpoint = event.text


def _ask(state: RunState, event: e.QuestionAsked) -> None:
    if task := _current(state, event):
        question = Question(event.question_id, task.id, event.text, event.options)
        state.questions.setdefault(event.question_id, question)


def _answer(state: RunState, event: e.QuestionAnswered) -> None:
    question = state.questions.get(event.question_id)
    if question and question.answer is None:
        question.answer = event.text


def _submit(state: RunState, event: e.TaskSubmitted) -> None:
    if task := _ended(state, event, Role.DEVELOPER):
        task.stage, task.summary, task.commit = Stage.CRITIQUE, event.summary, event.commit
        task.verdict = ""


def _complete(state: RunState, event: e.TaskComplete) -> None:
    task = _current(state, event, Role.AUDITOR)
    if task and task.stage is Stage.AUDIT:
        _ended(state, event)
        task.stage, task.completed_at = Stage.DONE, event.timestamp
        task.done_digest = task.digest
        task.verdict = event.summary


def _revalidate(state: RunState, event: e.TaskRevalidated) -> None:
    task = _current(state, event, Role.AUDITOR)
    if task and task.stage is Stage.DONE:
        _ended(state, event)
        task.validates, task.validations = False, 0


def _reject(state: RunState, event: e.AuditRejected) -> None:
    if task := _ended(state, event, Role.AUDITOR):
        task.stage, task.completed_at = Stage.OPEN, None
        task.validates, task.validations = False, 0
        task.attempts += 1
        kept = [task.checkpoint] if task.checkpoint else []
        _keep_failure(task, f"The auditor rejected the work: {event.reason}")
        task.checkpoint = "\n".join((*kept, task.failure))


def _keep_failure(task: Task, reason: str) -> None:
    task.failure = reason
    if reason not in task.failures:
        task.failures += (reason,)


_BEFORE = {Stage.IN_PROGRESS: Stage.OPEN, Stage.AUDIT: Stage.CRITIQUE}


def _fail(state: RunState, event: e.AgentFailed) -> None:
    if task := _ended(state, event):
        if task.stage is Stage.DONE:
            task.validations += 1
        else:
            task.attempts += 1
        _give_back(task)
        if event.reason:
            _keep_failure(task, event.reason)


def _orphan(state: RunState, event: e.OrphanAgentDetected) -> None:
    if task := _current(state, event):
        task.dispatch = None
        task.crashes += 1
        _give_back(task)


def _stop(state: RunState, event: e.AgentStopped) -> None:
    if task := _ended(state, event):
        _give_back(task)


def _give_back(task: Task) -> None:
    task.stage = _BEFORE.get(task.stage, task.stage)


def _use(state: RunState, event: e.Usage) -> None:
    """Add what was used since the last totals of a session (findings/claude-session-totals.sh)."""
    tokens, cost = state.agent_sessions.get(event.agent_session, (0, 0.0))
    if event.tokens < tokens:  # the agent began to count anew
        tokens, cost = 0, 0.0
    state.tokens += event.tokens - tokens
    state.cost += max(0.0, event.cost - cost)
    if event.agent_session:
        state.agent_sessions[event.agent_session] = event.tokens, event.cost


def _retry(state: RunState, event: e.TaskRetried) -> None:
    if task := state.tasks.get(event.task_id or ""):
        task.attempts = task.validations = task.crashes = 0


def _context(state: RunState, event: e.ContextReported) -> None:
    state.context_left = event.left


def _compact(state: RunState, event: e.CompactionStart) -> None:
    state.compactions, state.compacting = event.compaction_number, True


def _compacted(state: RunState, _: e.CompactionComplete) -> None:
    state.compacting, state.context_left = False, None


def _pause(state: RunState, event: e.SessionPause) -> None:
    state.status = Status.PAUSED
    state.pause = Pause(event.reason, event.timestamp, event.remaining_percent, event.resets_at)


def _resume(state: RunState, event: e.SessionResume) -> None:
    state.status, state.pause, state.resumes = Status.RUNNING, None, event.resume_count
    _validate(state, event.tasks_to_revalidate)


def _recover(state: RunState, event: e.CoordinatorRecovered) -> None:
    _validate(state, event.tasks_to_revalidate)


def _validate(state: RunState, tasks: Iterable[str]) -> None:
    for name in tasks:
        task = state.tasks.get(name)
        if task and task.stage is Stage.DONE:
            task.validates = True


def _reopen(state: RunState, _: e.RunReopened) -> None:
    state.status, state.stopped = Status.RUNNING, ""


def _finish(state: RunState, _: e.RunFinished) -> None:
    state.status, state.pause = Status.FINISHED, None


def _end(state: RunState, event: e.RunStopped) -> None:
    state.status, state.pause, state.stopped = Status.FAILED, None, event.reason


_CHANGES: dict[type[RunEvent], Callable[[RunState, Any], None]] = {
    e.RunCreated: _create,
    e.CoordinatorStarted: _take_over,
    e.PlanLoaded: _load,
    e.ConsentChanged: _consent,
    e.DeveloperDispatched: _assign,
    e.AuditorDispatched: _audit,
    e.AgentPlaced: _place,
    e.Checkpoint: _note,
    e.QuestionAsked: _ask,
    e.QuestionAnswered: _answer,
    e.TaskSubmitted: _submit,
    e.TaskComplete: _complete,
    e.TaskRevalidated: _revalidate,
    e.AuditRejected: _reject,
    e.AgentFailed: _fail,
    e.OrphanAgentDetected: _orphan,
    e.AgentStopped: _stop,
    e.Usage: _use,
    e.TaskRetried: _retry,
    e.ContextReported: _context,
    e.CompactionStart: _compact,
    e.CompactionComplete: _compacted,
    e.SessionPause: _pause,
    e.SessionResume: _resume,
    e.CoordinatorRecovered: _recover,
    e.RunReopened: _reopen,
    e.RunFinished: _finish,
    e.RunStopped: _end,
}
