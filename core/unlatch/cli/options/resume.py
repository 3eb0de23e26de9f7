"""The options of resume, which reopen has, too."""

from collections.abc import Iterable
from itertools import chain
from shlex import quote
from typing import Any

import click

from unlatch.cli.options.common import BY, JSON, flag, text_option, together
from unlatch.cli.options.delivery import DRY_RUN, FORCE, OFFLINE, YES, serving
from unlatch.cli.options.items import KEY, MAX_ITEMS
from unlatch.cli.options.reason import named, reason_option, typed_reason
from unlatch.cli.options.scope_options import scoping
from unlatch.cli.runtime.context import Context, require_terminal
from unlatch.cli.runtime.increments import Named
from unlatch.cli.runtime.work_references import Reference, read_reference
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.matching import matching, read_condition
from unlatch.related.places import installed_kinds
from unlatch.spi.operation import Kind

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


def _refuse_unasked(context: Context, given: dict[str, Any]) -> None:
    """Refuse a resume that will ask, as it does itself later; UsageError `not-interactive`."""
    if given["yes"] or given["dry_run"]:
        return
    increments = [*_meant(context, given["ids"], given["expressions"])]
    for increment in increments:
        if increment.status.is_finished:
            repeat = (
                "repeat with" if len(increments) > 1 else f"unlatch resume {quote(increment.id)}"
            )
            require_terminal(
                f"{increment.id} is {increment.status}", f"{repeat} {typed_reason()} --yes"
            )


def _meant(
    context: Context, ids: Named | Reference | tuple[str, ...], expressions: tuple[str, ...]
) -> Iterable[Increment]:
    """The increments of a command; none if it names other work or items."""
    if isinstance(ids, Reference):
        return ()
    words = ids.names if isinstance(ids, Named) else ids
    if any(context.is_item(word) or read_reference(word) for word in words):
        return ()
    manager = context.workspace.manager
    if words:
        return map(manager.read, named(context, words))
    return matching(manager.read_all()[0], list(map(read_condition, expressions)))


resuming = together(
    click.option(
        "--all-matching",
        "expressions",
        metavar="EXPR",
        multiple=True,
        help="Select increments matching EXPR (status=completed, title~words); repeat to combine.",
    ),
    MAX_ITEMS,
    reason_option("Record this reason, and post it on each item.", check=_refuse_unasked),
    BY,
    YES,
    OFFLINE,
    DRY_RUN,
    flag(
        "--reopen-items",
        help="Also reopen the closed items of an increment that was not completed.",
    ),
    flag("--current", help="Also make it the feature that spec-kit's commands work on."),
    scoping,
    text_option(
        "--category", metavar="WORD", help="Category of the reason, as configured in [reopen]."
    ),
    FORCE,
    KEY,
    flag("--verbose", "-v", help="Also show the reason and the addresses of the items."),
    serving(Kind.REOPEN, labels=True),
    choosing_kinds,
    click.option(
        "--own-pending",
        is_flag=True,
        hidden=True,
        help="Refuse, also with --dry-run and --yes, where a pending operation is another's.",
    ),
    JSON,
)
