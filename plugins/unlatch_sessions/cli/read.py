"""unlatch session list and show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import filter_option, flag, with_json
from unlatch.cli.terminal import output
from unlatch_sessions.cli.chosen import (
    IMPORTED,
    OF_STATUS,
    SESSION,
    next_listing,
    session_entry,
    store_of,
    tell_none,
)
from unlatch_sessions.cli.everywhere import (
    all_places,
    chosen_or_picked,
    found_in,
    place_name,
    started,
)
from unlatch_sessions.finding.places import Found, Place, fitting, newest_first
from unlatch_sessions.project import session_index
from unlatch_sessions.session_model import Callout, CalloutKind, Status
from unlatch_sessions.statistics import choose
from unlatch_sessions.subagents import Trail, embed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from unlatch.cli.runtime.context import Context
    from unlatch_sessions.session_model import Meta, Phase, Session, ToolCall
    from unlatch_sessions.store import SessionStore

_STYLES: dict[str, Callable[[str], str]] = {
    CalloutKind.DECISION: output.good,
    CalloutKind.ERROR: output.bad,
    CalloutKind.USER: output.warn,
    CalloutKind.SUBAGENT: output.strong,
}


@click.command("list", help="List the sessions, the newest first. (local)")
@OF_STATUS
@filter_option("--agent", metavar="NAME", help="Only sessions with this agent, of any version.")
@filter_option("--channel", metavar="NAME", help="Only sessions with this channel.")
@filter_option("--search", metavar="TEXT", help="Only those with these words, or such an id.")
@flag("--all-projects", help="Also list imported sessions and those of your other projects.")
@IMPORTED
@with_json
def list_session(
    context: Context,
    *,
    status: str | None,
    agent: str | None,
    channel: str | None,
    search: str | None,
    all_projects: bool,
    imported: bool,
    as_json: bool,
) -> int:
    store = store_of(context, imported=imported)
    where = [Place(context.workspace, store, imported)]
    if all_projects:
        where = [*all_places(context)]
    sessions = [
        session
        for session in newest_first(_with_channel(where, channel))
        if status in (None, session.meta.status)
        and (agent is None or _has_agent(session.meta, agent))
    ]
    if search is not None:
        sessions = fitting(sessions, search)
    if as_json:
        output.document("session-list", sessions=[_listed_entry(session) for session in sessions])
    elif sessions:
        _show_list(context, sessions, all_projects=all_projects)
    elif search is not None or len(where) > 1:
        listing = next_listing(context, imported=imported)
        output.talk(f"No sessions match.{f' Next: {listing}' if listing else ''}")
    else:
        tell_none(context, imported=imported)
    return 0


def _show_list(context: Context, sessions: list[Found], *, all_projects: bool) -> None:
    columns = ["Session", "Status", "Started", "Participants"]
    columns += ["Place"] if all_projects else []
    columns += ["Fork of"] if any(session.meta.fork_of for session in sessions) else []
    rows = []
    for session in sessions:
        cells = {
            "Session": session.meta.session_id,
            "Status": session.meta.status.value,
            "Started": started(session),
            "Participants": ", ".join(session.meta.participants),
            "Place": place_name(context, session),
            "Fork of": session.meta.fork_of or "",
        }
        rows.append(tuple(cells[column] for column in columns))
    output.table(tuple(columns), rows, flexible=tuple(range(3, len(columns))))


def _listed_entry(session: Found) -> output.Json:
    place = {"project": str(session.place.project), "imported": session.place.imported}
    return {**session_entry(session.meta, session.title), **place}


@click.command("show", help="Show a session, and embedded ones in their places. (local)")
@SESSION
@IMPORTED
@with_json
def show_session(context: Context, *, wanted: str | None, imported: bool, as_json: bool) -> int:
    picked = chosen_or_picked(context, wanted, Status.ACTIVE, imported=imported, asks=not as_json)
    store = picked.store
    session = store.read(picked.path).session
    if as_json:
        output.document(
            "session-show",
            session=session_entry(session.meta, session.title),
            phases=[_phase_entry(phase) for phase in session.phases],
            tasks=list(session.tasks),
            summary=session.summary,
        )
        return 0
    output.data(*_head(session), *_body(store, session, Trail((session.id,))))
    return 0


def _has_agent(meta: Meta, name: str) -> bool:
    wanted = name.removeprefix("@")
    return any(
        wanted in (participant, participant.partition("@")[0]) for participant in meta.participants
    )


def _with_channel(where: list[Place], channel: str | None) -> Iterator[Found]:
    """The sessions of places; only those with a channel, of a phase too, if one is given."""
    for place in where:
        named = None
        if channel is not None:
            entries = session_index(place.workspace, place.store).entries()
            named = {entry.session["id"] for entry in choose(entries, channel=channel)}
        yield from (
            session
            for session in found_in([place])
            if named is None or session.meta.session_id in named
        )


def _phase_entry(phase: Phase) -> output.Json:
    return {
        **output.fields(phase, "id", "title"),
        "agent": str(phase.agent) if phase.agent else None,
        **output.fields(phase, "channel", "at"),
        "calls": [output.fields(o, "tool", "arguments", "result", "failed") for o in phase.calls],
        "callouts": [
            output.fields(entry, "kind", "head", "text")
            for entry in phase.entries
            if isinstance(entry, Callout)
        ],
        "line": phase.line,
    }


def _head(session: Session) -> Iterator[str]:
    meta = session.meta
    head = f"{output.strong(output.clean(session.id))}  "
    yield from output.hang(head, output.clean(session.title))
    lines = {
        "Status": meta.status.value,
        "Started": f"{meta.started:%Y-%m-%d %H:%M}" if meta.started else None,
        "Ended": f"{meta.ended:%Y-%m-%d %H:%M}" if meta.ended else None,
        "Channel": meta.channel,
        "Participants": ", ".join(meta.participants),
        "Model": meta.model,
        "Tokens": f"{meta.tokens_used:,}",
        "Continues": meta.resume_point,
        "Increment": meta.increment,
        "Effort": meta.effort,
        "Fork of": meta.fork_of,
    }
    width = max(map(len, lines))
    for name, value in lines.items():
        if value:
            yield f"  {name:<{width}}  {output.clean(value)}"


def _body(store: SessionStore, session: Session, trail: Trail) -> Iterator[str]:
    for phase in session.phases:
        agent = f" @{phase.agent}" if phase.agent else ""
        channel = f" #{phase.channel}" if phase.channel else ""
        yield ""
        yield output.strong(output.clean(f"{phase.number}. {phase.title}{agent}{channel}"))
        yield from _text(store, phase, trail)
    if session.summary:
        yield from (
            "",
            output.strong("Summary"),
            *map(output.harmless, session.summary.split("\n")),
        )


def _text(store: SessionStore, phase: Phase, trail: Trail) -> Iterator[str]:
    """The lines of a phase: tool calls and callouts in colour, embedded work in its place."""
    entries = {entry.line: entry for entry in phase.entries}
    skip_to = 0
    for number, line in enumerate(phase.text.rstrip().split("\n"), phase.first):
        entry = entries.get(number)
        if isinstance(entry, Callout):
            skip_to = number + entry.text.count("\n") + (2 if entry.text else 1)
            yield from _callout(store, entry, trail)
        elif number >= skip_to:
            failed = entry is not None and _failed(entry)
            text = output.harmless(line.rstrip("\r"))
            yield output.bad(text) if failed else text


def _failed(entry: ToolCall | Callout) -> bool:
    return not isinstance(entry, Callout) and entry.failed


def _callout(store: SessionStore, callout: Callout, trail: Trail) -> Iterator[str]:
    style = _STYLES.get(callout.kind, output.faint)
    yield style(output.clean(f"{callout.kind} {callout.head}".rstrip()))
    embedded = embed(store, callout, trail)
    if embedded is None:
        yield from (style(f"  {output.harmless(line)}") for line in callout.text.split("\n"))
    elif embedded.session is None:
        yield style(f"  {output.clean(f'{embedded.trail.chain[-1]}: {embedded.problem}')}")
    else:
        yield from (f"  {line}" for line in _body(store, embedded.session, embedded.trail))
