"""The arguments and options of commands on items."""

import click

from unlatch.cli.runtime.session import flag, is_item
from unlatch.errors import UsageError


def check_items(
    _ctx: click.Context, _parameter: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...]:
    """Refuse numbers: they may be items or increments.

    Raises:
        UsageError: `unknown-item`.
    """
    for word in value:
        if not is_item(word):
            raise UsageError(
                "unknown-item",
                f"{word!r} is not an item's address or name",
                hint="paste the item's address, or its name: octo/widgets#4, SCRUM-28",
            )
    return value


ITEMS = click.argument("items", metavar="ITEM...", callback=check_items, nargs=-1, required=True)
ITEM_ONLY = flag("--item-only", help="Change the item although it belongs to an increment.")
MAX_ITEMS = click.option(
    "--max-items", type=click.IntRange(min=1), help="Maximum number of items to change."
)
