"""unlatch list: the increments, one a line."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from unlatch.cli.render.describe import times
from unlatch.cli.render.increments import list_entry, not_read, tell_hint, tell_left_out
from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import JSON, Session, with_session
from unlatch.errors import UsageError
from unlatch.increments.files.reading import words_of
from unlatch.increments.model.increment import BrokenIncrement, Increment
from unlatch.increments.model.status import Status, read_status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from unlatch.cli.table import Entry

Listed = Increment | BrokenIncrement

# Columns for the items at a terminal; without one nothing is cut.
_MOST_ITEMS = 34
_MOST_NAMED = 5


def command(entry: Entry) -> click.Command:
    """The command."""

    @click.command(entry.name, help=entry.own_help)
    @click.option("--all", "everything", is_flag=True, help="Archived ones too.")
    @click.option("--status", "wanted", metavar="STATUS", help="Only those with this status.")
    @JSON
    @with_session
    def run(session: Session, *, everything: bool, wanted: str | None, as_json: bool) -> int:
        status = _status(wanted) if wanted is not None else None
        folders = [*session.layout.folders()]
        looked = [one for one in folders if everything or not one.archived]
        broken: list[BrokenIncrement] = []
        each = session.workspace.manager.each(looked)
        notes: list[str] = []
        shown = _noted(each if status is None else _with_status(each, status, broken), notes)
        if as_json:
            output.document_list(map(list_entry, shown))
        else:
            _tell(shown, hidden=len(folders) - len(looked) if wanted is None else 0)
        tell_notes(notes)
        return tell_left_out(broken)

    return run


def _noted(each: Iterable[Listed], notes: list[str]) -> Iterator[Listed]:
    for one in each:
        if note := title_note(one):
            notes.append(note)
        yield one


def _with_status(
    each: Iterable[Listed], status: Status, broken: list[BrokenIncrement]
) -> Iterator[Increment]:
    """Those with this status; those of which nobody can tell are put into `broken`."""
    for one in each:
        if isinstance(one, BrokenIncrement):
            broken.append(one)
        elif one.status is status:
            yield one


def _status(wanted: str) -> Status:
    status = read_status(wanted)
    if status is None:
        raise UsageError(
            "status-unknown",
            f"there is no status {wanted!r}",
            hint=f"one of {', '.join(Status)}",
        )
    return status


def _tell(shown: Iterable[Listed], *, hidden: int) -> None:
    broken: list[BrokenIncrement] = []
    rows = []
    # Each is forgotten when its row is made, so that thousands of them need no room.
    for one in shown:
        rows.append(_row(one))
        if isinstance(one, BrokenIncrement):
            broken.append(one)
    if rows:
        headings = ("Increment", "Status", "Items", "Title")
        output.table(headings, rows, flexible=3)
        for lost in broken:
            tell_hint(lost)
    else:
        output.talk("No increments. Next: unlatch new 'A title'")
    if hidden:
        output.talk(f"{times(hidden, 'archived increment')} not shown; --all shows them.")


def title_note(one: Listed) -> str | None:
    """Why an increment goes by its folder's name, if that is because spec.md was not read."""
    if not isinstance(one, Increment) or one.title != words_of(one.id):
        return None
    from unlatch.increments.files.amendments import unreadable_documents  # noqa: PLC0415  (rarely needed)

    errors = unreadable_documents(one.folder)
    return next((not_read(one) for one in errors if (one.where or "").endswith("spec.md")), None)


def tell_notes(notes: Iterable[str]) -> None:
    """What to know about what was shown."""
    for note in notes:
        output.talk(f"{output.warn('note:')} {output.clean(note)}")


def _row(one: Listed) -> tuple[str, ...]:
    archived = " (archived)" if one.archived else ""
    if isinstance(one, BrokenIncrement):
        return one.id, f"broken{archived}", "", one.reason
    owed = f" ({len(one.pending)} pending)" if one.pending else ""
    items = ", ".join(f"{link.tracker} {link.item}" for link in one.links)
    return one.id, f"{one.status}{archived}", f"{_short(items)}{owed}", one.title


def _short(items: str) -> str:
    cut = sys.stdout.isatty() and len(items) > _MOST_ITEMS
    return f"{items[: _MOST_ITEMS - 3]}..." if cut else items
