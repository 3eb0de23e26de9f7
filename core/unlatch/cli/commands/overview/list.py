"""unlatch list: list the increments, one a line."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from unlatch.cli.render.describe import times
from unlatch.cli.render.documents import list_entry
from unlatch.cli.render.notes import not_read, tell_hint, tell_left_out
from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import JSON, Session, flag, with_session
from unlatch.errors import UsageError
from unlatch.increments.model.increment import BrokenIncrement, Increment
from unlatch.increments.model.status import Status, read_status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from unlatch.worklog.collection import Folder


Listed = Increment | BrokenIncrement

# Columns for the items at a terminal; without one nothing is cut.
_MOST_ITEMS = 34


@click.command()
@flag("--all", "everything", help="Also list archived increments.")
@click.option("--status", "wanted", metavar="STATUS", help="Only list this status.")
@JSON
@with_session
def run(session: Session, *, everything: bool, wanted: str | None, as_json: bool) -> int:
    status = _status(wanted) if wanted is not None else None
    folders = [*session.layout.collection.folders()]
    listed = [one for one in folders if everything or not one.archived]
    notes: list[str] = []
    left_out: list[BrokenIncrement] = []
    chosen = _chosen(session, listed, status, notes, left_out)
    if as_json:
        output.document_list(map(list_entry, chosen))
    else:
        _tell(chosen, hidden=len(folders) - len(listed) if status is None else 0)
    for note in notes:
        output.note(note)
    return tell_left_out(left_out)


def _status(wanted: str) -> Status:
    if status := read_status(wanted):
        return status
    hint = f"one of {', '.join(Status)}"
    raise UsageError("status-unknown", f"there is no status {wanted!r}", hint=hint)


def _chosen(
    session: Session,
    folders: Iterable[Folder],
    status: Status | None,
    notes: list[str],
    left_out: list[BrokenIncrement],
) -> Iterator[Listed]:
    """The increments with a status; a broken one has none and is left out."""
    manager = session.workspace.manager
    for one in manager.each(folders):
        if isinstance(one, Increment):
            if status in (None, one.status):
                if error := manager.unreadable_title(one):
                    notes.append(not_read(error))
                yield one
        elif status is None:
            yield one
        else:
            left_out.append(one)


def _tell(chosen: Iterable[Listed], *, hidden: int) -> None:
    broken: list[BrokenIncrement] = []
    rows = []
    # Only its row is kept of each, so that thousands of increments need no memory.
    for one in chosen:
        rows.append(_row(one))
        if isinstance(one, BrokenIncrement):
            broken.append(one)
    if rows:
        output.table(("Increment", "Status", "Items", "Title"), rows, flexible=3)
        for lost in broken:
            tell_hint(lost)
    else:
        output.talk("No increments. Next: unlatch new 'A title'")
    if hidden:
        output.talk(f"{times(hidden, 'archived increment')} not shown; --all shows them.")


def _row(one: Listed) -> tuple[str, ...]:
    archived = " (archived)" if one.archived else ""
    if isinstance(one, BrokenIncrement):
        return one.id, f"broken{archived}", "", one.reason
    pending = f" ({len(one.pending)} pending)" if one.pending else ""
    items = ", ".join(f"{link.tracker} {link.item}" for link in one.links)
    if len(items) > _MOST_ITEMS and sys.stdout.isatty():
        items = f"{items[: _MOST_ITEMS - 3]}..."
    return one.id, f"{one.status}{archived}", f"{items}{pending}", one.title
