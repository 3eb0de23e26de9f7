"""The option for a reason, which can come from stdin."""

import io
import sys
from collections.abc import Callable
from typing import Any

import click

from unlatch.cli.runtime import output
from unlatch.increments.model.reopening import LONGEST_REASON, checked_reason

_STDIN = "-"


def reason_option(help: str) -> Callable[[Any], Any]:
    """`--reason TEXT`, passed to the command as `reason`; `-` reads it from stdin."""
    return click.option(
        "--reason", metavar="TEXT", callback=_read, help=f"{help} '-' reads it from stdin."
    )


def _read(context: click.Context, _option: click.Parameter, given: str | None) -> str | None:
    if given != _STDIN or context.resilient_parsing:
        return given
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    if sys.stdin.isatty():
        output.talk("Reading the reason from stdin; end with Ctrl-D.")
    return checked_reason(sys.stdin.read(2 * LONGEST_REASON))
