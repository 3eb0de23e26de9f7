"""unlatch unlink of an item that belongs to no increment: withdraw its pending operations."""

from unlatch.cli.runtime.context import Context
from unlatch.cli.runtime.item_words import find_record
from unlatch.errors import UnlatchError
from unlatch.increments.model.link import Link
from unlatch.lifecycle.items.withdraw import withdraw_operations


def withdraw_item(
    context: Context, words: tuple[str, ...], *, by: str, dry_run: bool
) -> tuple[str, Link, int] | None:
    """The record, its link and the number of withdrawn operations; None if none is pending."""
    if len(words) != 1 or not context.is_item(words[0]):
        return None
    try:
        match = find_record(context, words[0])
    except UnlatchError:
        return None  # an increment can have links that the configuration does not know any more
    if match is None:
        return None
    own, name = match
    link, count = withdraw_operations(own.workspace, name, by=by, dry_run=dry_run)
    return (name, link, count) if count else None
