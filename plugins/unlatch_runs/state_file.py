"""state.json: the state of a run for people and other programs, in the shape of the requirement.

It is written from the log and never read as the truth; `sequence` is the last event in it.
"""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

from unlatch.errors import StoreError
from unlatch.worklog.disk.atomic import PRIVATE, replace_file
from unlatch.worklog.disk.safe_open import read_file
from unlatch.worklog.json_text import json_object
from unlatch.worklog.times import read_stamp, stamp
from unlatch_runs.dispatch.port import Role
from unlatch_runs.run_model import RunState, Task, TaskState

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path


STATE = "state.json"


def save_state(folder: Path, state: RunState, *, now: datetime, reason: str) -> None:
    """Write the file; StoreError `not-writable`."""
    document = {"saved_at": stamp(now), "save_reason": reason, **state_document(state)}
    content = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    replace_file(folder / STATE, content.encode(errors="backslashreplace"), mode=PRIVATE)


def state_file(root: Path, folder: Path) -> str:
    """The path of a run's file, as it is printed: from the project at `root`."""
    place = folder / STATE
    return str(place.relative_to(root) if place.is_relative_to(root) else place)


def saved(folder: Path) -> tuple[datetime | None, int] | None:
    """When the file was written, and its last event; None if there is no file to be read."""
    with contextlib.suppress(FileNotFoundError, StoreError):
        fields = json_object(read_file(folder / STATE).decode(errors="replace"))
        sequence = fields.get("sequence")
        if isinstance(sequence, int):
            return read_stamp(fields.get("saved_at")), sequence
    return None


def state_document(state: RunState) -> dict[str, Any]:
    """The keys of the requirement, and those that it leaves out."""
    active = [task for task in state.tasks.values() if task.dispatch]
    return {
        "sequence": state.sequence,
        "epoch": state.epoch,
        "status": state.status.value,
        "session_id": state.session,
        "previous_session_id": state.previous_session,
        "compaction_count": state.compactions,
        "session_resume_count": state.resumes,
        "plan_file": state.plan_file,
        "total_tasks": len(state.tasks),
        "completed_tasks": _ids(state, TaskState.DONE),
        "in_progress_tasks": [_in_progress(task) for task in state.within(TaskState.IN_PROGRESS)],
        "pending_audit": _ids(state, TaskState.CRITIQUE, TaskState.AUDIT),
        "pending_validation": [task.id for task in state.validating()],
        "blocked_tasks": {
            task.id: {"cause": cause.value, "blocked_by": list(task.blocked_by)}
            for task in state.tasks.values()
            if (cause := state.cause(task))
        },
        "available_tasks": _ids(state, TaskState.AVAILABLE),
        "active_agents": dict(map(_agent, active)),
        "attempts": {task.id: task.attempts for task in state.tasks.values() if task.attempts},
        "checkpoints": {task.id: task.context for task in state.tasks.values() if task.context},
        "usage": {"tokens": state.tokens, "cost_usd": state.cost},
        "pause": _pause(state),
        "pending_divine_questions": [
            {
                "id": question.id,
                "task_id": question.task,
                "text": question.text,
                "options": list(question.options),
            }
            for question in state.open_questions()
        ],
    }


def _ids(state: RunState, *states: TaskState) -> list[str]:
    return [task.id for task in state.within(*states)]


def _in_progress(task: Task) -> dict[str, Any]:
    return {
        "task_id": task.id,
        "agent_id": task.dispatch.agent if task.dispatch else None,
        "status": "in_progress",
        "last_checkpoint": task.context or None,
    }


def _agent(task: Task) -> tuple[str, dict[str, str]]:
    dispatch = task.dispatch
    if dispatch is None:
        raise AssertionError("only tasks with a dispatch are active")
    kind = "auditor" if dispatch.role is Role.AUDITOR else "developer"
    return dispatch.agent, {
        "task_id": task.id,
        "type": kind,
        "dispatched_at": stamp(dispatch.at),
    }


def _pause(state: RunState) -> dict[str, Any] | None:
    if state.pause is None:
        return None
    resets = state.pause.resets_at
    return {
        "reason": state.pause.reason,
        "at": stamp(state.pause.at),
        "remaining_percent": state.pause.remaining,
        "resets_at": stamp(resets) if resets else None,
    }
