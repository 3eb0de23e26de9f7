"""The events of a run, in the shape of the requirement.

One JSON object a line: timestamp, sequence, session_id, event_type, agent_id, task_id, details. An
agent's id is the id of one dispatch (a ULID), so that an answer names the dispatch that it is for.
"""

from __future__ import annotations

import json
from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeVar

from unlatch.worklog.event_log import parse_line
from unlatch.worklog.record import (
    FLAG,
    NUMBER,
    TEXT,
    TIME,
    WORDS,
    BadRecord,
    Record,
    Type,
    key,
    list_in,
    object_in,
    record,
)
from unlatch.worklog.times import read_stamp, stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime


@record
class RunEvent:
    """The part that all events have; `sequence` counts from 1 without a gap."""

    timestamp: datetime = field()
    sequence: int = field()
    session_id: str = field()
    agent_id: str | None = field(default=None)
    task_id: str | None = field(default=None)


E = TypeVar("E", bound=RunEvent)
TYPES: dict[str, Record] = {}
_WORDS: dict[type[RunEvent], str] = {}


def _event(word: str) -> Callable[[type[E]], type[E]]:
    def register(model: type[E]) -> type[E]:
        TYPES[word] = Record.of(model)
        _WORDS[model] = word
        return model

    return register


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
OPTIONAL_TIME = Type("Time", TIME.read, lambda one: stamp(one) if one else None, read_stamp)


def _amount(raw: Any) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        raise BadRecord(" is not a number")
    return raw


AMOUNT = Type("Amount", _amount, lambda value: value, blank=0)


@_event("run_created")
@record
class RunCreated(RunEvent):
    """The run was created; `attempts` is the number of failures that block a task."""

    plan_file: str = key(TEXT)
    title: str = key(TEXT)
    attempts: int = key(NUMBER)
    by: str = key(TEXT)


@_event("coordinator_started")
@record
class CoordinatorStarted(RunEvent):
    """A coordinator took the run over; events of earlier epochs do not count from here on."""

    epoch: int = key(NUMBER)
    previous_session_id: str | None = key(TEXT, default=None)


@_event("plan_loaded")
@record
class PlanLoaded(RunEvent):
    """The plan was read in full; tasks that are not in it are no longer part of the run."""

    tasks: tuple[TaskFacts, ...] = key(TASKS)
    drift: tuple[str, ...] = key(WORDS, default=())


@_event("consent_changed")
@record
class ConsentChanged(RunEvent):
    """Tasks with acceptance commands without consent; they are blocked."""

    missing: tuple[str, ...] = key(WORDS)


@_event("developer_dispatched")
@record
class DeveloperDispatched(RunEvent):
    """A worker gets the task; recorded before it is started."""

    blocked_by: tuple[str, ...] = key(WORDS)
    resumed: bool = key(FLAG)
    attempt: int = key(NUMBER, default=1)
    worktree: str | None = key(TEXT, default=None)


@_event("auditor_dispatched")
@record
class AuditorDispatched(RunEvent):
    """An auditor gets the task; `revalidation` if it was complete already."""

    revalidation: bool = key(FLAG, default=False)


@_event("checkpoint")
@record
class Checkpoint(RunEvent):
    """A worker or auditor says how far it is."""

    text: str = key(TEXT)


@_event("question_asked")
@record
class QuestionAsked(RunEvent):
    """A worker asks a person; its task waits for the answer."""

    question_id: str = key(TEXT)
    text: str = key(TEXT)
    options: tuple[str, ...] = key(WORDS, default=())


@_event("question_answered")
@record
class QuestionAnswered(RunEvent):
    """A person answered; the next assignment of the task has it."""

    question_id: str = key(TEXT)
    text: str = key(TEXT)
    by: str = key(TEXT)


@_event("task_submitted")
@record
class TaskSubmitted(RunEvent):
    """A worker says that its task is done; an auditor decides."""

    summary: str = key(TEXT, default="")


@_event("task_complete")
@record
class TaskComplete(RunEvent):
    """An auditor accepted the task: the only completion."""

    summary: str = key(TEXT, default="")


@_event("task_revalidated")
@record
class TaskRevalidated(RunEvent):
    """An auditor accepted a completed task again."""


@_event("audit_rejected")
@record
class AuditRejected(RunEvent):
    """An auditor rejected the task."""

    reason: str = key(TEXT)


@_event("agent_failed")
@record
class AgentFailed(RunEvent):
    """A worker or auditor failed, died or took too long; the task has one more attempt."""

    reason: str = key(TEXT)


@_event("agent_stopped")
@record
class AgentStopped(RunEvent):
    """A worker or auditor was ended, or waits for an answer: no attempt of the task."""

    reason: str = key(TEXT)


