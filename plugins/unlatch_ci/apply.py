"""unlatch apply: carry out a saved plan, exactly as it was approved."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.options.common import flag, with_json
from unlatch.cli.options.delivery import MAX_TIME, YES
from unlatch.cli.render.describe import times
from unlatch.cli.runtime.context import Context, require_terminal
from unlatch.cli.runtime.failure import DECLINED, UNDELIVERED
from unlatch.cli.runtime.passing import PLAN_OUT, Planning, begin_planning, use_context
from unlatch.cli.runtime.plan_making import is_allowed
from unlatch.cli.terminal import output, prompts
from unlatch.errors import UnlatchError
from unlatch.lifecycle.planned.comparison import has_pending, items_of
from unlatch.worklog.text.neutral import command_line
from unlatch_ci.approved import (
    bind_to_plan,
    check_broken,
    check_plan,
    check_project,
    edited_items,
    invalid_plan,
    read_plan,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.lifecycle.planned.saved import PlannedCommand, SavedPlan


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@YES
@flag("--dry-run", help="Compare the plan, show it, and write nothing.")
@MAX_TIME
@with_json
def run(context: Context, *, file: Path, yes: bool, dry_run: bool, as_json: bool) -> int:
    ctx, plan = click.get_current_context(), read_plan(file)
    words, has_yes = _words(ctx, plan.command, file)
    check_project(plan, context.paths.root if context.has_project else None)
    json_option = ("--json",) if as_json else ()
    workspace = context.workspace if context.has_project else None
    planning, again = Planning(silent=True), (*words[0], "--dry-run", *json_option, *words[1])
    try:
        _invoke(ctx, _fresh(context), again, planning)
    except UnlatchError as error:
        check_broken(workspace, plan, error)
        return _tell_done(plan, None, as_json=as_json)
    if (now := planning.plan) is None:
        raise invalid_plan("its command makes no plan", file)
    if check_plan(workspace, plan, now):
        return _tell_done(plan, now, as_json=as_json)
    for url in edited_items(plan, now):
        output.note(f"{output.clean(url)} was edited since; that changes nothing in the plan")
    if dry_run:
        if as_json:
            output.document_again(now.preview)
        return int(now.preview["exitCode"])
    output.talk(f"Command: {command_line(['unlatch', *words[0], *words[1]])}")
    if not yes:
        require_terminal("the plan would be applied", f"unlatch apply {quote(str(file))} --yes")
        if not prompts.confirm("Apply the plan?"):
            output.talk("Nothing was changed.")
            return DECLINED
    other = _fresh(context)
    bind_to_plan(other.workspace if workspace else None, now)
    yes_option = ("--yes",) if has_yes else ()
    return _invoke(ctx, other, (*words[0], *yes_option, *json_option, *words[1]))


def _words(
    ctx: click.Context, planned: PlannedCommand, file: Path
) -> tuple[tuple[Sequence[str], Sequence[str]], bool]:
    """The words of a plan's command, before and after further options, and whether it has --yes.

    UsageError `plan-file-invalid` if it is none that can be in a plan.
    """
    names = planned.name.split()
    command: click.Command | None = ctx.find_root().command
    for name in names:
        command = command.get_command(ctx, name) if isinstance(command, click.Group) else None
    parameters = {parameter.name: parameter for parameter in command.params} if command else {}
    if PLAN_OUT not in parameters:
        raise invalid_plan(f"no plan can be of the command {planned.name!r}", file)
    allowed = {
        parameter.opts[0]: parameter
        for name, parameter in parameters.items()
        if is_allowed(name or "")
    }
    options: list[str] = []
    for option, values in planned.options.items():
        if option not in allowed:
            raise invalid_plan(f"{option!r} cannot be in a plan", file)
        # One word, so that no value is taken for an option.
        options += [f"{option}={value}" for value in values] or [option]
    if "-" in planned.words or any("\0" in word for word in (*options, *planned.words)):
        raise invalid_plan("a word is a zero byte, or stands for stdin", file)
    return ([*names, *options], ["--", *planned.words]), "yes" in parameters


def _fresh(context: Context) -> Context:
    """A context that has read nothing yet."""
    other = Context(context.options)
    other.max_time = context.max_time
    return other


def _invoke(
    ctx: click.Context, context: Context, words: Sequence[str], planning: Planning | None = None
) -> int:
    """Run a command of unlatch, with a context; its exit code."""
    app: Any = ctx.find_root().command
    with app.make_context("unlatch", [*words]) as at:
        use_context(at, context)
        if planning is not None:
            begin_planning(at, planning)
        code: int = app.invoke(at)
    return code


def _tell_done(plan: SavedPlan, now: SavedPlan | None, *, as_json: bool) -> int:
    items = items_of(now.preview) if now else []
    pending = sum(map(has_pending, items))
    code = UNDELIVERED if pending and "--offline" not in plan.command.options else 0
    if as_json:
        names = [increment.id for increment in plan.increments]
        output.document("apply", code, increments=names, pending=pending)
        return code
    output.data("This has been done already; nothing was changed.")
    if pending:
        output.talk(f"{times(pending, 'operation')} pending. Next: unlatch sync")
    return code
