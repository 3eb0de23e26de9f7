"""unlatch init: set a project up."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from unlatch.cli import output
from unlatch.cli.app import reach
from unlatch.cli.session import JSON
from unlatch.engine.setup import set_up

if TYPE_CHECKING:
    from unlatch.cli.app import Globals
    from unlatch.cli.table import Entry


def command(entry: Entry) -> click.Command:
    """The command."""

    @click.command(entry.name, help=reach(entry))
    @JSON
    @click.pass_context
    def run(ctx: click.Context, /, *, as_json: bool) -> int:
        options: Globals = ctx.obj
        done = set_up(options.root or Path.cwd())
        if as_json:
            document = {"schema": "unlatch.init/1", "root": str(done.layout.root)}
            made = [str(path.relative_to(done.layout.root)) for path in done.made]
            output.document({**document, "made": made, "exitCode": 0})
            return 0
        for path in done.made:
            output.data(f"{output.good(output.sign('ok'))} {path.relative_to(done.layout.root)}")
        if not done.made:
            output.talk("Everything was there already.")
        increments = done.layout.increments.relative_to(done.layout.root)
        output.talk(f"Increments are in {increments}/.")
        output.talk("Next: fill in .unlatch/config.toml, then unlatch doctor")
        return 0

    return run
