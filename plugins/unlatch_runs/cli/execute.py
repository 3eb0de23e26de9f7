"""unlatch run start, resume and recover: coordinators."""

from __future__ import annotations

import shlex
import signal
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.options.common import BY, PASS_ENV, flag, text_option, together, with_json
from unlatch.cli.options.number import Number
from unlatch.cli.options.reason import about_name, ask_reason, reason_option
from unlatch.cli.runtime.context import Context, is_interactive
from unlatch.cli.runtime.failure import UNDECIDED, UNDELIVERED
from unlatch.cli.runtime.held_tokens import hold_tokens
from unlatch.cli.terminal import output
from unlatch.errors import UsageError
from unlatch.worklog.disk.system import ending_signals
from unlatch_runs.cli.chosen import RUN, chosen, run_entry, use_cases
from unlatch_runs.cli.plans import agree_to
from unlatch_runs.cli.sources import read_source, source_name
from unlatch_runs.consent import Consent, read_consent, save_consent
from unlatch_runs.coordinator.context import End
from unlatch_runs.dispatch.commands import find_command
from unlatch_runs.journal import read_state
from unlatch_runs.run_model import PauseReason, RunState, Status

if TYPE_CHECKING:
    from collections.abc import Iterator


_PROGRAMS = ("worker", "auditor", "usage", "hook")
# Those that the machine of a task starts.
_REMOTE = ("worker", "auditor")


# The programs and limits of a run.
_options = together(
    click.option("--worker", metavar="COMMAND", help="Start this program for each task."),
    click.option("--auditor", metavar="COMMAND", help="Let this program accept tasks."),
    click.option("--usage", metavar="COMMAND", help="Ask this program for usage limits."),
    click.option(
        "--usage-file",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Read the usage limits from this JSON file.",
    ),
    click.option("--hook", metavar="COMMAND", help="Run this program at a compaction."),
    click.option("--jobs", type=click.IntRange(1, 64), metavar="N", help="Workers side by side."),
    click.option(
        "--timeout",
        type=Number(min=1),
        metavar="SECONDS",
        help="Longest time of one worker; 900 by default.",
    ),
    click.option(
        "--max-cost",
        type=Number(min=0),
        metavar="DOLLARS",
        help="Pause when the workers have cost this much.",
    ),
    click.option(
        "--max-tokens",
        type=click.IntRange(min=0),
        metavar="N",
        help="Pause when the workers have used this many tokens.",
    ),
    PASS_ENV,
    click.option("--on", metavar="NAME", help="Start the workers elsewhere: fleet."),
    flag("--worktrees", default=None, help="Give each task a git worktree of its own."),
)


@click.command(
    "start",
    help="Execute a plan, a Markdown file or increment:ID, with workers. (local)",
)
@click.argument("plan", metavar="PLAN")
@_options
@text_option("--title", metavar="TEXT", help="Name the run; by default after its plan.")
@flag("--yes", "-y", help="Agree to the acceptance commands of the plan.")
@BY
@with_json
def start_run(
    context: Context,
    *,
    plan: str,
    title: str | None,
    yes: bool,
    by: str | None,
    as_json: bool,
    **given: Any,
) -> int:
    hold_tokens()
    if not given["worker"]:
        hint = f"unlatch run start {shlex.quote(plan)} --worker 'claude -p --output-format json'"
        raise UsageError("run-no-worker", "no program is given for the tasks", hint=hint)
    name = source_name(context, plan)
    consent = _consent(Consent(name, ()), given)
    agreed = agree_to(read_source(context, name), consent, yes=yes)
    runs = use_cases(context, as_json=as_json)
    who = context.who(by, notes_guess=False)
    with _ended_by_signals(context, None):
        folder, end = runs.start(title or Path(name).stem, agreed, by=who)
    return _report(context, folder, end, as_json=as_json)


@click.command("resume", help="Resume a paused run. (local)")
@RUN
@_options
@reason_option("Record this reason; required for ended work.", about=about_name)
@click.option("--retry", multiple=True, metavar="TASK", help="Try a task again that failed.")
@flag("--yes", "-y", help="Agree to the acceptance commands of the plan.")
@BY
@with_json
def resume_run(
    context: Context,
    *,
    wanted: str | None,
    reason: str | None,
    retry: tuple[str, ...],
    yes: bool,
    by: str | None,
    as_json: bool,
    **given: Any,
) -> int:
    hold_tokens()
    folder = chosen(context, wanted)
    who = context.who(by, notes_guess=False)
    if reason is None and is_interactive() and read_state(folder).is_over:
        reason = ask_reason(context)
    _update_consent(context, folder, given, yes=yes)
    runs = use_cases(context, as_json=as_json)
    for task in retry:
        _retry(context, folder, task, who)
    with _ended_by_signals(context, folder):
        end = runs.resume(folder, reason=reason, by=who)
    return _report(context, folder, end, as_json=as_json)


