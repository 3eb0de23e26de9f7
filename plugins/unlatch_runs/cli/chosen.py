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
from unlatch_runs.project import Console, Runs, run_store
from unlatch_runs.run_model import Question, RunState, Task, TaskState

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from click.shell_completion import CompletionItem

    from unlatch.cli.runtime.context import Context


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
    counts = {task_state.value: 0 for task_state in TaskState}
    for task in state.tasks.values():
        counts[state.state_of(task).value] += 1
    return {
        "id": folder.name,
        **output.fields(state, "title", "status"),
        "coordinator": is_held(folder),
        **output.fields(state, "plan_file", "created", "updated", "sequence"),
        "tasks": counts,
        **output.fields(state, "compactions", "resumes", "tokens"),
        "costUsd": state.cost,
        "pause": pause_entry(state),
    }


def pause_entry(state: RunState) -> output.Json | None:
    if state.pause is None:
        return None
    return {
        **output.fields(state.pause, "reason", "at"),
        "remainingPercent": state.pause.remaining,
        **output.fields(state.pause, "resets_at"),
    }


def task_entry(state: RunState, task: Task, live: Collection[str] | None) -> output.Json:
    """A task as a part of a document; `live` has the agents seen to live, None: unknown."""
    dispatch = task.dispatch
    return {
        **output.fields(task, "id", "title"),
        "state": state.state_of(task),
        "cause": state.cause(task),
        **output.fields(task, "blocked_by", "attempts"),
        "checkpoint": task.checkpoint or None,
        **output.fields(dispatch, "agent", "role"),
        "since": stamp(dispatch.at) if dispatch else None,
        "alive": dispatch.agent in live if dispatch and live is not None else None,
        "node": (dispatch.node or None) if dispatch else None,
        **output.fields(task, "completed_at"),
    }


def question_entry(question: Question) -> output.Json:
    return output.fields(question, "id", "task", "text", "options", "answer")
