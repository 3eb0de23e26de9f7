"""The text of a session, composed in one go from the events of a transcript.

The words of people, models and tools never become a part of the session's structure.
"""

from __future__ import annotations

import json
import re
from dataclasses import field
from typing import TYPE_CHECKING

from unlatch.values import dataclass
from unlatch.worklog.text.markdown_lines import is_unambiguous
from unlatch_agents.transcripts import (
    Branch,
    Compaction,
    Correction,
    Decision,
    Event,
    Failure,
    Finding,
    Interruption,
    Prompt,
    Reply,
    ToolCall,
)
from unlatch_sessions import markup
from unlatch_sessions.document import TOOL_CALLS
from unlatch_sessions.heading import Heading, one_line, write_heading
from unlatch_sessions.session_model import CORRECTION, Agent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from unlatch_agents.transcripts.conversation import Json

_LONGEST_TITLE = 80
# Characters of a tool's result that are masked, and of those at their end that half of a secret can
# be: far more than the 100 that are shown.
_EXCERPT, _EDGE = 2000, 256
# The end of a failed call's output that says why.
_ERROR_LINES, _ERROR_LENGTH = 12, 1000
# The argument that says what a call does, under the names that agents give it.
_TELLING = (
    *("command", "cmd", "file_path", "filePath", "absolute_path", "notebook_path", "path"),
    *("pattern", "query", "url", "description", "prompt", "input", "patchText"),
)
# The files of a patch in the form of Codex, and the command before it.
_PATCH = re.compile(r"(?P<head>[^*]*+)\*\*\* Begin Patch\b")
_HERE = re.compile(r"<<\s{0,9}\S{1,99}\s*+\Z")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.*\S)", re.MULTILINE)


@dataclass
class Page:
    """The lines that events add to a session.

    Args:
        mask: takes secrets out of a text.
        findings: by the keys of their events.
        subagent: the callout of the agent with an id; empty for an unknown one.
        opening: the title of the phase for events before the first prompt; empty if the session has
            a phase already, which the lines continue.
        root: the project's folder, which paths in calls leave out.
        phases: how many begin in `lines`.
    """

    agent: Agent
    mask: Callable[[str], str]
    findings: Mapping[str, Sequence[Finding]]
    subagent: Callable[[str], list[str]]
    opening: str = ""
    root: str = ""
    lines: list[str] = field(default_factory=list)
    phases: int = 0
    _is_list: bool = False

    def add(self, events: Iterable[Event]) -> None:
        for event in events:
            if isinstance(event, Prompt):
                self._prompt(event)
            elif isinstance(event, ToolCall):
                self._call(event)
            elif text := _words(event):
                self._block(event, self._prose(text))
            for finding in self.findings.get(event.key, ()):
                self._finding(event, finding)

    def add_block(self, lines: Sequence[str]) -> None:
        """Add a callout or another block."""
        if lines:
            self.lines += ["", *lines]
            self._is_list = False

    def _phase(self, title: str, event: Event) -> None:
        heading = Heading(title, self.agent, None)
        self.add_block(
            [write_heading(heading), *(["", markup.time_line(event.at)] if event.at else [])]
        )
        self.phases += 1
        self.opening = ""

    def _prompt(self, event: Prompt) -> None:
        words = self.mask(event.text)
        self._phase(beginning(words) or "Prompt", event)
        corrections = [
            finding
            for finding in self.findings.get(event.key, ())
            if isinstance(finding, Correction)
        ]
        self.add_block(_headed(markup.user(words), corrections[0] if corrections else None))

    def _call(self, event: ToolCall) -> None:
        result = event.result
        line = markup.call_line(
            event.name or "tool",
            self.mask(_within(self.root, _argument(event.arguments))),
            self._masked_beginning(result.text) if result else "",
            failed=result is not None and result.failed,
        )
        if self._is_list:
            self.lines.append(line)
        else:
            self._block(event, [TOOL_CALLS, line])
            self._is_list = True
        if result and result.subagent:
            self.add_block(self.subagent(result.subagent))

    def _masked_beginning(self, text: str) -> str:
        masked = self.mask(text[:_EXCERPT])
        return masked if len(text) <= _EXCERPT else masked[:-_EDGE]

    def _block(self, event: Event, lines: Sequence[str]) -> None:
        if self.opening:
            self._phase(self.opening, event)
        self.add_block(lines)

    def _prose(self, text: str) -> list[str]:
        # Without an indent at its start, it belongs to no list above it.
        words = self.mask(text).strip("\r\n").lstrip()
        lines = markup.prose(words)
        return lines if is_unambiguous("\n".join(["", *lines])) else markup.quoted(words)

    def _finding(self, event: Event, finding: Finding) -> None:
        words = self.mask(finding.text)
        if isinstance(finding, Decision):
            self._block(event, _headed(markup.decision(words), finding))
        elif isinstance(finding, Failure):
            self._block(event, _headed(markup.error(_end(words)), finding))
        elif not isinstance(event, Prompt):
            self._block(event, _headed(markup.user(words), finding))


def beginning(text: str) -> str:
    """The first line with words, cut to the length of a title."""
    lines = (one_line(line) for line in text.split("\n"))
    return markup.cut(next(filter(None, lines), ""), _LONGEST_TITLE)


def _words(event: Event) -> str:
    match event:
        case Reply(text=text):
            return text
        case Interruption():
            return "*The person stopped the agent.*"
        case Compaction(summary=summary):
            return f"*The agent replaced the conversation with a summary.*\n\n{summary}"
        case Branch(dropped=dropped):
            return f"*The person went back to here; {dropped} events that followed are left out.*"
    return ""


def _argument(arguments: Json) -> str:
    """The argument that describes a call, or all as JSON."""
    for name in _TELLING:
        match arguments.get(name):
            case str() as text if text.strip():
                return _unpatched(text)
            case [*words] if words and all(isinstance(word, str) for word in words):
                return _unpatched(" ".join(words))
    return json.dumps(arguments, ensure_ascii=False) if arguments else ""


def _unpatched(text: str) -> str:
    """The text, or of a patch the names of its files."""
    match = _PATCH.match(text)
    if match is None:
        return text
    command = _HERE.sub("", match["head"]).strip()
    return " ".join([command, *_PATCHED.findall(text)]).strip()


def _within(root: str, argument: str) -> str:
    """The argument with the paths in the project as they are there."""
    folder = re.escape(root.rstrip("/\\"))
    if not folder:
        return argument
    inside = re.sub(rf"(?<![\w./~-]){folder}[/\\](?=\w)", "", argument)
    return re.sub(rf"(?<![\w./~-]){folder}(?![\w./\\-])", ".", inside)


def _headed(lines: list[str], finding: Finding | None) -> list[str]:
    """A callout with the rule that found it; corrections are those of a person's words."""
    if finding is None:
        return lines
    kind = f"{CORRECTION} " if isinstance(finding, Correction) else ""
    return [f"{lines[0]} {kind}({finding.rule})", *lines[1:]]


def _end(text: str) -> str:
    lines = text.strip().split("\n")[-_ERROR_LINES:]
    return "\n".join(lines)[-_ERROR_LENGTH:].strip() or "no output"
