"""The run that a command is for, and its documents."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from unlatch.cli.runtime.shells import complete_work
from unlatch.cli.terminal import output
from unlatch.worklog.times import stamp
from unlatch_runs.cli.sources import read_source
from unlatch_runs.journal import is_held
from unlatch_runs.model import TaskState
from unlatch_runs.project import Console, Runs, run_store

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from click.shell_completion import CompletionItem

    from unlatch.cli.runtime.context import Context
    from unlatch_runs.model import Question, RunState, Task


def _complete(ctx: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem[str]]:
    """The runs of the project whose ids begin so."""
    return complete_work(
        ctx, begun, lambda workspace: ((name, None) for name in run_store(workspace).names())
    )


RUN = click.argument("wanted", metavar="[ID]", required=False, shell_complete=_complete)


def chosen(context: Context, wanted: str | None) -> Path:
    """The folder of a run, by default of the newest; UsageError: none or several."""
    return run_store(context.workspace).find(wanted)


def use_cases(context: Context, *, as_json: bool = False) -> Runs:
    """The use cases, with the documented outputs on stdout, or on stderr beside a document."""

    def say(text: str) -> None:
        (output.talk if as_json else output.data)(*map(output.harmless, text.split("\n")), "")

    def note(text: str) -> None:
        output.talk(output.clean(text))

    console = Console(say, note)
    return Runs(context.workspace, console, partial(read_source, context))


def run_entry(folder: Path, state: RunState) -> output.Json:
    """A run as a part of a document; `coordinator` says if one was seen to live."""
    counts = {one.value: 0 for one in TaskState}
    for task in state.tasks.values():
        counts[state.state_of(task).value] += 1
    return {
        "id": folder.name,
        "title": state.title,
        "status": state.status.value,
        "coordinator": is_held(folder),
        "planFile": state.plan_file,
        "created": stamp(state.created) if state.created else None,
        "updated": stamp(state.updated) if state.updated else None,
        "sequence": state.sequence,
        "tasks": counts,
        "compactions": state.compactions,
        "resumes": state.resumes,
        "tokens": state.tokens,
        "costUsd": state.cost,
        "pause": pause_entry(state),
    }


def pause_entry(state: RunState) -> output.Json | None:
    if state.pause is None:
        return None
    resets = state.pause.resets_at
    return {
        "reason": state.pause.reason,
        "at": stamp(state.pause.at),
        "remainingPercent": state.pause.remaining,
        "resetsAt": stamp(resets) if resets else None,
    }


def task_entry(state: RunState, task: Task, live: Collection[str]) -> output.Json:
    """A task as a part of a document; `live` has the agents that were seen to live."""
    cause = state.cause(task)
    dispatch = task.dispatch
    return {
        "id": task.id,
        "title": task.title,
        "state": state.state_of(task).value,
        "cause": cause.value if cause else None,
        "blockedBy": list(task.blocked_by),
        "attempts": task.attempts,
        "checkpoint": task.checkpoint or None,
        "agent": dispatch.agent if dispatch else None,
        "role": dispatch.role.value if dispatch else None,
        "since": stamp(dispatch.at) if dispatch else None,
        "alive": dispatch.agent in live if dispatch else None,
        "completedAt": stamp(task.completed_at) if task.completed_at else None,
    }


def question_entry(question: Question) -> output.Json:
    return {
        "id": question.id,
        "task": question.task,
        "text": question.text,
        "options": list(question.options),
        "answer": question.answer,
    }
