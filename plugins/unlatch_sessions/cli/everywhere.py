"""Sessions of all projects: their list, and choosing one at a terminal."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from unlatch.cli.runtime.context import Context, is_interactive
from unlatch.cli.terminal import output, prompts
from unlatch.errors import UnlatchError, UsageError
from unlatch.worklog.disk.user_files import known_projects
from unlatch_sessions.cli.chosen import chosen, remark, store_of
from unlatch_sessions.finding.places import Found, Place, fitting, newest_first, places
from unlatch_sessions.model import Status
from unlatch_sessions.project import import_store
from unlatch_sessions.store import Broken

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from unlatch_sessions.store import SessionStore

_SHOWN = 15
_HEADINGS = ("", "Title", "Status", "Started", "Place")


def all_places(context: Context) -> Iterator[Place]:
    """The places of this project, then those of others; one that cannot be read is noted."""
    yield from places(context.workspace)
    here = context.paths.root.resolve()
    for root in known_projects():
        if root == here:
            continue
        try:
            yield from places(Context(replace(context.options, root=root)).workspace)
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

    context: Context
    store: SessionStore
    path: Path
    imported: bool


def chosen_or_picked(
    context: Context, wanted: str | None, *statuses: Status, imported: bool, asks: bool
) -> Chosen:
    """The session of an id; without one, the user's choice at a terminal, else as `chosen`.

    Args:
        statuses: of the session that is meant without an id.
    """
    store = store_of(context, imported=imported)
    if wanted is not None and not imported:
        return _named(context, store, wanted)
    picks = wanted is None and not imported and asks and is_interactive()
    if picks and (offered := [one for one in _everything(context) if _is_offered(one, statuses)]):
        return _picked(context, offered, statuses)
    return Chosen(context, store, chosen(store, wanted, *statuses, imported=imported), imported)


def _named(context: Context, store: SessionStore, wanted: str) -> Chosen:
    """The session of the project that a word means, else the imported one.

    Raises:
        UsageError: none or several.
    """
    try:
        return Chosen(context, store, store.find(wanted), imported=False)
    except UsageError as error:
        imports = import_store(context.workspace)
        try:
            found = imports.find(wanted)
        except UsageError as other:
            ambiguous = [one for one in (error, other) if one.id == "session-ambiguous"]
            raise (ambiguous or [error])[0] from None
        if error.id != "session-unknown":
            raise
        output.note(f"{found.stem} was imported from a transcript")
        return Chosen(context, imports, found, imported=True)


def _is_offered(one: Found, statuses: tuple[Status, ...]) -> bool:
    """Whether a session can be shown, or resumed; imported ones are resumed in any status."""
    return Status.ACTIVE in statuses or one.place.imported or one.meta.status in statuses


def _everything(context: Context) -> list[Found]:
    return newest_first(found_in(all_places(context)))


def _picked(context: Context, offered: list[Found], statuses: tuple[Status, ...]) -> Chosen:
    found = _pick(context, offered, statuses)
    place = found.place
    own = (
        context
        if place.workspace is context.workspace
        else Context(replace(context.options, root=place.project))
    )
    return Chosen(own, place.store, found.path, place.imported)


def _pick(context: Context, offered: list[Found], statuses: tuple[Status, ...]) -> Found:
    """Let the user choose one; those of this project with the statuses are the first.

    If there is one alone, there is nothing to choose.
    """

    def is_meant(one: Found) -> bool:
        own = one.place.project == context.paths.root and not one.place.imported
        return own and one.meta.status in statuses

    listed = sorted(offered, key=is_meant, reverse=True)
    if len(listed) == 1 and is_meant(listed[0]):
        return listed[0]
    shown, default = listed, is_meant(listed[0])
    while True:
        _show(context, shown)
        answer = prompts.ask_text(_question(shown, default=default))
        if answer.isdecimal() and 0 < int(answer) <= min(len(shown), _SHOWN):
            return shown[int(answer) - 1]
        if not answer and shown and default:
            return shown[0]
        shown = fitting(listed, answer)
        default = bool(answer) or is_meant(listed[0])


def _question(shown: list[Found], *, default: bool) -> str:
    if not shown:
        return "Words to search for"
    return "Number, words to search for, or Enter for 1" if default else "Number, or words"


def _show(context: Context, found: list[Found]) -> None:
    if not found:
        output.talk(output.warn("No session fits; try other words, or Enter for all."))
        return
    rows = [
        (str(number), one.title, one.meta.status.value, started(one), place_name(context, one))
        for number, one in enumerate(found[:_SHOWN], 1)
    ]
    output.table(_HEADINGS, rows, flexible=(1, 4), aside=True)
    if len(found) > _SHOWN:
        output.talk(f"{len(found) - _SHOWN} more; search for words of the title, branch or text.")


def started(one: Found) -> str:
    return f"{one.meta.started:%Y-%m-%d %H:%M}" if one.meta.started else ""


def place_name(context: Context, one: Found) -> str:
    """The project, and whether it was imported; empty for the sessions of this project."""
    here = "" if one.place.project == context.paths.root else str(one.place.project)
    return " ".join(filter(None, [here, "(imported)" if one.place.imported else ""]))
