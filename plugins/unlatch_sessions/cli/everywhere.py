"""Sessions of all projects: their list, and choosing one at a terminal."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from unlatch.cli.runtime.context import Context, is_interactive
from unlatch.cli.terminal import output, prompts
from unlatch.errors import UnlatchError
from unlatch.worklog.disk.user_files import known_projects
from unlatch_sessions.cli.chosen import chosen, remark, store_of
from unlatch_sessions.finding.places import Found, Place, fitting, newest_first, places
from unlatch_sessions.project import find_session
from unlatch_sessions.session_model import Status
from unlatch_sessions.store import Broken, SessionStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


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
        for head in place.heads():
            if isinstance(head, Broken):
                remark(head)
            else:
                yield head


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
    if picks and (
        offered := [session for session in _everything(context) if _is_offered(session, statuses)]
    ):
        return _picked(context, offered, statuses)
    return Chosen(context, store, chosen(store, wanted, *statuses, imported=imported), imported)


def _named(context: Context, own: SessionStore, wanted: str) -> Chosen:
    """As `find_session`, with a note if it is an imported one."""
    store, path = find_session(context.workspace, wanted)
    imported = store != own
    if imported:
        output.note(f"{path.stem} was imported from a transcript")
    return Chosen(context, store, path, imported)


def _is_offered(session: Found, statuses: tuple[Status, ...]) -> bool:
    """Whether a session can be shown, or resumed; imported ones are resumed in any status."""
    return Status.ACTIVE in statuses or session.place.imported or session.meta.status in statuses


def _everything(context: Context) -> list[Found]:
    return newest_first(found_in(all_places(context)))


def _picked(context: Context, offered: list[Found], statuses: tuple[Status, ...]) -> Chosen:
    session = _pick(context, offered, statuses)
    place = session.place
    own = (
        context
        if place.workspace is context.workspace
        else Context(replace(context.options, root=place.project))
    )
    return Chosen(own, place.store, session.path, place.imported)


def _pick(context: Context, offered: list[Found], statuses: tuple[Status, ...]) -> Found:
    """Let the user choose one; those of this project with the statuses are the first.

    If there is one alone, there is nothing to choose.
    """

    def is_meant(session: Found) -> bool:
        own = session.place.project == context.paths.root and not session.place.imported
        return own and session.meta.status in statuses

    listed = sorted(offered, key=is_meant, reverse=True)
    if len(listed) == 1 and is_meant(listed[0]):
        return listed[0]
    matches, default = listed, is_meant(listed[0])
    while True:
        _show(context, matches)
        answer = prompts.ask_text(_question(matches, default=default))
        if answer.isdecimal() and 0 < int(answer) <= min(len(matches), _SHOWN):
            return matches[int(answer) - 1]
        if not answer and matches and default:
            return matches[0]
        matches = fitting(listed, answer)
        default = bool(answer) or is_meant(listed[0])


def _question(matches: list[Found], *, default: bool) -> str:
    if not matches:
        return "Words to search for"
    return "Number, words to search for, or Enter for 1" if default else "Number, or words"


def _show(context: Context, matches: list[Found]) -> None:
    if not matches:
        output.talk(output.warn("No session fits; try other words, or Enter for all."))
        return
    rows = [
        (
            str(number),
            session.title,
            session.meta.status.value,
            started(session),
            place_name(context, session),
        )
        for number, session in enumerate(matches[:_SHOWN], 1)
    ]
    output.table(_HEADINGS, rows, flexible=(1, 4), aside=True)
    if len(matches) > _SHOWN:
        output.talk(f"{len(matches) - _SHOWN} more; search for words of the title, branch or text.")


def started(session: Found) -> str:
    return f"{session.meta.started:%Y-%m-%d %H:%M}" if session.meta.started else ""


def place_name(context: Context, session: Found) -> str:
    """The project, and whether it was imported; empty for the sessions of this project."""
    here = "" if session.place.project == context.paths.root else str(session.place.project)
    return " ".join(filter(None, [here, "(imported)" if session.place.imported else ""]))
