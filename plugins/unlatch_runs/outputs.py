"""The outputs of a run, to the letter of the requirement."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from unlatch.values import dataclass
from unlatch.worklog.times import stamp
from unlatch_runs.run_model import Cause, Pause, PauseReason, RunState, Task, TaskState

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


# The wait after a usage limit is reset, so that the reset has arrived everywhere.
RESET_MARGIN = timedelta(minutes=5)
_EVERY = 2
RESET_COMPLETE = "SESSION RESUMED - Reset complete"
RESUMED = "SESSION RESUMED"
NO_PRIOR_STATE = "No prior state found"


def compaction_start(number: int, threshold: float, state_file: str) -> str:
    return (
        f"AUTO-COMPACTION #{number} - Context at {threshold:g}%\n\nState persisted to: {state_file}"
    )


def compaction_resumed(state: RunState) -> str:
    """The output after a compaction; every second one had a full plan reload."""
    full = is_full_reload(state.compactions)
    at, total = progress(state), len(state.tasks)
    suffix = " (full plan reload)" if full else ""
    lines = [f"RESUMED - Compaction #{state.compactions} complete{suffix}", ""]
    if full:
        lines += [f"Plan reloaded: {state.plan_file}", f"Total tasks: {total}"]
    lines += [
        f"Completed: {at.done}/{total} tasks",
        f"Restoring: {at.in_progress} in-progress tasks",
        f"Pending audit: {at.pending_audit} tasks",
    ]
    if full:
        lines.append(f"Blocked graph rebuilt: {_relationships(state)} relationships")
    return "\n".join(lines)


def compaction_news(state: RunState, drift: Sequence[str]) -> str:
    """What the driving agent cannot see in the numbers; not part of the requirement."""
    questions = (
        f"question {question.id} of {question.task}: {question.text}"
        + (f" ({', '.join(question.options)})" if question.options else "")
        for question in state.open_questions()
    )
    return "\n".join((*(f"drift: {difference}" for difference in drift), *questions))


def is_full_reload(compaction: int) -> bool:
    """Whether the plan is read in full at this compaction."""
    return compaction % _EVERY == 0


def full_reload(state: RunState) -> str:
    total = len(state.tasks)
    return (
        f"FULL PLAN RELOAD - Compaction #{state.compactions}\n\n"
        f"Plan: {state.plan_file}\n"
        f"Total tasks: {total}\n"
        f"Completed: {state.done} (verified against plan)\n"
        f"Remaining: {total - state.done}\n"
        f"Blocked graph rebuilt: {_relationships(state)} blocking relationships"
    )


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is, in numbers of tasks."""

    done: int
    total: int
    in_progress: int
    pending_audit: int


def progress(state: RunState) -> Progress:
    waiting = _count(state, TaskState.CRITIQUE, TaskState.AUDIT)
    return Progress(state.done, len(state.tasks), _count(state, TaskState.IN_PROGRESS), waiting)


def paused(state: RunState, pause: Pause, at: Progress, state_file: str) -> str:
    """The output of a pause; only one by usage has the rest and the time of the reset."""
    lines = [
        f"SESSION PAUSED - {pause.reason}",
        "",
        f"State persisted to: {state_file}",
        f"Progress: {at.done}/{at.total} tasks complete",
        f"In progress: {at.in_progress} tasks",
        f"Pending audit: {at.pending_audit} tasks",
        f"Compactions this session: {state.compactions}",
    ]
    if pause.reason == PauseReason.USAGE and pause.remaining is not None:
        lines += ["", f"Session remaining: {pause.remaining:g}%"]
        if pause.resets_at:
            lines += [
                f"Session resets at: {stamp(pause.resets_at)}",
                f"Auto-resuming at: {stamp(pause.resets_at + RESET_MARGIN)}",
            ]
    return "\n".join(lines)


def waiting(state: RunState) -> Iterator[str]:
    """The tasks that wait for a person, and why; not part of the requirement."""
    for task in state.tasks.values():
        match state.reached(task) or state.cause(task):
            case Cause.ATTEMPTS:
                yield f"{task.id}: {_failures(task)}: {task.failure}"
            case Cause.CRASHES:
                yield (
                    f"{task.id}: the coordinator ended {task.crashes} times in a row while the "
                    "task was at work"
                )
            case Cause.CONSENT:
                yield f"{task.id}: its acceptance commands are not agreed to"
    yield from (
        f"{question.task}: question {question.id}: {question.text}"
        for question in state.open_questions()
    )


def _failures(task: Task) -> str:
    if task.validates:
        return f"the validation failed {task.validations} times"
    return f"failed {task.attempts} times"


def prior_state(state_file: str, saved_at: datetime | None) -> str:
    return (
        f"Prior state found: {state_file}\nSaved at: {stamp(saved_at) if saved_at else 'unknown'}"
    )


def recovered(
    state: RunState,
    *,
    prior_state: str,
    reconciled: int,
    orphans: int,
    validating: int,
) -> str:
    return (
        "COORDINATOR RECOVERY\n\n"
        f"{prior_state}\n"
        f"Events to reconcile: {reconciled}\n"
        f"Orphaned agents: {orphans}\n"
        f"Recent completions to validate: {validating}\n\n"
        "Recovery complete. Resuming normal operation.\n\n"
        f"Progress: {state.done}/{len(state.tasks)} tasks complete\n"
        f"Available: {_count(state, TaskState.AVAILABLE)} tasks\n"
        f"Blocked: {_count(state, TaskState.BLOCKED)} tasks"
    )


def _count(state: RunState, *states: TaskState) -> int:
    return len(state.within(*states))


def _relationships(state: RunState) -> int:
    """The number of pairs of tasks of which one blocks the other."""
    return sum(len(task.blocked_by) for task in state.tasks.values())
