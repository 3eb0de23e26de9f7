"""unlatch mcp: serve tools to a coding agent."""

from __future__ import annotations

import os
import signal
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import flag
from unlatch.cli.runtime.passing import with_context
from unlatch.errors import UsageError
from unlatch.worklog.installer import install_command

if TYPE_CHECKING:
    from unlatch.cli.runtime.context import Context


@click.command()
@click.option(
    "--toolset",
    "toolsets",
    type=click.Choice(["work", "efforts"]),
    multiple=True,
    default=("work",),
    show_default=True,
    help="Serve these tools; repeat for both.",
)
@flag("--allow-writes", help="Also serve tools that reopen work, each after a plan.")
@with_context
def run(context: Context, *, toolsets: tuple[str, ...], allow_writes: bool) -> int:
    if find_spec("mcp") is None:
        message = "the MCP server needs the package mcp"
        raise UsageError("mcp-missing", message, hint=install_command("unlatch[mcp]"))
    from unlatch_mcp.calls import Calls  # noqa: PLC0415  (starts slowly)
    from unlatch_mcp.server import build_server  # noqa: PLC0415

    root = context.paths.root if context.has_project else Path.cwd()
    calls = Calls(root, os.environ)
    server = build_server(calls, toolsets=toolsets, allow_writes=allow_writes)
    # Nothing wakes the thread that reads stdin, so Ctrl-C would end the server only after an Enter.
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        server.run("stdio")
    finally:
        signal.signal(signal.SIGINT, before)
    return 0
