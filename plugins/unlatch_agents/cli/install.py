"""unlatch agents install, uninstall and list."""

from __future__ import annotations

import json
import os
import shlex
from functools import partial
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.options.common import JSON, flag, together, with_json
from unlatch.cli.options.delivery import YES
from unlatch.cli.render.diff import ask_consent, diff_of, show_diff
from unlatch.cli.runtime.failure import DECLINED, UNDECIDED, code_of_many, problem_entry
from unlatch.cli.runtime.passing import with_context
from unlatch.cli.terminal import output
from unlatch.errors import UsageError
from unlatch.project.trusted import is_trusted
from unlatch.transport.trace import own_home
from unlatch_agents.install.catalog import AGENTS, Agent, Target
from unlatch_agents.install.entries import NAME
from unlatch_agents.install.installing import InstallPlan, apply_plan, plan_install, plan_uninstall
from unlatch_agents.install.written import read_written

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.cli.runtime.context import Context
    from unlatch_agents.install.planning import FileChange

_FOREIGN = "read each, and remove what you do not know; then run the command again"
_with_options = together(
    click.argument("names", metavar="[NAME]...", nargs=-1, type=click.Choice([*AGENTS])),
    flag("--project", "in_project", help="In this project, for its sessions alone."),
    flag("--user", "for_user", help="For all your projects; the default."),
    flag("--dry-run", help="Show the changes, and write nothing."),
    YES,
    JSON,
)


@click.command("install", help="Install skills, hooks and the MCP server in agents. (local)")
@_with_options
@with_context
def install_agents(context: Context, **typed: Any) -> int:
    target = _target(context, typed)
    chosen = _chosen(typed["names"]) or _used(target)
    plan = partial(plan_install, chosen, target)
    code = _carry_out(plan, chosen, typed, verb="install")
    if not code and not typed["dry_run"] and not typed["as_json"]:
        if target.root and which(NAME) is None:
            output.note(f"the files for your team start {NAME}, which is not on your PATH")
        _tell_next(context)
    return code


@click.command("uninstall", help="Remove what install wrote, except what you changed. (local)")
@_with_options
@with_context
def uninstall_agents(context: Context, **typed: Any) -> int:
    target = _target(context, typed)
    chosen = _chosen(typed["names"]) or [*AGENTS.values()]
    return _carry_out(partial(plan_uninstall, chosen, target), chosen, typed, verb="uninstall")


@click.command("list", help="List the agents, and where unlatch is installed. (local)")
@with_json
def list_agents(context: Context, *, as_json: bool) -> int:
    root = context.paths.root if context.has_project else None
    rows = [_row(agent, root) for agent in AGENTS.values()]
    trusted = is_trusted(root) if root else None
    if as_json:
        output.document("agents", agents=rows, trusted=trusted)
        return 0
    cells = [
        (
            row["name"],
            row["title"],
            *(_word(row[column]) for column in ("found", "user", "project")),
        )
        for row in rows
    ]
    output.table(("Agent", "Program", "Found", "User", "Project"), cells, flexible=(1,))
    if root:
        state = "trusted" if trusted else "not trusted, so hooks add no briefings"
        step = "" if trusted else " Next: unlatch agents trust"
        output.talk(f"This checkout is {state}.{step}")
    return 0


