"""unlatch list: list the increments, one a line."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import click

from unlatch.cli.render.describe import times
from unlatch.cli.render.documents import list_entry
from unlatch.cli.render.notes import not_read, tell_hint, tell_left_out
from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import JSON, Session, flag, with_session
from unlatch.errors import UsageError
from unlatch.increments.model.increment import FROM_SPEC, BrokenIncrement, Increment
from unlatch.increments.model.status import Status, read_status
from unlatch.worklog.collection import Folder

Listed = Increment | BrokenIncrement

# At a terminal; without one all are listed.
_MOST_ITEMS = 6


@click.command()
@flag("--all", "everything", help="Also list archived increments.")
@click.option("--status", "wanted", metavar="STATUS", help="Only list this status.")
@JSON
@with_session
def run(session: Session, *, everything: bool, wanted: str | None, as_json: bool) -> int:
    status = _status(wanted) if wanted is not None else None
    folders = [*session.workspace.manager.collection.folders()]
    listed = [one for one in folders if everything or not one.archived]
    notes: list[str] = []
    left_out: list[BrokenIncrement] = []
    chosen = _chosen(session, listed, status, notes, left_out)
    if as_json:
        output.document_list(map(list_entry, chosen))
    else:
        hidden = len(folders) - len(listed) if status is None else 0
        if not _tell(chosen, hidden=hidden) and not hidden:
            _tell_none(session, listed, status)
    for note in notes:
        output.note(note)
    return tell_left_out(left_out)


def _status(wanted: str) -> Status:
    if status := read_status(wanted):
        return status
    hint = f"use one of {', '.join(Status)}"
    raise UsageError("status-unknown", f"there is no status {wanted!r}", hint=hint)


def _chosen(
    session: Session,
    folders: Iterable[Folder],
    status: Status | None,
    notes: list[str],
    left_out: list[BrokenIncrement],
) -> Iterator[Listed]:
    """The increments with a status; broken ones have none and are left out."""
    manager = session.workspace.manager
    for one in manager.each(folders):
        if isinstance(one, Increment):
            if status in (None, one.status):
                if one.from_spec:
                    notes.append(f"{one.id}: {FROM_SPEC}")
                if error := manager.unreadable_title(one):
                    notes.append(not_read(error))
                yield one
        elif status is None:
            yield one
        else:
            left_out.append(one)


def _tell(chosen: Iterable[Listed], *, hidden: int) -> int:
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
    if hidden:
        pronoun = "it" if hidden == 1 else "them"
        output.talk(f"{times(hidden, 'archived increment')} not shown; --all shows {pronoun}.")
    return len(rows)


def _tell_none(session: Session, listed: Sequence[Folder], status: Status | None) -> None:
    """Report that no increment was found, and count those with other statuses."""
    sound = (one for one in session.workspace.manager.each(listed) if isinstance(one, Increment))
    others = Counter(one.status.value for one in sound)
    if status is None or not others:
        output.talk("No increments. Next: unlatch new 'A title'")
    else:
        counts = ", ".join(f"{count:,} {other}" for other, count in others.most_common())
        output.talk(f"No increment is {status}; others are: {counts}. Next: unlatch list")


def _row(one: Listed) -> tuple[str, ...]:
    archived = " (archived)" if one.archived else ""
    if isinstance(one, BrokenIncrement):
        return one.id, f"broken{archived}", "", "", one.reason
    pending = f" ({len(one.pending)} pending)" if one.pending else ""
    links = [f"{link.tracker} {link.item}" for link in one.links]
    if len(links) > _MOST_ITEMS and sys.stdout.isatty():
        links[_MOST_ITEMS - 1 :] = [f"and {len(links) - _MOST_ITEMS + 1} more"]
    status = f"{one.status}{archived}"
    return one.id, status, _shown(one), f"{', '.join(links)}{pending}", one.title


def _shown(one: Increment) -> str:
    """What the files of a unit show, where that is not just the status."""
    if one.evidence is None:
        return "no tasks" if one.unit else ""
    is_same = one.evidence.status is one.status
    return one.evidence.by if is_same else f"{one.evidence.status} ({one.evidence.by})"
