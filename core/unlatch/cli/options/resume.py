"""The options of resume, which reopen has, too."""

from typing import Any

import click

from unlatch.cli.options.delivery import DRY_RUN, FORCE, OFFLINE, YES, serving
from unlatch.cli.options.items import MAX_ITEMS
from unlatch.cli.options.kinds import choosing_kinds
from unlatch.cli.options.reason import reason_option
from unlatch.cli.options.scope import scoping
from unlatch.cli.runtime.session import BY, JSON, flag
from unlatch.spi.operation import Kind

_OPTIONS = (
    click.option(
        "--all-matching",
        "expressions",
        metavar="EXPR",
        multiple=True,
        help="Select increments matching EXPR (status=completed, title~words); repeat to combine.",
    ),
    MAX_ITEMS,
    reason_option("Record this reason, and post it on each item."),
    BY,
    YES,
    OFFLINE,
    DRY_RUN,
    flag(
        "--reopen-items",
        help="Also reopen the closed items of an increment that was not completed.",
    ),
    scoping,
    click.option(
        "--category", metavar="WORD", help="Category of the reason, as configured in [reopen]."
    ),
    FORCE,
    flag("--verbose", "-v", help="Also show the reason and the addresses of the items."),
    serving(Kind.REOPEN),
    choosing_kinds,
    JSON,
)


def resuming(command: Any) -> Any:
    """Add these options to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
