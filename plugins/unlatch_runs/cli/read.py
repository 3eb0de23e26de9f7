"""unlatch run list, status, events and watch."""

from __future__ import annotations

import time
from shlex import quote
from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import with_json
from unlatch.cli.runtime.passing import with_context
from unlatch.cli.terminal import output
from unlatch.errors import StoreError, UnlatchError
from unlatch.worklog.times import stamp
from unlatch_runs.cli.chosen import RUN, chosen, question_entry, run_entry, task_entry
from unlatch_runs.event_base import TYPES, RunEvent
from unlatch_runs.event_lines import OtherEvent, entry_of, word_of
from unlatch_runs.journal import check_age, is_held, read_events, read_state
from unlatch_runs.outputs import waiting
from unlatch_runs.project import live_agents, run_store
from unlatch_runs.run_model import RunState, Task, TaskState

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from unlatch.cli.runtime.context import Context

_LOOK = 0.5


@click.command("list", help="List the runs, the newest first. (local)")
@with_json
def list_run(context: Context, *, as_json: bool) -> int:
    store = run_store(context.workspace)
    runs: list[tuple[Path, RunState]] = []
    for name in reversed(store.names()):
        try:
            runs.append((store.root / name, read_state(store.root / name)))
        except StoreError as error:
            output.remark(f"{name} cannot be read: {error.message}")
    if as_json:
        output.document("run-list", runs=[run_entry(*run) for run in runs])
        return 0
    rows = [
        (folder.name, _status(folder, state), f"{state.done}/{len(state.tasks)}")
        for folder, state in runs
    ]
    if rows:
        output.table(("Run", "Status", "Complete"), rows, flexible=(1,))
    else:
        output.talk("No runs. Next: unlatch run start PLAN --worker COMMAND")
    return 0


@click.command("status", help="Show a run, its tasks and its questions. (local)")
@RUN
@with_json
def status_run(context: Context, *, wanted: str | None, as_json: bool) -> int:
    folder = chosen(context, wanted)
    state = read_state(folder)
    if not is_held(folder):
        try:
            check_age(folder, state)
        except StoreError as error:
            output.remark(error.message)
    live = _live(context, folder, state)
    if as_json:
        output.document(
            "run-status",
            run=run_entry(folder, state),
            tasks=[task_entry(state, task, live) for task in state.tasks.values()],
            questions=[question_entry(question) for question in state.open_questions()],
        )
        return 0
    head = output.hang(f"{output.strong(folder.name)}  ", _status(folder, state))
    output.data(*head, *_facts(state), "")
    rows = [
        (task.id, _task_state(state, task, live), str(task.attempts), task.title)
        for task in state.tasks.values()
    ]
    output.table(("Task", "State", "Failures", "Title"), rows, flexible=(3,))
    output.data(*map(output.clean, waiting(state)))
    return 0


@click.command("events", help="Print the events of a run. (local)")
@RUN
@click.option("--task", metavar="TASK", help="Only events of this task.")
@click.option(
    "--type", "kind", type=click.Choice(sorted(TYPES)), metavar="TYPE", help="Only these events."
)
@click.option(
    "--after", type=click.IntRange(min=0), default=0, metavar="N", help="Only later than event N."
)
@with_json
def events_run(
    context: Context,
    *,
    wanted: str | None,
    task: str | None,
    kind: str | None,
    after: int,
    as_json: bool,
) -> int:
    events = [
        event
        for event in read_events(chosen(context, wanted))
        if event.sequence > after
        and task in (None, event.task_id)
        and kind in (None, word_of(event))
    ]
    if as_json:
        output.document("run-events", events=[entry_of(event) for event in events])
    else:
        output.data(*map(event_line, events))
    return 0


@click.command("watch", help="Print the events of a run as they happen, until it ends. (local)")
@RUN
@with_context
def watch_run(context: Context, *, wanted: str | None) -> int:
    folder = chosen(context, wanted)
    last = 0
    while True:
        is_live = is_held(folder)
        for event in read_events(folder):
            if event.sequence > last:
                output.data(event_line(event))
                last = event.sequence
        if not is_live:
            output.talk(f"{folder.name} is {_status(folder, read_state(folder))}")
            return 0
        time.sleep(_LOOK)


def _live(context: Context, folder: Path, state: RunState) -> frozenset[str] | None:
    """The agents that are seen to live; None if other machines cannot be asked."""
    try:
        return live_agents(context.workspace, folder, state)
    except UnlatchError as error:
        output.remark(f"whether workers are alive is unknown: {error.message}")
        return None


def event_line(event: RunEvent) -> str:
    """An event on one line."""
    word = word_of(event)
    details = event.details if isinstance(event, OtherEvent) else TYPES[word].write(event)
    facts = " ".join(f"{key}={_short(value)}" for key, value in details.items())
    parts = (str(event.sequence), stamp(event.timestamp), word, event.task_id or "", facts)
    return output.clean("  ".join(filter(None, parts)))


_LONGEST = 80


def _short(value: object) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return str(len(value))
    text = " ".join(str(value).split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _status(folder: Path, state: RunState) -> str:
    """The status, and whether a coordinator was seen to live."""
    if is_held(folder):
        return f"{state.status}, a coordinator has it"
    if state.is_over or state.pause:
        return state.status.value
    return f"its coordinator is gone; next: unlatch run recover {quote(folder.name)}"


def _facts(state: RunState) -> Iterator[str]:
    yield f"{state.done}/{len(state.tasks)} tasks complete, from {output.clean(state.plan_file)}"
    if state.pause:
        resets = f"; resets at {stamp(state.pause.resets_at)}" if state.pause.resets_at else ""
        yield f"Paused at {stamp(state.pause.at)}: {output.clean(state.pause.reason)}{resets}"
    if state.tokens or state.cost:
        yield f"{state.tokens:,} tokens, {state.cost:.2f} US dollars"


def _task_state(state: RunState, task: Task, live: Collection[str] | None) -> str:
    """The state of a task; a worker that is not seen to live is not said to be at work."""
    status = state.state_of(task)
    cause = state.cause(task)
    if cause and status is TaskState.BLOCKED:
        return f"blocked ({cause.value})"
    words, dispatch = status.value.replace("_", " "), task.dispatch
    if dispatch and live is None:
        return f"{words} (unknown)"
    if dispatch and live is not None and dispatch.agent not in live:
        return f"{words} ({'no process' if dispatch.node or not state.on else 'waits for a node'})"
    if dispatch and dispatch.node:
        return f"{words} on {output.clean(dispatch.node)}"
    return "done (to validate)" if task.validates else status.value.replace("_", " ")
