"""unlatch completion: completion for your shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click.shell_completion import ShellComplete, get_completion_class

from unlatch.cli import output
from unlatch.cli.app import app, reach

if TYPE_CHECKING:
    from unlatch.cli.table import Entry


def command(entry: Entry) -> click.Command:
    """The command."""

    @click.command(entry.name, help=reach(entry))
    @click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
    def run(*, shell: str) -> int:
        made = get_completion_class(shell)
        if made is None:
            raise click.UsageError(f"click knows no completion for {shell}")
        # click's own for bash starts bash to learn its version.
        output.data_lines(ShellComplete.source(made(app, {}, "unlatch", "_UNLATCH_COMPLETE")))
        return 0

    return run
