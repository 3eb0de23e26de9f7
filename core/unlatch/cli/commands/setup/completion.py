"""unlatch completion: completion for your shell."""

import click
from click.shell_completion import ShellComplete, get_completion_class

from unlatch.cli.runtime import output


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def run(ctx: click.Context, /, *, shell: str) -> int:
    made = get_completion_class(shell)
    if made is None:
        raise click.UsageError(f"no completion is available for {shell}")
    app = ctx.find_root().command
    # click's class for bash starts bash to find its version.
    script = ShellComplete.source(made(app, {}, "unlatch", "_UNLATCH_COMPLETE"))
    output.data(*script.split("\n"))
    return 0
