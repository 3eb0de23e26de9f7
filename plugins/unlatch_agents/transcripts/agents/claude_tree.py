"""The order of a Claude Code conversation: each line names the one before it.

A person who goes back and asks again makes a fork; the branch with the last event is the
conversation. Not every fork is one: parallel tool calls of one message are lines beside each other,
and their results are often at the end of a branch. So the lines of a message stay together, and a
result belongs to its call wherever it is. Nor is one of a prompt and an answer: a session that is
resumed twice at once goes on below the other's prompt (findings/claude-two-resumes.sh).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch_agents.transcripts.agents.claude_lines import Entry, failed_later
from unlatch_agents.transcripts.conversation import (
    Branch,
    Event,
    Interruption,
    Prompt,
    Result,
    ToolCall,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


# The exit codes of commands that SIGINT, SIGKILL and SIGTERM ended.
_SIGNALS = frozenset((130, 137, 143))


def conversation(entries: Sequence[Entry]) -> list[Event]:
    """The events in their order, with a `Branch` for each part that was left."""
    ordered = _parents_first({entry.id: entry for entry in entries})
    dropped = _dropped(ordered, _parents(ordered))
    lost = Counter(top for at, top in dropped.items() for _ in ordered[at].events)
    # The first one counts: a resumed session may repeat lines.
    results = {
        call: result for entry in reversed(entries) for call, result in entry.results.items()
    }
    failures = {call: summary for entry in entries for call, summary in entry.failures.items()}
    for call in failures.keys() & results.keys():
        results[call] = failed_later(results[call], failures[call])
    events: list[Event] = []
    for index, entry in enumerate(ordered):
        if index not in dropped:
            events += (_answered(event, results) for event in entry.events)
        elif lost[index]:
            at = next((event.at for event in entry.events), None)
            events.append(Branch(f"{entry.id}:branch", at, lost[index]))
    return _with_stopped(events)


def _with_stopped(events: list[Event]) -> list[Event]:
    """Calls that a signal to the program stopped have not failed, nor were they rejected.

    The first signal is answered as a refusal is; of another the command's exit code is left, and
    nothing but the next prompt follows.
    """
    is_last, is_stop = True, False
    for index in range(len(events) - 1, -1, -1):
        event = events[index]
        if isinstance(event, Prompt | Interruption):
            is_last, is_stop = True, isinstance(event, Interruption) and event.is_end
        elif isinstance(event, ToolCall) and is_last and event.result:
            is_killed = event.result.exit_code in _SIGNALS
            is_last = is_killed or (is_stop and event.result.rejected)
            if is_last:
                stopped = replace(event.result, failed=False, rejected=False)
                events[index] = replace(event, result=stopped)
        else:
            is_last = False
    return events


def _answered(event: Event, results: Mapping[str, Result]) -> Event:
    if isinstance(event, ToolCall) and event.id in results:
        return replace(event, result=results[event.id])
    return event


def _parents_first(entries: Mapping[str, Entry]) -> list[Entry]:
    """The lines in the order of the file, but none before the one that it follows."""
    seen: set[str] = set()
    ordered: list[Entry] = []
    for entry in entries.values():
        chain: list[Entry] = []
        at: Entry | None = entry
        while at is not None and at.id not in seen:
            seen.add(at.id)
            chain.append(at)
            at = entries.get(at.parent)
        ordered += reversed(chain)
    return ordered


def _parents(ordered: Sequence[Entry]) -> list[int]:
    """The index of the line that each one follows; its own index if there is none."""
    places = {entry.id: index for index, entry in enumerate(ordered)}
    # In a cycle one of the lines follows a later one.
    return [min(places.get(entry.parent, at), at) for at, entry in enumerate(ordered)]


def _dropped(ordered: Sequence[Entry], parents: Sequence[int]) -> dict[int, int]:
    """The lines that are not in the conversation, each with the first of its part."""
    kept = _path(ordered, parents)
    messages = {ordered[at].message for at in kept} - {""}
    dropped: dict[int, int] = {}
    for at, entry in enumerate(ordered):
        if at not in kept and entry.message not in messages:
            dropped[at] = dropped.get(parents[at], at)
    begin = {top: _first(ordered, part) for top, part in _parts(dropped).items()}
    after = {parents[at]: at for at in kept if parents[at] != at}
    left = {top for top in begin if _goes_back(begin[top], ordered, _along(after, parents[top]))}
    return {at: top for at, top in dropped.items() if top in left}


def _parts(dropped: Mapping[int, int]) -> Mapping[int, list[int]]:
    """The lines of each part, in their order."""
    parts: dict[int, list[int]] = defaultdict(list)
    for at, top in dropped.items():
        parts[top].append(at)
    return parts


def _along(after: Mapping[int, int], at: int) -> Iterator[int]:
    """The lines of the conversation that follow one."""
    while at in after:
        at = after[at]
        yield at


def _first(ordered: Sequence[Entry], lines: Iterable[int]) -> Event | None:
    return next((ordered[at].events[0] for at in lines if ordered[at].events), None)


def _goes_back(begin: Event | None, ordered: Sequence[Entry], others: Iterable[int]) -> bool:
    """Whether a person left a part, or the agent gave it anew; else another process wrote it."""
    return isinstance(begin, Prompt) is isinstance(_first(ordered, others), Prompt)


def _path(ordered: Sequence[Entry], parents: Sequence[int]) -> set[int]:
    """The lines from the last event of each tree up to its root."""
    roots: list[int] = []
    leaves: dict[int, int] = {}
    for at, entry in enumerate(ordered):
        roots.append(roots[parents[at]] if parents[at] < at else at)
        if entry.events:
            leaves[roots[at]] = at
    kept: set[int] = set()
    for leaf in leaves.values():
        at = leaf
        while at not in kept:
            kept.add(at)
            at = parents[at]
    return kept
