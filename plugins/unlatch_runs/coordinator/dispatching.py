"""Giving tasks to workers and auditors, and recording their answers."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from unlatch.errors import StoreError, UnlatchError
from unlatch.values import dataclass
from unlatch_runs import events as e
from unlatch_runs.assignment import assignment, audit_assignment
from unlatch_runs.audit import Audit
from unlatch_runs.dispatch.outcome import NoAnswer, outcome_of
from unlatch_runs.dispatch.port import (
    Assignment,
    Ended,
    Lease,
    LeaseLost,
    NoRoom,
    Placed,
    Report,
    Role,
    StaleEpoch,
)
from unlatch_runs.dispatch.port import End as WorkerEnd
from unlatch_runs.dispatch.protocol import Answer, Checkpoint, Done, Noise, Question, Usage
from unlatch_runs.journal import read_events
from unlatch_runs.run_model import Stage, Task, TaskState

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from unlatch_runs.coordinator.context import RunContext
    from unlatch_runs.dispatch.places import Start
    from unlatch_runs.event_base import RunEvent

# Messages that say nothing after the end of their dispatch.
_SILENT = Checkpoint | Noise


@dataclass(slots=True)
class _Worker:
    """A worker of this coordinator; `answer` counts when it has ended.

    Args:
        recorded: the checkpoints and usages, from the first one on, that an earlier coordinator
            recorded.
    """

    lease: Lease
    role: Role
    task: str
    answer: Answer | None = None
    recorded: int = 0


class Dispatching:
    """The workers of one coordinator."""

    def __init__(self, context: RunContext) -> None:
        self.context, self.workers = context, dict[str, _Worker]()
        self._stops = False

    def adopt(self, leases: Sequence[Lease]) -> int:
        """Take over the workers of coordinators that died; returns the number of orphans.

        The answers of those that ended are recorded; those that run go on. An orphan left neither
        an answer nor a process.
        """
        tasks = self.context.journal.state.dispatched()
        recorded = Counter(
            event.agent_id
            for event in read_events(self.context.folder)
            if isinstance(event, e.Checkpoint | e.Usage)
        )
        crashes = {task.id: task.crashes for task in tasks.values()}
        for lease in leases:
            agent, task = lease.run_id, tasks[lease.run_id]
            if task.dispatch:
                self.workers[agent] = _Worker(
                    lease, task.dispatch.role, task.id, recorded=recorded[agent]
                )
        for agent, task in tasks.items():
            if agent not in self.workers:
                role = task.dispatch.role.value if task.dispatch else ""
                self._record(e.OrphanAgentDetected, agent, task.id, type=role)
        self.take(0)
        for agent, worker in self.workers.items():
            self.context.note(f"{worker.task} {worker.role}: still at work ({agent})")
        return sum(task.crashes > crashes[task.id] for task in tasks.values())

    def give_out(self) -> bool:
        """Dispatch as many tasks as there is room for; whether any was tried.

        Completed tasks that are to be validated come first, then audits, then work that was begun;
        new work waits until all is validated.
        """
        if self.context.dispatcher.room() < 1:
            return False
        state = self.context.journal.state
        validating = state.validating()
        audits = [task for task in validating if not task.dispatch and not state.reached(task)]
        audits += state.within(TaskState.CRITIQUE)
        work = [] if validating else state.within(TaskState.AVAILABLE)
        work.sort(key=lambda task: not task.dispatches)
        planned = [(task, Role.AUDITOR) for task in audits]
        planned += [(task, Role.DEVELOPER) for task in work]
        tried = False
        for task, role in planned:
            if self.context.dispatcher.room() < 1:
                break
            tried = self._dispatch(task, role) or tried
        return tried

    def take(self, timeout: float) -> None:
        """Record the reports that have arrived; waits for one at most `timeout` seconds."""
        for report in self.context.dispatcher.poll(timeout):
            self._take(report)

    def extend(self) -> None:
        """Extend the leases of live workers."""
        for worker in self.workers.values():
            with suppress(LeaseLost):
                worker.lease = self.context.dispatcher.heartbeat(worker.lease)

    def stop(self, reason: str) -> None:
        """End all workers; their tasks keep their checkpoints, and no attempt is counted.

        Answers count. A worker that ended without one was ended by what ends the coordinator, such
        as a system that shuts down.
        """
        self._stops = True
        self.take(0)
        for worker in self.workers.values():
            self.context.dispatcher.release(worker.lease)
        # Its last messages, which it printed before it was ended, and its end have arrived.
        self.take(0)
        self._stops = False
        for agent, worker in self.workers.items():
            self._record(e.AgentStopped, agent, worker.task, reason=reason)
        self.workers.clear()

    def drop_unplanned(self) -> None:
        """End the workers whose dispatch a new plan ended; their answers are late."""
        current = self.context.journal.state.dispatched()
        for agent, worker in list(self.workers.items()):
            if agent not in current:
                self.context.dispatcher.release(worker.lease)
                del self.workers[agent]

    @property
    def are_busy(self) -> bool:
        return bool(self.workers)

    def _dispatch(self, task: Task, role: Role) -> bool:
        """Record a dispatch, then start its worker; False if there was no room for it."""
        context, agent = self.context, self.context.new_id()
        text = self._text(task, role)
        try:
            start = context.places.begin(task.id)
        except StoreError as error:  # git makes no worktree for it, but perhaps for others
            self._record_dispatch(agent, task, role, None)
            return self._failed(agent, task, role, error)
        self._record_dispatch(agent, task, role, start.worktree)
        planned = self._assignment(agent, task, role, text, start)
        try:
            lease = context.dispatcher.claim(planned, epoch=context.journal.state.epoch)
        except StaleEpoch:
            raise
        except NoRoom as error:
            self._record(e.AgentStopped, agent, task.id, reason=error.message)
            return False
        except UnlatchError as error:
            return self._failed(agent, task, role, error)
        self.workers[agent] = _Worker(lease, role, task.id)
        context.note(f"{task.id} {role}: started ({agent})")
        return True

    def _failed(self, agent: str, task: Task, role: Role, error: UnlatchError) -> bool:
        self._record(e.AgentFailed, agent, task.id, reason=error.message)
        self.context.note(f"{task.id} {role}: failed: {error.message}")
        return True

    def _text(self, task: Task, role: Role) -> str:
        context = self.context
        planned, consent = context.plan.tasks[task.id], context.consent()
        if role is Role.DEVELOPER:
            references = context.references
            resumed = task.dispatches > 0
            return assignment(planned, context.journal.state, references, resumed=resumed)
        commands = tuple(command.argv for command in planned.commands)
        text = audit_assignment(planned, task)
        return Audit(commands, consent.auditor, text, consent.timeout).dump()

    def _assignment(
        self, agent: str, task: Task, role: Role, text: str, start: Start
    ) -> Assignment:
        variables = self.context.consent().pass_env
        if role is Role.AUDITOR:  # it looks at the work as it was submitted
            commit = task.commit or start.commit
            return Assignment(agent, task.id, role, text, commit, variables=variables)
        tasks = self.context.journal.state.tasks
        needs = [tasks[name].commit for name in task.blocked_by if name in tasks]
        return Assignment(
            agent,
            task.id,
            role,
            text,
            start.commit,
            start.branch,
            needs=tuple(filter(None, needs)),
            variables=variables,
        )

    def _record_dispatch(self, agent: str, task: Task, role: Role, worktree: Path | None) -> None:
        if role is Role.AUDITOR:
            self._record(e.AuditorDispatched, agent, task.id, revalidation=task.stage is Stage.DONE)
            return
        self._record(
            e.DeveloperDispatched,
            agent,
            task.id,
            blocked_by=task.blocked_by,
            resumed=task.dispatches > 0,
            attempt=task.attempts + 1,
            worktree=str(worktree) if worktree else None,
        )

    def _take(self, report: Report) -> None:
        agent, message = report.run_id, report.message
        worker = self.workers.get(agent)
        if worker is None:
            self._take_late(agent, message)
        elif isinstance(message, Ended):
            self._end(agent, worker, message)
        elif isinstance(message, Placed):
            self._place(agent, worker, message.node)
        elif isinstance(message, Answer):
            worker.answer = message
        elif isinstance(message, Checkpoint | Usage) and worker.recorded:
            worker.recorded -= 1
        elif isinstance(message, Checkpoint):
            self._record(e.Checkpoint, agent, worker.task, text=message.text)
        elif isinstance(message, Usage):
            tokens = message.input_tokens + message.output_tokens
            facts = {"cost": message.cost_usd, "agent_session": message.session}
            self._record(e.Usage, agent, worker.task, tokens=tokens, **facts)

    def _place(self, agent: str, worker: _Worker, node: str) -> None:
        task = self.context.journal.state.tasks.get(worker.task)
        # A coordinator that died may have recorded it.
        if task is None or task.dispatch is None or task.dispatch.node != node:
            self._record(e.AgentPlaced, agent, worker.task, node=node)
            self.context.note(f"{worker.task} {worker.role}: at work on {node} ({agent})")

    def _take_late(self, agent: str, message: Any) -> None:
        if not isinstance(message, _SILENT | Ended | Placed):
            self._record(e.LateAnswer, agent, None, answer=type(message).__name__.lower())

    def _end(self, agent: str, worker: _Worker, ended: Ended) -> None:
        """Record the outcome of a worker that has ended, then give back its lease."""
        del self.workers[agent]
        kind, facts = self._outcome(worker, ended)
        try:
            lease = self.context.dispatcher.heartbeat(worker.lease)
        except LeaseLost as error:
            # The coordinator was suspended for longer than the lease; that is no failure.
            if kind is not e.AgentStopped:
                kind, facts = e.AgentStopped, {"reason": error.message}
            lease = None
        self._record(kind, agent, worker.task, **facts)
        self.context.note(f"{worker.task} {worker.role}: {_described(kind, facts)}")
        if lease:
            with suppress(LeaseLost):
                self.context.dispatcher.complete(lease)

    def _outcome(self, worker: _Worker, ended: Ended) -> tuple[type[RunEvent], dict[str, Any]]:
        is_stopped = self._stops or ended.end in (WorkerEnd.RELEASED, WorkerEnd.EXPIRED)
        if worker.answer is None and is_stopped:
            return e.AgentStopped, {"reason": "ended by the coordinator"}
        if worker.answer is None and ended.end is WorkerEnd.UNSEEN:
            return e.OrphanAgentDetected, {"type": worker.role.value}
        match outcome_of(worker.role, worker.answer, ended):
            case NoAnswer(reason):
                return e.AgentFailed, {"reason": reason}
            case Question(text, options):
                # A dispatch asks once; a coordinator that died may have recorded it.
                agent = worker.lease.run_id
                asked = {"question_id": agent, "text": text, "options": options}
                if agent not in self.context.journal.state.questions:
                    self._record(e.QuestionAsked, agent, worker.task, **asked)
                return e.AgentStopped, {"reason": f"question: {text}"}
            case Done(summary):
                return self._accepted(worker, summary, ended.commit)
            case failed:
                is_audit = worker.role is Role.AUDITOR
                return e.AuditRejected if is_audit else e.AgentFailed, {"reason": failed.reason}

    def _accepted(
        self, worker: _Worker, summary: str, commit: str
    ) -> tuple[type[RunEvent], dict[str, Any]]:
        if worker.role is Role.DEVELOPER:
            return e.TaskSubmitted, {"summary": summary, "commit": commit}
        task = self.context.journal.state.tasks.get(worker.task)
        if task and task.stage is Stage.DONE:
            return e.TaskRevalidated, {}
        return e.TaskComplete, {"summary": summary}

    def _record(self, kind: type[RunEvent], agent: str, task: str | None, **facts: Any) -> None:
        self.context.journal.record(kind, agent_id=agent, task_id=task, **facts)


_WORDS = {
    e.TaskSubmitted: "done, waits for its audit",
    e.TaskComplete: "complete",
    e.TaskRevalidated: "validated again",
    e.AuditRejected: "rejected",
    e.AgentFailed: "failed",
    e.AgentStopped: "stopped",
    e.OrphanAgentDetected: "ended with its coordinator",
}


def _described(kind: type[RunEvent], facts: dict[str, Any]) -> str:
    """An outcome in a line."""
    reason = str(facts.get("reason", "")).split("\n")[0]
    return f"{_WORDS[kind]}: {reason}" if reason else _WORDS[kind]
