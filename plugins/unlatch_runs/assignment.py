"""The texts that workers and auditors get on their standard input."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch_runs.plan.plan_model import PlanTask
    from unlatch_runs.run_model import RunState, Task

PROTOCOL = """\
Report on standard output, one JSON object a line:
{"type": "checkpoint", "text": "how far you are"}
{"type": "question", "text": "a question for a person", "options": ["a", "b"]}
{"type": "done", "summary": "the result"}
{"type": "failed", "reason": "the reason"}
Ask, finish or fail in the last line, then exit. An auditor decides whether the task is complete.
"""
VERDICT = """\
Decide whether the work below fulfils the acceptance criteria. Do not change it. End with one line:
{"type": "done", "summary": "..."} accepts the task; {"type": "failed", "reason": "..."} rejects it.
"""


def assignment(task: PlanTask, state: RunState, references: Sequence[str], *, resumed: bool) -> str:
    """The assignment of a task, in the format of the requirement."""
    progress = state.tasks[task.id]
    parts = [
        f"Task: {task.id}",
        f"Work: {task.title}\n{task.work}".rstrip(),
        f"Acceptance Criteria: {task.criteria or 'none'}",
        f"Blocked By: {', '.join(task.blocked_by) or 'none'}",
    ]
    if resumed:
        parts += [
            f"Resume Context: {progress.context or 'no checkpoint'}",
            "Previous Progress: Review existing work before continuing.",
        ]
    parts += [
        f"Question: {question.text}\nAnswer: {question.answer}"
        for question in state.answers(task.id)
    ]
    parts += [f"{name.title()}: {text}" for name, text in task.notes]
    if references:
        parts.append("References:\n" + "\n".join(f"- {reference}" for reference in references))
    return "\n".join((*parts, "", PROTOCOL))


def audit_assignment(task: PlanTask, progress: Task) -> str:
    """The first part of the text for an auditor."""
    parts = (
        f"Audit: {task.id}",
        f"Work: {task.title}\n{task.work}".rstrip(),
        f"Acceptance Criteria: {task.criteria or 'none'}",
        f"Last Checkpoint: {progress.checkpoint or 'none'}",
    )
    return "\n".join(parts)


def with_results(text: str, results: Sequence[str]) -> str:
    """The text for an auditor, with the results of the acceptance commands."""
    said = "\n".join(results) or "none"
    return f"{text}\nAcceptance Commands: {said}\n\n{VERDICT}"
