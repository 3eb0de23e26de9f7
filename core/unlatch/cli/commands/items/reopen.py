"""unlatch reopen: reopen items, or resume increments."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.commands.items.belonging import Belongs, offer_increment
from unlatch.cli.commands.items.change import change_items
from unlatch.cli.commands.work.resume import resume
from unlatch.cli.options.common import MainCommand
from unlatch.cli.options.increments import increment_argument
from unlatch.cli.options.items import COMMENT_ANYWAY, ITEM_ONLY, typed_items
from unlatch.cli.options.reason import ask_reason
from unlatch.cli.options.resume import resuming
from unlatch.cli.options.scope_options import take_scoping
from unlatch.cli.runtime.context import Context, is_interactive
from unlatch.cli.runtime.increments import Named, named_increments
from unlatch.cli.runtime.passing import with_context
from unlatch.cli.runtime.work_references import read_reference, run_instead
from unlatch.spi.operation import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.cli.table import Entry

_EXAMPLE = "unlatch reopen octo/widgets#4 --reason 'Still fails'"
# Options of resume that mean nothing for an item alone.
_OF_INCREMENTS = (
    *("expressions", "reopen_items", "category", "force", "only", "without", "current"),
)


def command(entry: Entry) -> click.Command:
    @click.command(entry.name, cls=MainCommand, help=entry.own_help, example=_EXAMPLE)
    @increment_argument("ids", metavar="ID|ITEM...", callback=typed_items, nargs=-1)
    @ITEM_ONLY
    @COMMENT_ANYWAY
    @resuming
    @with_context
    def run(
        context: Context,
        *,
        ids: tuple[str, ...],
        item_only: bool,
        comment_anyway: bool,
        **options: Any,
    ) -> int:
        if any(map(context.is_item, ids)):
            own = {"item_only": item_only, "comment_anyway": comment_anyway}
            return _reopen_items(context, ids, options, own)
        if item_only or comment_anyway:
            name = "--item-only" if item_only else "--comment-anyway"
            raise click.UsageError(f"{name} goes with an item's address or name")
        if reference := read_reference(ids[0]) if len(ids) == 1 else None:
            return run_instead(reference, "resume")
        return resume(context, named_increments(context, ids), **options)

    return run


def _reopen_items(
    context: Context, words: Sequence[str], options: dict[str, Any], own: dict[str, Any]
) -> int:
    """Reopen items; at a terminal, offer to resume their increment instead."""
    if others := [word for word in words if not context.is_item(word)]:
        raise click.UsageError(f"name items or increments, not both: {others[0]}")
    left, is_asked = _read(options)
    ask = partial(ask_reason, context) if is_asked else None
    try:
        return change_items(context, words, Kind.REOPEN, ask=ask, **own, **left)
    except Belongs as belongs:
        if not (is_asked and belongs.is_offered):
            raise
        return offer_increment(belongs, lambda name: resume(context, Named((name,)), **options))


def _read(options: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """The options for items, and whether questions may be asked."""
    left = dict(options)
    scoping = take_scoping(left)
    if any([scoping, *(left.pop(option) for option in _OF_INCREMENTS)]):
        raise click.UsageError("options about increments do not go with items")
    return left, not left["yes"] and is_interactive() and not left["as_json"]
