"""The options that choose the kinds of work that a resume concerns."""

from typing import Any

import click

INCREMENT = "increment"
KINDS = (INCREMENT, "efforts", "sessions", "runs")
_KIND = click.Choice(KINDS)


def choosing_kinds(command: Any) -> Any:
    """Add the options; the command gets `kinds`, the chosen ones, through `take_kinds`."""
    without = click.option(
        "--without", type=_KIND, multiple=True, help="Leave out this kind of work; repeat for more."
    )
    only = click.option(
        "--only", type=_KIND, multiple=True, help="Resume only this kind of work; repeat for more."
    )
    return only(without(command))


def take_kinds(options: dict[str, Any]) -> frozenset[str]:
    """Remove the two options, and return the chosen kinds."""
    only, without = options.pop("only"), options.pop("without")
    if only and without:
        raise click.UsageError("--only and --without exclude each other")
    return frozenset(only or KINDS) - frozenset(without)
