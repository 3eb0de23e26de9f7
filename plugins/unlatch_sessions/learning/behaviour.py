"""The behaviour of an agent: tool calls, callouts and text of a phase, as words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from unlatch_sessions.document import TOOL_CALLS
from unlatch_sessions.markup import time_line
from unlatch_sessions.session_model import Callout, CalloutKind, Entry, Phase, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


# Notes of an import about a conversation; these are the words of neither side.
_NOTE = re.compile(r"\*The (?:person|agent) [^*]+\*")
_MOST = 5  # the entries that show what an agent did


def shown(entry: Entry) -> str:
    """One line for a tool call; a callout with its text."""
    if isinstance(entry, Callout):
        text = " ".join(filter(None, (entry.head, entry.text.strip())))
        return f"{entry.kind}: {text}"
    outcome = f" -> {'failed: ' if entry.failed else ''}{entry.result}" if entry.result else ""
    return f"{entry.tool} {entry.arguments}".strip() + outcome


def until_user(entries: Sequence[Entry]) -> Iterator[str]:
    """The first entries up to a person's words."""
    for entry in entries[:_MOST]:
        if is_kind(entry, CalloutKind.USER):
            return
        yield shown(entry)


def since_user(entries: Sequence[Entry]) -> tuple[Sequence[Entry], list[ToolCall]]:
    """The entries up to a person's last words, and the last tool calls after them."""
    said = [number for number, entry in enumerate(entries, 1) if is_kind(entry, CalloutKind.USER)]
    start = max([0, *said[-1:]])
    calls = [entry for entry in entries[start:] if isinstance(entry, ToolCall)]
    return entries[:start], calls[-_MOST:]


def prose(phase: Phase, *, behind: Entry | None = None) -> str:
    """The text of a phase, or of its part behind an entry, without tool calls and callouts."""
    taken = {number for entry in phase.entries for number in _numbers(entry)}
    if behind:
        taken |= {*range(phase.first, behind.line)}
    own = (TOOL_CALLS, time_line(phase.at) if phase.at else "")
    lines = (
        "" if number in taken or line.strip() in own or _NOTE.fullmatch(line) else line.rstrip()
        for number, line in enumerate(phase.text.split("\n"), phase.first)
    )
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def is_kind(entry: Entry, kind: CalloutKind) -> bool:
    return isinstance(entry, Callout) and entry.kind == kind


def _numbers(entry: Entry) -> range:
    text = entry.text if isinstance(entry, Callout) else ""
    return range(entry.line, entry.line + 1 + (text.count("\n") + 1 if text else 0))
