"""The options that choose the kinds of work that a resume concerns."""

from itertools import chain
from typing import Any

import click

from unlatch.related.places import installed_kinds

INCREMENT = "increment"


class _Kinds(click.Choice[str]):
    """One kind, or several that are separated by commas."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        words = [word.strip() for word in value.split(",")]
        return [super(_Kinds, self).convert(word, param, ctx) for word in words]


def kinds_of_work() -> tuple[str, ...]:
    """The kinds that can be resumed with an increment."""
    return (INCREMENT, *(f"{name}s" for name in installed_kinds()))


def choosing_kinds(command: Any) -> Any:
    """Add the options; the command gets `kinds`, the chosen ones, through `take_kinds`."""
    kinds = _Kinds(kinds_of_work())
    without = click.option(
        "--without",
        type=kinds,
        multiple=True,
        help="Leave out these kinds of work (repeat, or separate them by commas).",
    )
    only = click.option(
        "--only",
        type=kinds,
        multiple=True,
        help="Resume only these kinds of work (repeat, or separate them by commas).",
    )
    return only(without(command))


def take_kinds(options: dict[str, Any]) -> frozenset[str]:
    """Remove the two options, and return the chosen kinds."""
    only, without = ([*chain(*options.pop(name))] for name in ("only", "without"))
    if only and without:
        raise click.UsageError("--only and --without exclude each other")
    return frozenset(only or kinds_of_work()) - frozenset(without)
