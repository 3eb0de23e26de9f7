"""unlatch sync --dry-run: the requests of pending operations on items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.commands.items.render import pending_line
from unlatch.cli.render.notes import tell_unread
from unlatch.cli.render.preview import unread_items
from unlatch.cli.terminal import output
from unlatch.lifecycle.items.pending import preview_deliveries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.cli.commands.items.pending import PendingItems
    from unlatch.cli.runtime.context import Context
    from unlatch.delivery.preview import Previewed
    from unlatch.spi.operation import DeliveryOptions


def preview_items(
    context: Context, pending: PendingItems, options: DeliveryOptions
) -> list[Previewed]:
    """The requests that `sync_items` would send."""
    previews: list[Previewed] = []
    for group, records in pending.found:
        with context.over(group.workspace).trackers() as trackers:
            previews += preview_deliveries(group.workspace, trackers, records, options=options)
    return previews


def tell_not_previewed(
    here: PendingItems, elsewhere: PendingItems, previewed: Sequence[Previewed]
) -> None:
    """Name the records of which no operation would be tried, and why items could not be read."""
    tell_unread(unread_items(previewed))
    operations = {preview.operation.op for preview in previewed}
    for pending, is_elsewhere in ((here, False), (elsewhere, True)):
        for record in pending.records:
            if operations.isdisjoint(operation.op for operation in record.pending):
                output.data(pending_line(record, elsewhere=is_elsewhere))