@_event("late_answer")
@record
class LateAnswer(RunEvent):
    """An answer of a dispatch that is over; it changes nothing."""

    answer: str = key(TEXT)


@_event("usage")
@record
class Usage(RunEvent):
    """The tokens and the cost in US dollars that a worker reported."""

    tokens: int = key(NUMBER, default=0)
    cost: float = key(AMOUNT, default=0)


@_event("task_retried")
@record
class TaskRetried(RunEvent):
    """A person lets a task begin again whose attempts were used up."""

    by: str = key(TEXT)


@_event("context_reported")
@record
class ContextReported(RunEvent):
    """The agent that drives the run says how much of its context is left, in percent."""

    left: float = key(AMOUNT)


@_event("compaction_start")
@record
class CompactionStart(RunEvent):
    """The state is on disk; the driving agent's context is compacted next."""

    compaction_number: int = key(NUMBER)
    context_remaining: float = key(AMOUNT)


@_event("compaction_complete")
@record
class CompactionComplete(RunEvent):
    """The run goes on after a compaction; every second time with the full plan."""

    compaction_number: int = key(NUMBER)
    full_reload: bool = key(FLAG)


@_event("session_pause")
@record
class SessionPause(RunEvent):
    """The run is paused: by a usage limit, a person, an error, or a question."""

    reason: str = key(TEXT)
    remaining_percent: float | None = key(AMOUNT, default=None)
    resets_at: datetime | None = key(OPTIONAL_TIME, default=None)


@_event("session_resume")
@record
class SessionResume(RunEvent):
    """A paused run goes on, after these tasks are validated again."""

    resume_count: int = key(NUMBER)
    tasks_to_revalidate: tuple[str, ...] = key(WORDS)


@_event("orphan_agent_detected")
@record
class OrphanAgentDetected(RunEvent):
    """A dispatch without an end, of a coordinator that died; `type` is its role."""

    type: str = key(TEXT)


@_event("state_reconciled")
@record
class StateReconciled(RunEvent):
    """An event later than the saved state, of this type, was applied."""

    event_type: str = key(TEXT)


@_event("coordinator_recovered")
@record
class CoordinatorRecovered(RunEvent):
    """Recovery is complete; these tasks are validated again."""

    orphaned_agents: int = key(NUMBER)
    events_reconciled: int = key(NUMBER)
    tasks_to_revalidate: tuple[str, ...] = key(WORDS, default=())


@_event("run_reopened")
@record
class RunReopened(RunEvent):
    """A run that had ended is taken up again."""

    reason: str = key(TEXT)
    by: str = key(TEXT)


@_event("run_finished")
@record
class RunFinished(RunEvent):
    """All tasks are complete."""


@_event("run_stopped")
@record
class RunStopped(RunEvent):
    """A person ended the run before all tasks were complete."""

    reason: str = key(TEXT)


@record
class OtherEvent(RunEvent):
    """An event of a type that this version does not know."""

    word: str = field()
    details: Mapping[str, Any] = field(default_factory=dict)


def word_of(event: RunEvent) -> str:
    """The event's `event_type`."""
    return event.word if isinstance(event, OtherEvent) else _WORDS[type(event)]


def line_of(event: RunEvent) -> str:
    """The line of an event, without its end."""
    return json.dumps(entry_of(event), ensure_ascii=False)


def entry_of(event: RunEvent) -> dict[str, Any]:
    """The JSON object of an event."""
    word = word_of(event)
    details = event.details if isinstance(event, OtherEvent) else TYPES[word].write(event)
    return {
        "timestamp": stamp(event.timestamp),
        "sequence": event.sequence,
        "session_id": event.session_id,
        "event_type": word,
        "agent_id": event.agent_id,
        "task_id": event.task_id,
        "details": details,
    }


def parse_event(line: str) -> RunEvent | None:
    """The event of a line; None where it is not one."""
    # A question with all its options in escapes has megabytes, and so has the list of 10,000 tasks.
    raw = parse_line(line, longest=None)
    if not isinstance(raw, dict):
        return None
    word, at = raw.get("event_type"), read_stamp(raw.get("timestamp"))
    try:
        head = {"timestamp": at, "sequence": NUMBER.read(raw.get("sequence"))}
        head |= {one: TEXT.read(raw.get(one)) for one in ("session_id",)}
        details = object_in(raw.get("details"), "")
    except BadRecord:
        return None
    if at is None or not isinstance(word, str):
        return None
    head |= {one: raw[one] for one in ("agent_id", "task_id") if isinstance(raw.get(one), str)}
    if known := TYPES.get(word):
        return known.model(**head, **known.recover(details))  # type: ignore[no-any-return]
    return OtherEvent(**head, word=word, details=details)
