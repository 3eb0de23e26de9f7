"""What a session knows, as points of a briefing."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from unlatch.related.briefing.sources import MOST_NEXT, briefing_from, section_texts
from unlatch_sessions import front_matter
from unlatch_sessions.context import decisions
from unlatch_sessions.imported.origin import SOURCE
from unlatch_sessions.kind.called import names_in_calls
from unlatch_sessions.kind.failures import failures
from unlatch_sessions.kind.said import MOST_PROSE, Said
from unlatch_sessions.session_model import CalloutKind, Session
from unlatch_sessions.subagents import all_embedded

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from unlatch.related.kinds import Sources
    from unlatch.related.points import Briefing
    from unlatch_sessions.store import SessionStore

# The agents' tools for their own lists of tasks.
_OWN_LISTS = frozenset(("todowrite", "todoread", "update_plan", "write_todos"))


def points(
    store: SessionStore, path: Path, session: Session, sources: Sources, *, is_imported: bool
) -> Briefing:
    """What people, agents and failed calls of a session say."""
    texts = section_texts()
    is_follower = is_imported or (not sources.with_tool_output and _is_published(store, path))
    said = Said(session, sources)
    entries = [
        callout for phase in session.phases for callout in phase.callouts(CalloutKind.DECISION)
    ]
    own = {(session.id, callout.line) for callout in entries}  # which `said` has
    every = decisions(session, all_embedded(store, session))
    others = [decision for decision in every if (decision.session, decision.line) not in own]
    texts["decisions"] = [*(decision.text for decision in others), *said.texts["decisions"]]
    texts["failed"], texts["left"] = said.texts["failed"], said.texts["left"][-MOST_NEXT:]
    if sources.with_tool_output or not is_follower:
        for phase in session.phases:
            texts["failed"] += failures(phase, with_calls=not is_imported)
    texts["left"] += _todo(session, sources)
    for phase in session.phases:
        for callout in phase.callouts(CalloutKind.SUMMARY):
            sources.add_summary(texts, callout.text)
    sources.add_summary(texts, session.summary)
    named = Counter(sources.identifiers(sources.clean(said.prose[-MOST_PROSE:])))
    # What a long conversation mentions only once is mostly an example.
    names = [name for name, times in named.items() for _ in range(times) if times > is_follower]
    calls = [call for phase in session.phases for call in phase.calls]
    sources.known |= {call.tool for call in calls}
    given = "\n".join(
        call.arguments
        for call in calls
        if not call.failed and call.tool.casefold() not in _OWN_LISTS
    )
    names += names_in_calls(sources.clean(given[-MOST_PROSE:]), sources.identifiers)
    return briefing_from(f"session:{session.id}", texts, names[::-1])


def _is_published(store: SessionStore, path: Path) -> bool:
    """Whether a session of the project was imported from a transcript."""
    return SOURCE in front_matter.read(store.read(path).text)


def _todo(session: Session, sources: Sources) -> Iterator[str]:
    """The open tasks of a session, without those that later work has ended."""
    for task in session.tasks:
        text = str(task.get("content") or "")
        is_open = sources.is_new(text) and task.get("status") != "completed"
        if is_open and not sources.own.has_done(text, text.partition(" ")[0].rstrip(":")):
            yield text
