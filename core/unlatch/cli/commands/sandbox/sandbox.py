"""unlatch sandbox: serve stand-ins for the three trackers on this machine."""

from __future__ import annotations

from pathlib import Path

import click

from unlatch.cli.runtime import output
from unlatch.errors import UnlatchError
from unlatch.project.registry import is_installed


@click.command()
@click.option(
    "--state",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Store the items in this file; by default they are lost when the sandbox stops.",
)
@click.option(
    "--port",
    type=click.IntRange(1, 65532),
    help="Use this port and the next three; by default free ones.",
)
def run(*, state: Path | None, port: int | None) -> int:
    check_sandbox()
    from unlatch_sandbox import Ports, Sandbox, serve  # noqa: PLC0415  (loads flask)

    ports = Ports(*range(port, port + 4)) if port else None
    with Sandbox(state, ports=ports) as box:
        output.talk(f"The sandbox is at {box.console_url} (Ctrl-C stops it). In your project:")
        output.talk()
        output.data("# .unlatch/config.toml: the whole file, in place of the one of unlatch init")
        output.data_lines(box.config())
        output.data("# the environment")
        for name, value in box.environ().items():
            output.data(f"export {name}={value}")
        output.talk()
        if state is None:
            output.talk("It has no items yet; unlatch link ID --create github creates one.")
        serve(box)
    return 0


def check_sandbox() -> None:
    """Make sure that the sandbox's libraries are installed.

    Raises:
        UnlatchError: `extra-missing`.
    """
    if not is_installed("flask"):
        raise UnlatchError(
            "extra-missing",
            "the sandbox needs a library that is not installed",
            where="flask",
            hint="pipx inject unlatch 'unlatch[sandbox]'  (or: pip install 'unlatch[sandbox]')",
        )
