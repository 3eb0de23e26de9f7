"""unlatch init: set up a project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import JSON, flag
from unlatch.cli.render.describe import times
from unlatch.cli.runtime.item_words import count_elsewhere
from unlatch.cli.terminal import output
from unlatch.increments.layouts.native import OWN
from unlatch.increments.model.status import Status
from unlatch.project.git.setup import DRIVER, GitSetupResult, require_git, set_up_git
from unlatch.project.registry import Registry
from unlatch.project.setup import FoundTool, find_outer, find_tools, set_up

if TYPE_CHECKING:
    from unlatch.cli.runtime.context import Globals
    from unlatch.increments.files.paths import ProjectPaths


@click.command()
@flag("--git", "with_git", help="Also set up git to merge increments.")
@JSON
@click.pass_context
def run(ctx: click.Context, /, *, with_git: bool, as_json: bool) -> int:
    options: Globals = ctx.obj
    root = options.root or Path.cwd()
    if with_git:
        require_git(root)
    tools = find_tools(root.absolute())
    names = [tool.name for tool in tools if tool.name and tool.name not in OWN]
    paths, new = set_up(root, Registry().manifests.values(), names)
    git = set_up_git(paths) if with_git else None
    created = [str(path.relative_to(paths.root)) for path in new]
    if as_json:
        entry = git and {"attributes": git.lines, **output.fields(git, "driver", "foreign")}
        layouts = [_entry(tool, paths) for tool in tools]
        output.document("init", root=str(paths.root), made=created, git=entry, layouts=layouts)
        return 0
    for name in created:
        output.ok(name)
    if git:
        _tell_git(git)
    if not created and not (git and (git.lines or git.driver)):
        output.talk("No changes needed.")
    for tool in tools:
        _tell_tool(tool, paths)
    increments = paths.increments.relative_to(paths.root)
    kept = "Records of unlatch are kept" if names else "Increments are"
    output.talk(f"{kept} in {increments}/.")
    if paths.config in new and (outer := find_outer(paths.root)):
        output.note(
            f"this folder is in the project {output.clean(str(outer))}; commands here now use "
            "the new project (to use the other one, delete .unlatch here)"
        )
    if paths.config in new and (elsewhere := count_elsewhere()):
        output.talk(
            f"{times(elsewhere, 'item')} recorded outside of this project; unlatch status, undo "
            "and history find them here, too."
        )
    more = ", and unlatch list" if names else ""
    fill = "fill in .unlatch/config.toml, then " if paths.config in new else ""
    output.talk(f"Next: {fill}unlatch doctor{more}")
    return 0


def _tell_tool(tool: FoundTool, paths: ProjectPaths) -> None:
    counts = ", ".join(f"{tool.units[status]} {status}" for status in Status if tool.units[status])
    total = times(sum(tool.units.values()), "unit")
    units = f": {total}{f' ({counts})' if counts else ''}" if tool.name else ""
    if tool.name is None:
        why = "unlatch has no layout for it"
    elif tool.name in OWN:
        why = "its increments are beside those in .unlatch; unlatch migrate moves them"
    else:
        why = f'[layouts] use in .unlatch/config.toml lacks "{tool.name}"'
    end = "It is read." if tool.is_read(paths) else f"It is not read: {why}."
    output.talk(f"Found {output.clean(tool.title)}{units}. {end}")


def _entry(tool: FoundTool, paths: ProjectPaths) -> output.Json:
    units = {status.value: count for status, count in tool.units.items()}
    return {**output.fields(tool, "name", "title"), "used": tool.is_read(paths), "units": units}


def _tell_git(git: GitSetupResult) -> None:
    for line in git.lines:
        output.ok(f"{git.path.name}: {line}")
    if git.driver:
        output.ok(f"git config {DRIVER}")
    if git.foreign:
        output.talk(f"{DRIVER} has another value, not changed: {output.clean(git.foreign)}")
    if git.lines:
        output.talk(f"Commit {git.path.name}, and run unlatch init --git once in every clone.")
