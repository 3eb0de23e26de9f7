"""unlatch run check and agree: a plan, and the consent to its commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import flag, with_json
from unlatch.cli.runtime.context import Context, is_interactive
from unlatch.cli.runtime.passing import with_context
from unlatch.cli.terminal import output, prompts
from unlatch.errors import UsageError
from unlatch.worklog.text.neutral import command_line
from unlatch_runs.cli.chosen import RUN, chosen
from unlatch_runs.cli.sources import read_source, source_name
from unlatch_runs.consent import Consent, read_consent, save_consent
from unlatch_runs.journal import read_state

if TYPE_CHECKING:
    from unlatch_runs.plan.plan_model import Plan


@click.command("check", help="Check a plan, and show its tasks. (local)")
@click.argument("plan", metavar="PLAN")
@with_json
def check_run(context: Context, *, plan: str, as_json: bool) -> int:
    parsed = read_source(context, source_name(context, plan))
    if as_json:
        tasks = [
            {
                "id": task.id,
                "title": task.title,
                "line": task.line,
                "blockedBy": list(task.blocked_by),
                "commands": [list(command.argv) for command in task.commands],
            }
            for task in parsed.tasks.values()
        ]
        output.document("run-plan", source=parsed.source, tasks=tasks)
        return 0
    rows = [
        (task.id, task.title, ", ".join(task.blocked_by), str(len(task.commands)))
        for task in parsed.tasks.values()
    ]
    output.table(("Task", "Title", "Blocked by", "Commands"), rows, flexible=(1, 2))
    return 0


@click.command("agree", help="Agree to the acceptance commands of a run's plan. (local)")
@RUN
@flag("--yes", "-y", help="Agree without a question.")
@with_context
def agree_run(context: Context, *, wanted: str | None, yes: bool) -> int:
    folder = chosen(context, wanted)
    root = context.paths.root
    consent = read_consent(root, folder.name)
    plan = read_source(context, consent.plan, read_state(folder).tasks)
    save_consent(root, folder.name, agree_to(plan, consent, yes=yes))
    output.ok(f"agreed to the {len(set(plan.commands()))} commands of {folder.name}")
    return 0


def agree_to(plan: Plan, consent: Consent, *, yes: bool) -> Consent:
    """Ask for the consent to new acceptance commands.

    Raises:
        UsageError: `run-not-agreed`.
    """
    new = [argv for argv in dict.fromkeys(plan.commands()) if argv not in consent.agreed]
    if not new or yes:
        return consent.agree(new)
    lines = tuple(map(command_line, new))
    if not is_interactive():
        message = f"{len(new)} acceptance commands of {plan.source} would run on this machine"
        hint = "read them, then add --yes"
        raise UsageError("run-not-agreed", message, hint=hint, problems=lines)
    output.talk(
        f"Acceptance commands of {plan.source}; they run the workers' code, without a sandbox:",
        *(f"  {line}" for line in lines),
    )
    if not prompts.confirm("Run them?"):
        hint = "change the plan, or answer yes"
        raise UsageError("run-not-agreed", "the commands were not agreed to", hint=hint)
    return consent.agree(new)
