"""The state of a run: its tasks, their dispatches, and the questions for a person."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING

from unlatch.values import dataclass

if TYPE_CHECKING:
    from datetime import datetime

    from unlatch_runs.dispatch.port import Role


class Status(StrEnum):
    """Where a run is. `running` says that it is not over; a lock says if a coordinator lives."""

    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    FAILED = "failed"


class Stage(StrEnum):
    """How far a task is, as its events say; whether an open task is blocked follows from others."""

    OPEN = "open"
    IN_PROGRESS = "in_progress"
    CRITIQUE = "critique"
    AUDIT = "audit"
    DONE = "done"


class TaskState(StrEnum):
    """The one state of a task. In critique it waits for an auditor, in audit one is at work."""

    AVAILABLE = "available"
    BLOCKED = "blocked"
    IN_PROGRESS = "in_progress"
    CRITIQUE = "critique"
    AUDIT = "audit"
    DONE = "done"


_UNBLOCKED = {
    Stage.OPEN: TaskState.AVAILABLE,
    Stage.IN_PROGRESS: TaskState.IN_PROGRESS,
    Stage.CRITIQUE: TaskState.CRITIQUE,
    Stage.AUDIT: TaskState.AUDIT,
    Stage.DONE: TaskState.DONE,
}


class Cause(StrEnum):
    """The reason for which a task is blocked."""

    DEPENDENCIES = "dependencies"
    QUESTION = "question"
    ATTEMPTS = "attempts"
    CRASHES = "crashes"
    CONSENT = "consent"


class PauseReason(StrEnum):
    """The reasons for a pause, as they are printed; the first one ends by itself."""

    USAGE = "Usage limit"
    USER = "User stop"
    ERROR = "System error"
    ATTEMPTS = "Failed attempts"
    CRASHES = "Ended with the coordinator"
    QUESTION = "Question pending"


@dataclass(frozen=True, slots=True)
class Dispatch:
    """One start of a worker or auditor: its id, a ULID, and the node that has it, if one has."""

    agent: str
    role: Role
    at: datetime
    node: str = ""


@dataclass(slots=True)
class Task:
    """A task of a run.

    Args:
        digest: the hash of its definition in the plan.
        attempts: the number of dispatches that failed, without those of its validation.
        crashes: the number of dispatches in a row that ended with their coordinator.
        dispatches: the number of times that a worker got it.
        checkpoint: the last words of a worker, or the reason of an auditor's refusal.
        failure: why the last attempt failed.
        failures: why attempts failed, also of a task that is complete by now; each reason once.
        summary: what was done, in the words of the worker.
        commit: the commit of a node with the work that was submitted last.
        verdict: the words of the auditor that accepted it.
        done_digest: the definition that an auditor accepted.
        validates: whether a completed task is to be accepted again.
        validations: the number of times that this failed.
    """

    id: str
    title: str
    digest: str
    blocked_by: tuple[str, ...]
    stage: Stage = Stage.OPEN
    attempts: int = 0
    crashes: int = 0
    dispatches: int = 0
    checkpoint: str = ""
    failure: str = ""
    failures: tuple[str, ...] = ()
    summary: str = ""
    commit: str = ""
    verdict: str = ""
    dispatch: Dispatch | None = None
    worktree: str | None = None
    completed_at: datetime | None = None
    done_digest: str = ""
    validates: bool = False
    validations: int = 0

    @property
    def context(self) -> str:
        """What the next worker of the task needs to know: the checkpoint, and where the work is."""
        place = f"Its work is in the worktree {self.worktree}" if self.worktree else ""
        return "\n".join(filter(None, (self.checkpoint, place)))


@dataclass(slots=True)
class Question:
    """A question for a person; `answer` is None as long as there is none."""

    id: str
    task: str
    text: str
    options: tuple[str, ...]
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    """A pause; only one by usage has `remaining` (percent) and `resets_at`."""

    reason: str
    at: datetime
    remaining: float | None = None
    resets_at: datetime | None = None


@dataclass(slots=True)
class RunState:
    """The state that the events up to `sequence` describe; `stopped` is why a person ended it.

    `agent_sessions` has the last totals of each session of an agent: its tokens, its cost. `on`
    names its dispatcher, which knows it by `origin`, the session of its first coordinator.
    """

    sequence: int = 0
    epoch: int = 0
    session: str = ""
    origin: str = ""
    on: str = ""
    previous_session: str | None = None
    plan_file: str = ""
    title: str = ""
    created: datetime | None = None
    updated: datetime | None = None
    attempts_limit: int = 3
    crashes_limit: int = 5
    status: Status = Status.RUNNING
    tasks: dict[str, Task] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)
    no_consent: frozenset[str] = frozenset()
    pause: Pause | None = None
    stopped: str = ""
    compactions: int = 0
    compacting: bool = False
    resumes: int = 0
    context_left: float | None = None
    tokens: int = 0
    cost: float = 0.0
    agent_sessions: dict[str, tuple[int, float]] = field(default_factory=dict)

    def cause(self, task: Task) -> Cause | None:
        """The reason for which a task is blocked; None if it is not."""
        if task.stage not in (Stage.OPEN, Stage.CRITIQUE):
            return None
        if self.questions and any(question.task == task.id for question in self.open_questions()):
            return Cause.QUESTION
        if limit := self.reached(task):
            return limit
        if task.id in self.no_consent:
            return Cause.CONSENT
        if task.stage is Stage.OPEN and not all(map(self.is_done, task.blocked_by)):
            return Cause.DEPENDENCIES
        return None

    def reached(self, task: Task) -> Cause | None:
        """The limit at which a task waits for a person, in its work or its validation."""
        if (task.validations if task.validates else task.attempts) >= self.attempts_limit:
            return Cause.ATTEMPTS
        return Cause.CRASHES if task.crashes >= self.crashes_limit else None

    def state_of(self, task: Task) -> TaskState:
        return TaskState.BLOCKED if self.cause(task) else _UNBLOCKED[task.stage]

    def within(self, *states: TaskState) -> list[Task]:
        """The tasks in one of these states, in the order of the plan."""
        stages = {stage for stage, state in _UNBLOCKED.items() if state in states}
        if TaskState.BLOCKED in states:
            stages |= {Stage.OPEN, Stage.CRITIQUE}
        tasks = (task for task in self.tasks.values() if task.stage in stages)
        return [task for task in tasks if self.state_of(task) in states]

    def validating(self) -> list[Task]:
        """The completed tasks that an auditor is to accept again."""
        return [task for task in self.tasks.values() if task.validates]

    def is_done(self, id: str) -> bool:
        return id not in self.tasks or self.tasks[id].stage is Stage.DONE

    def open_questions(self) -> list[Question]:
        return [question for question in self.questions.values() if question.answer is None]

    def answers(self, task: str) -> list[Question]:
        return [
            question
            for question in self.questions.values()
            if question.task == task and question.answer
        ]

    def dispatched(self) -> dict[str, Task]:
        """The tasks with a dispatch that has not ended, by the agents' ids."""
        return {task.dispatch.agent: task for task in self.tasks.values() if task.dispatch}

    @property
    def done(self) -> int:
        return sum(task.stage is Stage.DONE for task in self.tasks.values())

    @property
    def is_complete(self) -> bool:
        """Whether all tasks are done, and none is to be accepted again."""
        return self.done == len(self.tasks) and not self.validating()

    @property
    def is_over(self) -> bool:
        return self.status in (Status.FINISHED, Status.FAILED)
