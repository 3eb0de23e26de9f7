"""unlatch run pause, stop, context, questions and answer."""

from __future__ import annotations

import time
from shlex import quote
from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import BY, flag, with_json
from unlatch.cli.options.number import Number
from unlatch.cli.options.reason import about_name, reason_option
from unlatch.cli.runtime.held_tokens import hold_tokens
from unlatch.cli.runtime.passing import with_context
from unlatch.cli.terminal import output
from unlatch.errors import StoreError, UsageError
from unlatch_runs import outputs
from unlatch_runs.cli.chosen import RUN, chosen, question_entry, run_entry, use_cases
from unlatch_runs.events import CompactionComplete, CompactionStart, PlanLoaded
from unlatch_runs.journal import is_held, read_events, read_state
from unlatch_runs.run_model import RunState, Status
from unlatch_runs.state_file import state_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from unlatch.cli.runtime.context import Context
    from unlatch_runs.project import Runs

# Seconds for a coordinator to end its workers, which get some time themselves.
_PATIENCE = 60.0
_LOOK = 0.1


@click.command("pause", help="Pause a run; its workers are ended. (local)")
@RUN
@with_json
def pause_run(context: Context, *, wanted: str | None, as_json: bool) -> int:
    folder = chosen(context, wanted)
    _require_coordinator(folder)
    use_cases(context).request(folder, {"kind": "pause"})
    _wait(folder, lambda state: state.status is not Status.RUNNING)
    return _show(folder, as_json=as_json)


@click.command("stop", help="End a run before it is finished. (local)")
@RUN
@reason_option("Record this reason in the history.", about=about_name)
@with_json
def stop_run(context: Context, *, wanted: str | None, reason: str | None, as_json: bool) -> int:
    folder = chosen(context, wanted)
    runs = use_cases(context)
    if is_held(folder):
        runs.request(folder, {"kind": "stop", "reason": reason or ""})
        _wait(folder, lambda state: state.is_over)
    else:
        runs.stop(folder, reason or "")
    return _show(folder, as_json=as_json)


@click.command("context", help="Report how much of the driving agent's context is left. (local)")
@RUN
@click.option(
    "--left",
    type=Number(0, 100),
    required=True,
    metavar="PERCENT",
    help="Percent of the context that is left.",
)
@with_json
def context_run(context: Context, *, wanted: str | None, left: float, as_json: bool) -> int:
    hold_tokens()
    folder = chosen(context, wanted)
    compactions = read_state(folder).compactions
    runs = use_cases(context, as_json=as_json)
    threshold = context.workspace.config.runs.context_threshold
    if runs.report_context(folder, left) and left <= threshold:
        _wait(folder, lambda state: state.compactions > compactions and not state.compacting)
        _show_compaction(runs, folder, threshold)
    if not as_json:
        return _show(folder, as_json=False)
    state = read_state(folder)
    drift = _drift_since(folder, compactions)
    asked = [question_entry(question) for question in state.open_questions()]
    output.document("run", run=run_entry(folder, state), drift=drift, questions=asked)
    return 0


def _drift_since(folder: Path, compactions: int) -> list[str]:
    """The differences from the plan that the compactions after this number found."""
    drift: list[str] = []
    is_later = False
    for event in read_events(folder):
        if isinstance(event, CompactionStart):
            is_later = event.compaction_number > compactions
        elif isinstance(event, PlanLoaded) and is_later:
            drift += event.drift
        elif isinstance(event, CompactionComplete):
            is_later = False
    return drift


def _show_compaction(runs: Runs, folder: Path, threshold: float) -> None:
    """Print the outputs of the compaction that another process carried out."""
    state, say = read_state(folder), runs.console.say
    drift = _drift_since(folder, state.compactions - 1)
    place = state_file(runs.workspace.paths.root, folder)
    say(outputs.compaction_start(state.compactions, threshold, place))
    if outputs.is_full_reload(state.compactions):
        say(outputs.full_reload(state))
    say(outputs.compaction_resumed(state))
    if news := outputs.compaction_news(state, drift):
        say(news)


@click.command("questions", help="List the questions for a person. (local)")
@RUN
@flag("--all", "show_all", help="Also those that were answered.")
@with_json
def questions_run(context: Context, *, wanted: str | None, show_all: bool, as_json: bool) -> int:
    folder = chosen(context, wanted)
    state = read_state(folder)
    questions = list(state.questions.values()) if show_all else state.open_questions()
    if as_json:
        output.document(
            "run-questions", questions=[question_entry(question) for question in questions]
        )
        return 0
    for question in questions:
        options = f" ({', '.join(question.options)})" if question.options else ""
        output.data(f"{question.id}  {question.task}: {output.clean(question.text + options)}")
        if question.answer is not None:
            output.data(f"    {output.clean(question.answer)}")
    if not questions:
        output.talk("No questions.")
    return 0


@click.command("answer", help="Answer a question of a worker. (local)")
@click.argument("question", metavar="QUESTION")
@click.argument("text", metavar="TEXT")
@click.option("--run", "wanted", metavar="ID", help="The run; the newest by default.")
@BY
@with_context
def answer_run(
    context: Context, *, question: str, text: str, wanted: str | None, by: str | None
) -> int:
    folder = chosen(context, wanted)
    state = read_state(folder)
    ids = [entry.id for entry in state.open_questions() if question in (entry.id, entry.task)]
    if len(ids) != 1:
        names = tuple(entry.id for entry in state.open_questions())
        message = f"there is no open question '{question}'"
        hint = f"unlatch run questions {quote(folder.name)}"
        raise UsageError("question-unknown", message, hint=hint, problems=names)
    request = {"kind": "answer", "question": ids[0], "text": text, "by": context.who(by)}
    if use_cases(context).request(folder, request):
        output.ok(f"the coordinator of {folder.name} gets the answer")
    else:
        output.ok(f"recorded; next: unlatch run resume {quote(folder.name)}")
    return 0


def _require_coordinator(folder: Path) -> None:
    if is_held(folder):
        return
    state = read_state(folder)
    message = f"the run '{folder.name}' is {state.status}, and no coordinator has it"
    hint = f"unlatch run status {quote(folder.name)}"
    if state.status is Status.RUNNING:
        hint = f"unlatch run recover {quote(folder.name)}"
    raise StoreError("run-no-coordinator", message, hint=hint)


def _wait(folder: Path, is_reached: Callable[[RunState], bool]) -> None:
    """Wait until the coordinator carried out a request; StoreError `run-busy`."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        # Asked before the state is read: what a coordinator wrote before it ended counts.
        has_coordinator = is_held(folder)
        if is_reached(read_state(folder)):
            return
        if time.monotonic() > deadline or not has_coordinator:
            message = f"the coordinator of '{folder.name}' has not answered yet"
            hint = f"unlatch run status {quote(folder.name)}"
            raise StoreError("run-busy", message, hint=hint)
        time.sleep(_LOOK)


def _show(folder: Path, *, as_json: bool) -> int:
    state = read_state(folder)
    if as_json:
        output.document("run", run=run_entry(folder, state))
    else:
        output.ok(f"{folder.name} is {state.status}")
    return 0