@click.command("recover", help="Recover a run whose coordinator died. (local)")
@RUN
@_options
@flag("--yes", "-y", help="Agree to the acceptance commands of the plan.")
@with_json
def recover_run(
    context: Context, *, wanted: str | None, yes: bool, as_json: bool, **given: Any
) -> int:
    hold_tokens()
    folder = chosen(context, wanted)
    _update_consent(context, folder, given, yes=yes, command="recover")
    runs = use_cases(context, as_json=as_json)
    with _ended_by_signals(context, folder):
        end = runs.recover(folder)
    return _report(context, folder, end, as_json=as_json)


def _retry(context: Context, folder: Path, task: str, by: str) -> None:
    if task not in (tasks := read_state(folder).tasks):
        message = f"the run has no task '{task}'"
        raise UsageError("task-unknown", message, hint=f"its tasks: {', '.join(tasks)}")
    use_cases(context).request(folder, {"kind": "retry", "task": task, "by": by})


def _update_consent(
    context: Context, folder: Path, given: dict[str, Any], *, yes: bool, command: str = "resume"
) -> None:
    """Keep the programs and limits that were typed again, and ask for new commands."""
    root = context.paths.root
    if given["worker"]:
        try:
            before = read_consent(root, folder.name)
        except UsageError:
            state = read_state(folder)
            before = Consent(state.plan_file, (), on=state.on)
    else:
        before = read_consent(root, folder.name, command=command)
    consent = _consent(before, given)
    if consent.on != before.on:
        message = f"the run '{folder.name}' cannot be moved to other machines"
        raise UsageError("run-moved", message, hint="start the plan again as a new run")
    plan = read_source(context, consent.plan, read_state(folder).tasks)
    save_consent(root, folder.name, agree_to(plan, consent, yes=yes))


def _consent(before: Consent, given: dict[str, Any]) -> Consent:
    """A consent with the options that were typed; UsageError `exec-invalid`."""
    typed = {name: value for name, value in given.items() if value not in (None, ())}
    for name in _PROGRAMS:
        if name in typed:
            is_remote = name in _REMOTE and bool(typed.get("on") or before.on)
            typed[name] = _argv(name, typed[name], is_remote=is_remote)
    if "usage_file" in typed:
        typed["usage_file"] = str(typed["usage_file"].resolve())
    return replace(before, **typed)


def _argv(option: str, command: str, *, is_remote: bool) -> tuple[str, ...]:
    """An argument list; another machine looks the program up by itself."""
    hint = f"give the program and its arguments, as in --{option} 'claude -p'"
    try:
        words = shlex.split(command)
    except ValueError as error:
        message = f"--{option} cannot be read: {error}"
        raise UsageError("exec-invalid", message, hint=hint) from None
    if words and is_remote:
        return tuple(words)
    program = find_command(words[0], Path.cwd(), None) if words else None
    if program is None:
        message = f"--{option} names no program on your PATH: {command!r}"
        raise UsageError("exec-invalid", message, hint=hint)
    return (program, *words[1:])


@contextmanager
def _ended_by_signals(context: Context, folder: Path | None) -> Iterator[None]:
    """Let a signal to end pause the run as Ctrl-C does, and name the command that continues it."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = {signum: signal.signal(signum, interrupt) for signum in ending_signals()}
    try:
        yield
    except KeyboardInterrupt:
        run = folder or chosen(context, None)
        if read_state(run).status is Status.PAUSED:
            output.talk(f"{run.name} is paused. Next: unlatch run resume {shlex.quote(run.name)}")
        raise
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)


def _report(context: Context, folder: Path, end: End, *, as_json: bool) -> int:
    state = read_state(folder)
    code = _code(state, end)
    if as_json:
        output.document("run", code, run=run_entry(folder, state))
        return code
    done = f"{state.done}/{len(state.tasks)} tasks complete"
    if end is End.PAUSED:
        consent = read_consent(context.paths.root, folder.name)
        step = _next(folder.name, state, consent)
        output.talk(f"{folder.name} is paused; {done}. Next: {step}")
    else:
        output.ok(f"{folder.name} is {state.status}; {done}")
    return code


def _next(run: str, state: RunState, consent: Consent) -> str:
    """The command that goes on with a paused run."""
    if state.open_questions():
        return f"unlatch run questions {shlex.quote(run)}"
    if state.no_consent:
        return f"unlatch run agree {shlex.quote(run)}"
    limits = consent.reached(cost=state.cost, tokens=state.tokens)
    if limits:
        higher = " ".join(f"{option} {amount:.15g}" for option, amount in limits.items())
        return f"unlatch run resume {shlex.quote(run)} {higher}"
    failed = [task for task in state.tasks.values() if state.reached(task)]
    retry = f" --retry {failed[0].id}" if failed else ""
    return f"unlatch run resume {shlex.quote(run)}{retry}"


def _code(state: RunState, end: End) -> int:
    if end is not End.PAUSED or state.pause is None or state.pause.reason == PauseReason.USER:
        return 0
    return UNDECIDED if state.pause.reason == PauseReason.QUESTION else UNDELIVERED
