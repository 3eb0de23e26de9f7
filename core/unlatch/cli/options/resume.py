"""The options of resume, which reopen has, too."""

from collections.abc import Iterable
from shlex import quote
from typing import Any

import click

from unlatch.cli.options.common import BY, JSON, flag, text_option
from unlatch.cli.options.delivery import DRY_RUN, FORCE, OFFLINE, YES, serving
from unlatch.cli.options.items import KEY, MAX_ITEMS
from unlatch.cli.options.kinds import choosing_kinds
from unlatch.cli.options.reason import named, reason_option, typed_reason
from unlatch.cli.options.scope_options import scoping
from unlatch.cli.runtime.context import Context, require_terminal
from unlatch.cli.runtime.increments import Named
from unlatch.cli.runtime.work_references import Reference, read_reference
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.matching import matching, read_condition
from unlatch.spi.operation import Kind


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


_OPTIONS = (
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


def resuming(command: Any) -> Any:
    """Add these options to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
