"""unlatch list: list the increments, one a line."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from datetime import datetime
from typing import Any, TypeVar

import click

from unlatch.cli.options.common import with_json
from unlatch.cli.options.listing import listing, take_listing
from unlatch.cli.render.describe import ago, first_line, times
from unlatch.cli.render.notes import not_read, tell_hint, tell_left_out
from unlatch.cli.runtime.context import Context
from unlatch.cli.terminal import output
from unlatch.increments.files.paths import may_be_sparse
from unlatch.increments.model.increment import FROM_SPEC, BrokenIncrement, Increment
from unlatch.increments.model.matching import Condition, Trait
from unlatch.lifecycle.lists.list_row import ListRow, row_of
from unlatch.lifecycle.lists.listing import WORTH_IT, Filters, Listed, Listing
from unlatch.project.workspace import broken_links

# At a terminal; without one all are listed.
_MOST_ITEMS = 6
Row = TypeVar("Row", bound=Listed | ListRow)


@click.command()
@listing
@with_json
def run(context: Context, *, items: bool, as_json: bool, **options: Any) -> int:
    elsewhere = 0
    if items:
        from unlatch.cli.runtime import item_words  # noqa: PLC0415  (slow to load)

        elsewhere = item_words.count_elsewhere() if context.has_project else 0
        context = item_words.over_items(context)
    listing, hidden = take_listing(context, **options)
    with nullcontext() if as_json else context.paged():
        if items and not as_json:
            return _show_items(context, listing, elsewhere)
        return _show(context, listing, hidden=hidden, as_json=as_json)


def _show_items(context: Context, listing: Listing, elsewhere: int) -> int:
    """Show the records of items alone, one a line."""
    rows, broken = [], list[BrokenIncrement]()
    for record in listing:
        if isinstance(record, BrokenIncrement):
            broken.append(record)
        else:
            rows.append(_item_row(record, context.workspace.clock()))
    if rows:
        headings = ("Item", "Last", "Reopens", "Pending", "Reason of the last reopen")
        output.table(headings, rows, flexible=(4,))
    elif not broken:
        output.talk("No item matches." if listing.filters else "No items.")
    if elsewhere:
        output.talk(f"{times(elsewhere, 'item')} recorded outside of this project.")
    return tell_left_out([*broken, *listing.left_out])


def _item_row(record: Increment, now: datetime) -> tuple[str, ...]:
    last = record.reopens[-1].reason if record.reopens else ""
    verb = "closed" if record.status.is_finished else "reopened"
    at = record.last_activity
    when = f"{verb} {ago(at, now)}" if at else verb
    count = str(record.effective_reopens)
    return record.name, when, count, str(len(record.pending)), first_line(last)


def _show(context: Context, listing: Listing, *, hidden: int, as_json: bool) -> int:
    notes: list[str] = []
    if may_be_sparse(context.paths.root):
        from unlatch.project.git.sparse import sparse_note  # noqa: PLC0415  (rarely needed)

        notes += sparse_note(context.paths)
    if as_json:
        from unlatch.cli.render.documents import list_entry  # noqa: PLC0415  (not for text)

        output.document_list(map(list_entry, _noting(context, listing, notes)))
    else:
        alone = sum(1 for _ in context.workspace.beside.collection.folders())
        if not _tell(_noting(context, _known(context, listing, hidden) or listing, notes)):
            _tell_none(context, listing, hidden=hidden, is_sparse=bool(notes or alone))
        if alone and not listing.filters:
            output.talk(f"{times(alone, 'item')} reopened or closed alone; --items lists them.")
    if listing.limit is not None and listing.matched > listing.limit:
        output.talk(f"Showing {listing.limit} of {listing.matched:,} increments.")
    if hidden and not (listing.filters or as_json):
        pronoun = "it" if hidden == 1 else "them"
        output.talk(f"{times(hidden, 'archived increment')} not shown; --all shows {pronoun}.")
    for note in notes:
        output.note(note)
    return tell_left_out(listing.left_out)


def _known(context: Context, listing: Listing, hidden: int) -> Iterator[Listed | ListRow] | None:
    """The rows of a long list of everything, with those that are known from an earlier run."""
    is_all = not (listing.filters or listing.order or listing.reverse or listing.limit)
    if not is_all or len(listing.folders) < WORTH_IT:
        return None
    from unlatch.lifecycle.lists.known_rows import LIST_ROWS, KnownRows  # noqa: PLC0415  (for long lists)

    manager = context.workspace.manager
    rows = KnownRows(manager.paths.root, manager.shapes, LIST_ROWS)
    if context.workspace.registry.known_broken:
        return None  # rows do not show that an increment names items of such a plugin
    return rows.each(listing.folders, complete=not hidden)


def _noting(context: Context, listing: Iterable[Row], notes: list[str]) -> Iterator[Row]:
    """The increments; notes about those that are only partly read go to `notes`."""
    manager, registry = context.workspace.manager, context.workspace.registry
    unread: dict[str, None] = {}
    for increment in listing:
        if isinstance(increment, Increment):
            if increment.from_spec:
                notes.append(f"{increment.id}: {FROM_SPEC}")
            if error := manager.unreadable_title(increment):
                notes.append(not_read(error))
        yield increment
        # Its links have been read by now.
        if registry.known_broken and isinstance(increment, Increment):
            unread |= dict.fromkeys(broken_links(increment, registry))
    why = "are not shown, because that plugin cannot be used"
    notes += [f"items of {tracker} {why}" for tracker in unread]


def _tell(chosen: Iterable[Listed | ListRow]) -> int:
    """Show the increments; their number."""
    broken: list[BrokenIncrement] = []
    rows = []
    # Only rows are kept, to save memory with thousands of increments.
    for increment in chosen:
        rows.append(_row(increment))
        if isinstance(increment, BrokenIncrement):
            broken.append(increment)
    if rows:
        if any(row[2] for row in rows):
            headings = ("Increment", "Status", "Files show", "Items", "Title")
            output.table(headings, rows, flexible=(3, 4))
        else:
            plain = [(*row[:2], *row[3:]) for row in rows]
            output.table(("Increment", "Status", "Items", "Title"), plain, flexible=(2, 3))
        for lost in broken:
            tell_hint(lost)
    return len(rows)


def _tell_none(context: Context, listing: Listing, *, hidden: int, is_sparse: bool) -> None:
    """Report that no increment was found; for a status, count those with other statuses."""
    if not (listing.filters and listing.folders):
        if not (hidden or is_sparse):
            output.talk("No increments. Next: unlatch new TITLE")
        return
    others: Counter[str] = Counter()
    if wanted := _only_status(listing.filters):
        each = context.workspace.manager.each(listing.folders)
        others.update(
            increment.status.value for increment in each if isinstance(increment, Increment)
        )
    if others:
        counts = ", ".join(f"{count:,} {other}" for other, count in others.most_common())
        output.talk(f"No increment is {wanted}; others are: {counts}. Next: unlatch list")
    elif hidden:
        archived = times(hidden, "archived increment")
        output.talk(f"No increment matches; {archived} not searched. Next: add --all")
    else:
        output.talk("No increment matches. Next: unlatch list --all")


def _only_status(filters: Filters) -> str | None:
    """The status, if nothing but one status was asked for."""
    match filters:
        case Filters([Condition(Trait.STATUS, "=", words)], "", None, None) if len(words) == 1:
            return next(iter(words))
    return None


def _row(increment: Listed | ListRow) -> tuple[str, ...]:
    archived = " (archived)" if increment.archived else ""
    if isinstance(increment, BrokenIncrement):
        return increment.id, f"broken{archived}", "", "", increment.reason
    evidence, row = (
        ("", increment)
        if isinstance(increment, ListRow)
        else (_shown(increment), row_of(increment))
    )
    pending = f" ({row.pending} pending)" if row.pending else ""
    links = row.links
    if len(links) > _MOST_ITEMS and sys.stdout.isatty():
        left_out = f"and {len(links) - _MOST_ITEMS + 1} more"
        links = [*links[: _MOST_ITEMS - 1], left_out]
    return (
        increment.id,
        f"{row.status}{archived}",
        evidence,
        f"{', '.join(links)}{pending}",
        row.title,
    )


def _shown(increment: Increment) -> str:
    """What the files of a unit show, where that is not just the status."""
    if increment.evidence is None:
        return "no tasks" if increment.unit else ""
    is_same = increment.evidence.status is increment.status
    return (
        increment.evidence.by
        if is_same
        else f"{increment.evidence.status} ({increment.evidence.by})"
    )