def _word(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "no"


def _row(agent: Agent, root: Path | None) -> output.Json:
    user = _at(None)
    return {
        **output.fields(agent, "name", "title"),
        "found": _is_there(agent, user),
        "user": _is_installed(agent, user),
        "project": _is_installed(agent, _at(root)) if root else None,
    }


def _is_there(agent: Agent, user: Target) -> bool:
    # Unlike Path.is_dir(), also where the home is another user's.
    return os.path.isdir(agent.sign.of(user)[1])  # noqa: PTH112


def _is_installed(agent: Agent, target: Target) -> bool:
    return any(entry.agent == agent.name for entry in read_written(target.name))


def _at(root: Path | None) -> Target:
    return Target(root, own_home() or Path("/"), dict(os.environ))


def _target(context: Context, typed: dict[str, Any]) -> Target:
    if typed["in_project"] and typed["for_user"]:
        raise click.UsageError("--project and --user exclude each other")
    return _at(context.paths.root if typed["in_project"] else None)


def _chosen(names: tuple[str, ...]) -> list[Agent]:
    return [AGENTS[name] for name in dict.fromkeys(names)]


def _used(target: Target) -> list[Agent]:
    """The agents that the user has, by their folders."""
    user = _at(None)
    agents = [agent for agent in AGENTS.values() if _is_there(agent, user)]
    if not agents:
        option = " --project" if target.root else ""
        message = "no folder of a coding agent was found"
        hint = f"name an agent: unlatch agents install{option} claude"
        raise UsageError("no-agents", message, hint=hint)
    return agents


def _carry_out(
    replan: Callable[[], InstallPlan], chosen: list[Agent], typed: dict[str, Any], *, verb: str
) -> int:
    """Show a plan, ask, and apply it; the exit code."""
    as_json, dry_run = typed["as_json"], typed["dry_run"]
    plan = replan()
    if len(plan.failed) == len(chosen) == 1:
        raise plan.failed[0][1]
    if not as_json:
        for change in plan.files:
            show_diff(_shown(change))
    if not dry_run:
        option = "--project " if plan.target.root else ""
        words = " ".join(agent.name for agent in chosen)
        command = f"unlatch agents {verb} {option}--yes {words}"
        question = "Change these files?"
        if plan.files and not ask_consent(question, yes=typed["yes"], command=command):
            return DECLINED
        plan = apply_plan(plan, replan)
    codes = (error.exit_code for _, error in plan.failed)
    code = code_of_many(codes, changed=bool(plan.files))
    if any(entry.is_foreign for entry in plan.kept):
        code = UNDECIDED
    if as_json:
        _document(plan, code, verb=verb, dry_run=dry_run)
    else:
        _tell(plan, [AGENTS[name] for name in typed["names"]], verb=verb, dry_run=dry_run)
    return code


def _shown(change: FileChange) -> str:
    """A file of ours as a diff; of settings our entries alone, since others have credentials."""
    path = str(change.path).removeprefix("/")
    if not change.entries:
        return diff_of(path, change.before, change.after)
    lines = [f"--- a/{path}", f"+++ b/{path}"]
    for entry in change.entries:
        place = f"{'.'.join(entry.keys)}{'[]' if entry.is_element else ''}"
        values = (("-", entry.before), ("+", entry.after))
        lines += [
            f"{sign}{place}: {json.dumps(value)}" for sign, value in values if value is not None
        ]
    return "\n".join(lines)


def _document(plan: InstallPlan, code: int, *, verb: str, dry_run: bool) -> None:
    output.document(
        f"agents-{verb}",
        code,
        scope="project" if plan.target.root else "user",
        agents=[agent.name for agent in plan.agents],
        files=[
            {"path": str(file.path), "change": _change(file.before, file.after)}
            for file in plan.files
        ],
        kept=[
            {
                "path": str(entry.path),
                "entry": ".".join(entry.keys) or None,
                "foreign": entry.is_foreign,
            }
            for entry in plan.kept
        ],
        failed=[
            {"agent": agent.name, "error": problem_entry(error)} for agent, error in plan.failed
        ],
        dryRun=dry_run,
    )


def _change(before: bytes | None, after: bytes | None) -> str:
    if before is None:
        return "created"
    return "removed" if after is None else "changed"


def _tell(plan: InstallPlan, named: list[Agent], *, verb: str, dry_run: bool) -> None:
    for kept in plan.kept:
        place = f"{'.'.join(kept.keys)} in {kept.path}" if kept.keys else f"{kept.path}"
        if kept.is_foreign:
            output.failed(f"{output.clean(place)} stays: unlatch did not write it")
        else:
            output.note(f"left unchanged, since unlatch did not write it so: {place}")
    if is_foreign := any(entry.is_foreign for entry in plan.kept):
        output.data(f"    {_FOREIGN}")
    for agent in () if dry_run else plan.agents:
        output.ok(f"{agent.title}: {verb}ed")
    failed = [agent for agent, _ in plan.failed]
    for agent in named if verb == "uninstall" else ():
        is_kept = any(entry.agent == agent.name for entry in plan.record)
        if agent not in (*plan.agents, *failed) and not is_kept:
            output.talk(f"{agent.title}: nothing of unlatch is installed")
    for agent, error in plan.failed:
        message = f"{output.clean(error.message)} {output.faint(f'[{error.id}]')}"
        output.failed(f"{agent.title}: {message}", error.hint)
        output.data(*([f"    at: {output.clean(error.where)}"] if error.where else ()))
    if not plan.files and not failed and not is_foreign:
        output.talk("No changes needed.")


def _tell_next(context: Context) -> None:
    if context.has_project and not is_trusted(context.paths.root):
        root = shlex.quote(str(context.paths.root))
        output.talk(f"Next: unlatch agents trust {root}, for hooks to add briefings")
