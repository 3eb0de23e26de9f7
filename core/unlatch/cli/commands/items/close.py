"""unlatch close: close items that belong to no increment."""

from typing import Any

import click

from unlatch.cli.commands.items.change import ItemOptions, change_items
from unlatch.cli.options.delivery import DRY_RUN, OFFLINE, serving
from unlatch.cli.options.items import ITEM_ONLY, ITEMS, MAX_ITEMS
from unlatch.cli.options.reason import reason_option
from unlatch.cli.runtime.session import BY, JSON, Session, with_session
from unlatch.cli.table import Entry
from unlatch.spi.operation import Kind


def command(entry: Entry) -> click.Command:
    @click.command(entry.name, help=entry.own_help)
    @ITEMS
    @reason_option("Record this reason, and post it on each item.")
    @BY
    @ITEM_ONLY
    @MAX_ITEMS
    @OFFLINE
    @DRY_RUN
    @serving(Kind.CLOSE)
    @JSON
    @with_session
    def run(session: Session, *, items: tuple[str, ...], **options: Any) -> int:
        return change_items(session, items, ItemOptions(kind=Kind.CLOSE, **options))

    return run
