"""unlatch completion: completion for your shell."""

import click
from click.shell_completion import get_completion_class

from unlatch.cli.runtime.shells import register
from unlatch.cli.terminal import output


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def run(ctx: click.Context, /, *, shell: str) -> int:
    register()
    shell_class = get_completion_class(shell)
    if shell_class is None:
        raise click.UsageError(f"no completion is available for {shell}")
    script = shell_class(ctx.find_root().command, {}, "unlatch", "_UNLATCH_COMPLETE").source()
    output.verbatim(*script.rstrip("\n").split("\n"))
    return 0
