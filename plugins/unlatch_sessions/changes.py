"""Changes of a session's text; each takes a text and returns the new one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UsageError
from unlatch.worklog.text.markdown_lines import append_lines, line_ending
from unlatch_sessions import markup
from unlatch_sessions.document import TOOL_CALLS, read_document
from unlatch_sessions.front_matter import Value, with_values
from unlatch_sessions.heading import Heading, write_heading
from unlatch_sessions.session_model import Session, Subagent, ToolCall

if TYPE_CHECKING:
    from datetime import datetime

Change = Callable[[str], str]


def add_phase(lines: Sequence[str], *, phases: int = 1) -> Change:
    """Begin a phase with its heading and time; or add lines with any number of phases."""
    return lambda text: _append(text, lines, phases=phases)


def add_block(lines: Sequence[str]) -> Change:
    """Add a callout or another block to the last phase; StoreError `session-no-phase`."""

    def change(text: str) -> str:
        _require_phase(read_document(text).session)
        return _append(text, lines)

    return change


def add_to_last(block: Sequence[str], *, otherwise: str, now: datetime) -> Change:
    """Add a block to the last phase, or to a new one of that title if there is none."""

    def change(text: str) -> str:
        if not read_document(text).session.phases:
            heading = write_heading(Heading(otherwise, None, None))
            text = add_phase([heading, "", markup.time_line(now)])(text)
        return add_block(block)(text)

    return change


def add_prose(words: str) -> Change:
    """Add a text to the last phase; StoreError `session-no-phase`."""

    def change(text: str) -> str:
        _require_phase(read_document(text).session)
        try:
            return _append(text, markup.prose(words))
        except StoreError:
            return _append(text, markup.quoted(words))

    return change


def add_call(line: str) -> Change:
    """Add a tool call to the last phase, to a list at its end if there is one."""

    def change(text: str) -> str:
        document = read_document(text)
        _require_phase(document.session)
        head = text[: document.end]
        last = document.session.phases[-1].entries[-1:]
        if last and isinstance(last[0], ToolCall) and _lines(head.rstrip()) == last[0].line:
            end = line_ending(text)
            return (
                head.rstrip() + end + line + end + _gap(text, document.end) + text[document.end :]
            )
        return _append(text, [TOOL_CALLS, line])

    return change


def set_tasks(tasks: Sequence[Mapping[str, object]]) -> Change:
    """Replace the tasks block of the last phase, or add one to it."""

    def change(text: str) -> str:
        document = read_document(text)
        _require_phase(document.session)
        at, end = document.tasks_at, line_ending(text)
        if at and _lines(text[: at[0]]) > document.session.phases[-1].line:
            content = "".join(end + line for line in markup.tasks_json(tasks))
            return text[: at[0]] + content + text[at[1] :]
        return _append(text, markup.tasks_block(tasks))

    return change


def set_summary(words: str) -> Change:
    """Replace the summary, or add one."""

    def change(text: str) -> str:
        head = text[: read_document(text).end].rstrip("\r\n")
        return append_lines(head + line_ending(text), ["## Summary", "", *markup.prose(words)])

    return change


def set_values(values: Mapping[str, Value]) -> Change:
    """Set keys of the front matter."""
    return lambda text: with_values(text, values)


def add_participant(agent: str) -> Change:
    """Add an agent to the participants."""

    def change(text: str) -> str:
        participants = read_document(text).session.meta.participants
        return (
            text
            if agent in participants
            else with_values(text, {"participants": [*participants, agent]})
        )

    return change


def add_tokens(count: int) -> Change:
    def change(text: str) -> str:
        used = read_document(text).session.meta.tokens_used
        return with_values(text, {"tokens_used": used + count})

    return change


def add_subagent(entry: Subagent) -> Change:
    """List a subagent, or replace the entry of the same session."""

    def change(text: str) -> str:
        listed = read_document(text).session.meta.subagents
        kept = [
            subagent
            for subagent in listed
            if entry.session is None or subagent.session != entry.session
        ]
        return with_values(text, {"subagents": [asdict(subagent) for subagent in (*kept, entry)]})

    return change


def apply(text: str, changes: Iterable[Change]) -> str:
    """Apply changes in their order."""
    for change in changes:
        text = change(text)
    return text


def _append(text: str, lines: Sequence[str], *, phases: int = 0) -> str:
    """Add lines behind the last phase, before the summary.

    Raises:
        StoreError: `session-damaged`, if they would be read differently.
    """
    document = read_document(text)
    head = append_lines(text[: document.end], lines)
    added = head + _gap(text, document.end) + text[document.end :]
    if len(read_document(added).session.phases) != len(document.session.phases) + phases:
        message = "text at its end, as an open comment, would hide or change new lines"
        raise StoreError("session-damaged", message, hint="close it, then run the command again")
    return added


def _gap(text: str, end: int) -> str:
    return line_ending(text) if end < len(text) else ""


def _lines(text: str) -> int:
    """The number of lines of a text."""
    return len(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))


def _require_phase(session: Session) -> None:
    if not session.phases:
        message = f"the session '{session.id}' has no phase yet"
        hint = f"unlatch session log {quote(session.id)} --phase TITLE"
        raise StoreError("session-no-phase", message, hint=hint)


def check_text(text: str) -> None:
    """Refuse an empty text; UsageError `text-missing`."""
    if not text.strip():
        raise UsageError("text-missing", "the text is empty", hint="give the words to record")
