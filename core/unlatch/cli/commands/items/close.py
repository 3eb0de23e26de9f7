"""unlatch close: close items that belong to no increment."""

from typing import Any

import click

from unlatch.cli.commands.items.belonging import Belongs, offer_increment
from unlatch.cli.commands.items.change import change_items
from unlatch.cli.commands.work.finish import finish
from unlatch.cli.options.common import BY, MainCommand, with_json
from unlatch.cli.options.delivery import DRY_RUN, OFFLINE, YES, serving
from unlatch.cli.options.items import COMMENT_ANYWAY, ITEM_ONLY, ITEMS, KEY, MAX_ITEMS
from unlatch.cli.options.reason import reason_option
from unlatch.cli.render.agreement import agree_to_pending
from unlatch.cli.runtime.context import Context, is_interactive
from unlatch.cli.runtime.increments import Named
from unlatch.cli.table import Entry
from unlatch.spi.operation import Kind

_EXAMPLE = "unlatch close octo/widgets#4 --reason 'Fixed in 1.4.1'"


def command(entry: Entry) -> click.Command:
    @click.command(entry.name, cls=MainCommand, help=entry.own_help, example=_EXAMPLE)
    @ITEMS
    @reason_option("Record this reason, and post it on each item.")
    @BY
    @ITEM_ONLY
    @COMMENT_ANYWAY
    @KEY
    @MAX_ITEMS
    @YES
    @OFFLINE
    @DRY_RUN
    @serving(Kind.CLOSE, labels=True)
    @with_json
    def run(context: Context, *, items: tuple[str, ...], **options: Any) -> int:
        try:
            return change_items(context, items, Kind.CLOSE, **options)
        except Belongs as belongs:
            if options["as_json"] or not (belongs.is_offered and is_interactive()):
                raise
            return offer_increment(belongs, lambda name: _complete(context, name, options))

    return run


def _complete(context: Context, increment: str, options: dict[str, Any]) -> int:
    of_items = ("item_only", "comment_anyway", "key", "yes")
    kept = {name: value for name, value in options.items() if name not in of_items}
    if not (options["offline"] or options["dry_run"]):
        before = context.workspace.manager.read(increment)
        agree_to_pending([(context, [before])], yes=options["yes"], silent=options["as_json"])
    return finish(context, "complete", Named((increment,)), yes=True, **kept)
