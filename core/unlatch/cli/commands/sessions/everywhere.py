"""Sessions of all projects: their list, and choosing one at a terminal."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from unlatch.cli.commands.sessions.chosen import chosen, remark, store_of
from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import Session as Run
from unlatch.cli.runtime.session import is_interactive
from unlatch.errors import UnlatchError
from unlatch.sessions.finding.places import Found, Place, fitting, newest_first, places
from unlatch.sessions.store import Broken
from unlatch.worklog.disk.user_files import known_projects

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from unlatch.sessions.model import Status
    from unlatch.sessions.store import SessionStore

_SHOWN = 15
_HEADINGS = ("", "Session", "Title", "Status", "Started", "Place")


def all_places(run: Run) -> Iterator[Place]:
    """The places of this project, then those of others; one that cannot be read is noted."""
    yield from places(run.workspace)
    here = run.layout.root.resolve()
    for root in known_projects():
        if root == here:
            continue
        try:
            yield from places(Run(replace(run.options, root=root)).workspace)
        except UnlatchError as error:
            output.note(f"sessions of {root} are left out: {error.message}")


def found_in(places: Iterable[Place]) -> Iterator[Found]:
    """The sessions, by place; files that are none are noted."""
    for place in places:
        for one in place.heads():
            if isinstance(one, Broken):
                remark(one)
            else:
                yield one


class Chosen(NamedTuple):
    """A session that a command is for, with the run in its project."""

    run: Run
    store: SessionStore
    path: Path
    imported: bool


def chosen_or_picked(
    run: Run, wanted: str | None, *statuses: Status, imported: bool, asks: bool
) -> Chosen:
    """The session of an id; without one, the user's choice at a terminal, else as `chosen`."""
    store = store_of(run, imported=imported)
    if wanted is not None or imported or not asks or not is_interactive():
        return Chosen(run, store, chosen(store, wanted, *statuses, imported=imported), imported)
    found = pick(run, *statuses)
    place = found.place
    own = run if place.workspace is run.workspace else Run(replace(run.options, root=place.project))
    return Chosen(own, place.store, found.path, place.imported)


def pick(run: Run, *statuses: Status) -> Found:
    """Let the user choose a session of any project; the first that fits is the default.

    Args:
        statuses: those that a session of this project has by default.
    """
    everything = newest_first(found_in(all_places(run)))
    own = [one for one in everything if _is_own(run, one) and one.meta.status in statuses]
    rest = [one for one in everything if one not in own]
    shown = listed = [*own, *rest]
    while True:
        _show(run, shown)
        answer = output.ask_text(_question(shown))
        if answer.isdecimal() and 0 < int(answer) <= min(len(shown), _SHOWN):
            return shown[int(answer) - 1]
        if not answer and shown:
            return shown[0]
        shown = fitting(listed, answer)


def _is_own(run: Run, one: Found) -> bool:
    return one.place.project == run.layout.root and not one.place.imported


def _question(shown: list[Found]) -> str:
    return "Number, words to search for, or Enter for 1" if shown else "Words to search for"


def _show(run: Run, found: list[Found]) -> None:
    if not found:
        output.talk(output.warn("No session fits; try other words, or Enter for all."))
        return
    rows = [
        (
            str(number),
            one.meta.session_id,
            one.title,
            one.meta.status.value,
            started(one),
            place_name(run, one),
        )
        for number, one in enumerate(found[:_SHOWN], 1)
    ]
    output.table(_HEADINGS, rows, flexible=(1, 2, 5), aside=True)
    if len(found) > _SHOWN:
        output.talk(f"{len(found) - _SHOWN} more; search for words of its title, branch or text.")


def started(one: Found) -> str:
    return f"{one.meta.started:%Y-%m-%d %H:%M}" if one.meta.started else ""


def place_name(run: Run, one: Found) -> str:
    """The project, and whether it was imported; empty for the sessions of this project."""
    here = "" if one.place.project == run.layout.root else str(one.place.project)
    return " ".join(filter(None, [here, "(imported)" if one.place.imported else ""]))
