"""unlatch list: list the increments, one a line."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from datetime import datetime
from typing import Any, TypeVar

import click

from unlatch.cli.options.common import JSON
from unlatch.cli.options.listing import listing, take_listing
from unlatch.cli.render.describe import ago, first_line, times
from unlatch.cli.render.documents import list_entry
from unlatch.cli.render.notes import not_read, tell_hint, tell_left_out
from unlatch.cli.runtime.context import Context
from unlatch.cli.runtime.passing import with_context
from unlatch.cli.terminal import output
from unlatch.increments.files.paths import may_be_sparse
from unlatch.increments.model.increment import FROM_SPEC, BrokenIncrement, Increment
from unlatch.increments.model.matching import Condition, Trait
from unlatch.lifecycle.known_rows import WORTH_IT, KnownRows, ListRow, row_of
from unlatch.lifecycle.listing import Filters, Listed, Listing
from unlatch.project.workspace import broken_links

# At a terminal; without one all are listed.
_MOST_ITEMS = 6
Row = TypeVar("Row", bound=Listed | ListRow)


@click.command()
@listing
@JSON
@with_context
def run(context: Context, *, items: bool, as_json: bool, **options: Any) -> int:
    if items:
        from unlatch.cli.runtime.item_words import over_items  # noqa: PLC0415  (slow to load)

        context = over_items(context)
    found, hidden = take_listing(context, **options)
    with nullcontext() if as_json else context.paged():
        if items and not as_json:
            return _show_items(context, found)
        return _show(context, found, hidden=hidden, as_json=as_json)


def _show_items(context: Context, found: Listing) -> int:
    """Show the records of items alone, one a line."""
    rows, broken = [], list[BrokenIncrement]()
    for record in found:
        if isinstance(record, BrokenIncrement):
            broken.append(record)
        else:
            rows.append(_item_row(record, context.workspace.clock()))
    if rows:
        headings = ("Item", "Last", "Reopens", "Pending", "Reason of the last reopen")
        output.table(headings, rows, flexible=(4,))
    elif not broken:
        output.talk("No item matches." if found.filters else "No items.")
    return tell_left_out([*broken, *found.left_out])


def _item_row(record: Increment, now: datetime) -> tuple[str, ...]:
    last = record.reopens[-1].reason if record.reopens else ""
    verb = "closed" if record.status.is_finished else "reopened"
    at = record.last_activity
    when = f"{verb} {ago(at, now)}" if at else verb
    return record.name, when, str(len(record.reopens)), str(len(record.pending)), first_line(last)


def _show(context: Context, found: Listing, *, hidden: int, as_json: bool) -> int:
    notes: list[str] = []
    if may_be_sparse(context.paths.root):
        from unlatch.project.git.sparse import sparse_note  # noqa: PLC0415  (rarely needed)

        notes += sparse_note(context.paths)
    if as_json:
        output.document_list(map(list_entry, _noting(context, found, notes)))
    else:
        alone = sum(1 for _ in context.workspace.beside.collection.folders())
        if not _tell(_noting(context, _known(context, found, hidden) or found, notes)):
            _tell_none(context, found, hidden=hidden, is_sparse=bool(notes or alone))
        if alone and not found.filters:
            output.talk(f"{times(alone, 'item')} reopened or closed alone; --items lists them.")
    if found.limit is not None and found.matched > found.limit:
        output.talk(f"Showing {found.limit} of {found.matched:,} increments.")
    if hidden and not (found.filters or as_json):
        pronoun = "it" if hidden == 1 else "them"
        output.talk(f"{times(hidden, 'archived increment')} not shown; --all shows {pronoun}.")
    for note in notes:
        output.note(note)
    return tell_left_out(found.left_out)


def _known(context: Context, found: Listing, hidden: int) -> Iterator[Listed | ListRow] | None:
    """The rows of a long list of everything, with those that are known from an earlier run."""
    is_all = not (found.filters or found.order or found.reverse or found.limit)
    if not is_all or len(found.folders) < WORTH_IT:
        return None
    manager = context.workspace.manager
    known = KnownRows(manager.paths.root, manager.shapes)
    if context.workspace.registry.known_broken:
        return None  # rows do not show that an increment names items of such a plugin
    return known.each(found.folders, complete=not hidden)


def _noting(context: Context, found: Iterable[Row], notes: list[str]) -> Iterator[Row]:
    """The increments; notes about those that are only partly read go to `notes`."""
    manager, registry = context.workspace.manager, context.workspace.registry
    unread: dict[str, None] = {}
    for one in found:
        if isinstance(one, Increment):
            if one.from_spec:
                notes.append(f"{one.id}: {FROM_SPEC}")
            if error := manager.unreadable_title(one):
                notes.append(not_read(error))
        yield one
        # Its links have been read by now.
        if registry.known_broken and isinstance(one, Increment):
            unread |= dict.fromkeys(broken_links(one, registry))
    why = "are not shown, because that plugin cannot be used"
    notes += [f"items of {tracker} {why}" for tracker in unread]


def _tell(chosen: Iterable[Listed | ListRow]) -> int:
    """Show the increments; their number."""
    broken: list[BrokenIncrement] = []
    rows = []
    # Only rows are kept, to save memory with thousands of increments.
    for one in chosen:
        rows.append(_row(one))
        if isinstance(one, BrokenIncrement):
            broken.append(one)
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


def _tell_none(context: Context, found: Listing, *, hidden: int, is_sparse: bool) -> None:
    """Report that no increment was found; for a status, count those with other statuses."""
    if not (found.filters and found.folders):
        if not (hidden or is_sparse):
            output.talk("No increments. Next: unlatch new TITLE")
        return
    others: Counter[str] = Counter()
    if wanted := _only_status(found.filters):
        each = context.workspace.manager.each(found.folders)
        others.update(one.status.value for one in each if isinstance(one, Increment))
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


def _row(one: Listed | ListRow) -> tuple[str, ...]:
    archived = " (archived)" if one.archived else ""
    if isinstance(one, BrokenIncrement):
        return one.id, f"broken{archived}", "", "", one.reason
    shown, row = ("", one) if isinstance(one, ListRow) else (_shown(one), row_of(one))
    pending = f" ({row.pending} pending)" if row.pending else ""
    links = row.links
    if len(links) > _MOST_ITEMS and sys.stdout.isatty():
        left_out = f"and {len(links) - _MOST_ITEMS + 1} more"
        links = [*links[: _MOST_ITEMS - 1], left_out]
    return one.id, f"{row.status}{archived}", shown, f"{', '.join(links)}{pending}", row.title


def _shown(one: Increment) -> str:
    """What the files of a unit show, where that is not just the status."""
    if one.evidence is None:
        return "no tasks" if one.unit else ""
    is_same = one.evidence.status is one.status
    return one.evidence.by if is_same else f"{one.evidence.status} ({one.evidence.by})"
