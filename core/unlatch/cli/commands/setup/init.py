"""unlatch init: set up a project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import JSON, flag
from unlatch.project.git.setup import DRIVER, GitSetupResult, require_git, set_up_git
from unlatch.project.registry import Registry
from unlatch.project.setup import set_up

if TYPE_CHECKING:
    from unlatch.cli.table import Globals
    from unlatch.increments.files.layout import Layout


@click.command()
@flag("--git", "with_git", help="Also set up git to merge increments and sessions.")
@JSON
@click.pass_context
def run(ctx: click.Context, /, *, with_git: bool, as_json: bool) -> int:
    options: Globals = ctx.obj
    root = options.root or Path.cwd()
    if with_git:
        require_git(root)
    layout, paths = set_up(root, Registry().manifests.values())
    git = set_up_git(layout, _sessions(layout)) if with_git else None
    made = [str(path.relative_to(layout.root)) for path in paths]
    if as_json:
        entry = git and {"attributes": git.lines, **output.fields(git, "driver", "foreign")}
        output.document("init", root=str(layout.root), made=made, git=entry)
        return 0
    for name in made:
        output.ok(name)
    if git:
        _tell_git(git)
    if not made and not (git and (git.lines or git.driver)):
        output.talk("No changes needed.")
    increments = layout.increments.relative_to(layout.root)
    output.talk(f"Increments are in {increments}/.")
    output.talk("Next: fill in .unlatch/config.toml, then unlatch doctor")
    return 0


def _sessions(layout: Layout) -> str:
    from unlatch.config.config import read_config  # noqa: PLC0415  (pydantic is slow to load)

    return read_config(layout).core.sessions.path


def _tell_git(git: GitSetupResult) -> None:
    for line in git.lines:
        output.ok(f"{git.path.name}: {line}")
    if git.driver:
        output.ok(f"git config {DRIVER}")
    if git.foreign:
        output.talk(f"{DRIVER} has another value, not changed: {output.clean(git.foreign)}")
    if git.lines:
        output.talk(f"Commit {git.path.name}, and run unlatch init --git once in every clone.")
