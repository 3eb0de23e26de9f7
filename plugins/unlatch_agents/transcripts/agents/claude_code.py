"""Claude Code: the lines of a session's file, or of the file of an agent that a session started.

Up to 2.0.2x the lines of such agents are in the session's own file, as sidechains.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from unlatch.values import dataclass
from unlatch_agents.transcripts.agents.claude_lines import Entry, read_entry
from unlatch_agents.transcripts.agents.claude_tree import conversation
from unlatch_agents.transcripts.conversation import (
    Compaction,
    Event,
    Json,
    Prompt,
    ToolCall,
    Transcript,
    Usage,
    last_model,
    title_of,
)
from unlatch_agents.transcripts.values import text

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Sequence

    from unlatch_agents.transcripts.jsonl import Lines

AGENT = "claude-code"
# The keys of titles, the best last.
_TITLES = ("summary", "aiTitle", "customTitle")


@dataclass(slots=True)
class _Session:
    id: str = ""
    version: str = ""
    cwd: str = ""
    branch: str = ""
    titles: dict[str, str] = field(default_factory=dict)

    def note(self, line: Json) -> None:
        """Record the facts of a line about the whole session."""
        self.id = text(line.get("sessionId")) or self.id
        self.version = text(line.get("version")) or self.version
        self.branch = text(line.get("gitBranch")) or self.branch
        self.cwd = text(line.get("relocatedCwd")) or self.cwd or text(line.get("cwd"))


def read(lines: Lines, unknown: Counter[str], *, origin: Transcript | None = None) -> Transcript:
    """Read a session.

    Args:
        origin: the one that it was forked from, if that is known; else only the copied lines of
            the model name it.
    """
    session = _Session()
    entries: dict[str, Entry] = {}
    titles: list[Json] = []
    for number, line in lines:
        session.note(line)
        if any(key in line for key in _TITLES):
            titles.append(line)
        _add(entries, read_entry(number, line, unknown))
    for line in titles:
        # A summary may be that of another session.
        if "summary" not in line or text(line.get("leafUuid")) in entries:
            session.titles |= {key: text(line.get(key)) for key in _TITLES if key in line}
    own = [*entries.values()]
    return _marked(_assembled(session, own, unknown), own, origin)


def _marked(transcript: Transcript, entries: list[Entry], origin: Transcript | None) -> Transcript:
    """The session with the copies in it: of a fork, the first lines are those of its origin."""
    asked = [at for at, entry in enumerate(entries) if entry.asked_by]
    origin_keys = {event.key for event in origin.events} if origin else set()
    end = asked[-1] + 1 if asked else 0
    copied = [
        entry
        for at, entry in enumerate(entries)
        if at < end or any(event.key in origin_keys for event in entry.events)
    ]
    if not copied:
        return transcript
    messages = {entry.message or entry.id for entry in copied}
    shared = [entry for entry in entries if (entry.message or entry.id) in messages]
    copies = frozenset(event.key for entry in shared for event in entry.events)
    usage = _usage(entry for entry in shared if not entry.is_sidechain)
    return replace(
        transcript,
        origin=origin.id if origin else entries[asked[-1]].asked_by,
        copies=copies,
        usage=transcript.usage - usage,
        copied=usage,
    )


def _add(entries: dict[str, Entry], entry: Entry) -> None:
    """Add a line; one that was written again counts once, and a summary joins its compaction."""
    first = entries.setdefault(entry.id, entry)
    if first is not entry:
        first.events = first.events or entry.events
        first.results = entry.results | first.results
        first.usage = entry.usage or first.usage
    if entry.parent not in entries and isinstance(next(iter(entry.events), None), Compaction):
        entry.parent = ""  # a fork has what was kept of the conversation behind it
    above = entries.get(entry.parent, entry)
    match above.events, entry.events:
        case [Compaction(summary="") as begun], [Compaction(summary=summary)] if summary:
            above.events, entry.events = [replace(begun, summary=summary)], []


def _assembled(session: _Session, entries: list[Entry], unknown: Counter[str]) -> Transcript:
    own = [entry for entry in entries if not entry.is_sidechain]
    chains = _sidechains(entry for entry in entries if entry.is_sidechain)
    if len(chains) == 1 and not any(entry.events or entry.results for entry in own):
        ((agent, chain),) = chains.items()
        return replace(_subagent(session, agent, chain), unknown=unknown)
    _count_lost(entries, unknown)
    tasks = {_task(chain): agent for agent, chain in chains.items()}
    events = [_linked(event, tasks) for event in conversation(own)]
    title = next((session.titles[key] for key in reversed(_TITLES) if session.titles.get(key)), "")
    return Transcript(
        agent=AGENT,
        id=session.id,
        version=session.version,
        title=title or title_of(events),
        cwd=session.cwd,
        branch=session.branch,
        model=last_model(events),
        events=tuple(events),
        usage=_usage(own),
        subagents=tuple(_subagent(session, agent, chain) for agent, chain in chains.items()),
        unknown=unknown,
    )


def _count_lost(entries: Iterable[Entry], unknown: Counter[str]) -> None:
    calls = {event.id for entry in entries for event in entry.events if isinstance(event, ToolCall)}
    lost = {call for entry in entries for call in entry.results} - calls
    if lost:
        unknown["result without its call"] += len(lost)


def _subagent(session: _Session, id: str, chain: Sequence[Entry]) -> Transcript:
    events = conversation(chain)
    return Transcript(
        agent=AGENT,
        id=id,
        version=session.version,
        title=title_of(events),
        cwd=session.cwd,
        branch=session.branch,
        model=last_model(events),
        parent=session.id,
        # The prompts are another agent's.
        events=tuple(event for event in events if not isinstance(event, Prompt)),
        usage=_usage(chain),
    )


def _sidechains(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """The lines of each agent; before 2.0.28 they have no id, and the first line's is taken."""
    chains: dict[str, list[Entry]] = {}
    owners: dict[str, str] = {}
    for entry in entries:
        owners[entry.id] = entry.agent or owners.get(entry.parent) or entry.id
        chains.setdefault(owners[entry.id], []).append(entry)
    return chains


def _task(chain: Sequence[Entry]) -> str:
    prompts = (event.text for entry in chain for event in entry.events if isinstance(event, Prompt))
    return next(prompts, "")


def _linked(event: Event, tasks: dict[str, str]) -> Event:
    """A call with the agent that it started, which old files do not name."""
    if not isinstance(event, ToolCall) or event.result is None or event.result.subagent:
        return event
    started = tasks.get(text(event.arguments.get("prompt")) or "\0", "")
    return replace(event, result=replace(event.result, subagent=started)) if started else event


def _usage(entries: Iterable[Entry]) -> Usage:
    """The tokens of each message once: all its lines have them, the last ones in full."""
    by_message = {entry.message or entry.id: entry.usage for entry in entries if entry.usage}
    return sum(by_message.values(), Usage())
