"""aider: `.aider.chat.history.md` in the project, a Markdown file with all its chats.

`# aider chat started at` begins a chat, in local time; `#### ` is the person, `> ` the program,
and the rest the model. Source: Aider-AI/aider tests/fixtures/chat-history.md. Lines of the person
and the program end with two blanks, so a model's headings and quotations are its own
(findings/aider-prompt-again.sh).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import field
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from unlatch.values import dataclass
from unlatch_agents.transcripts.conversation import (
    Event,
    Interruption,
    Prompt,
    Reply,
    Result,
    ToolCall,
    Transcript,
    Usage,
    title_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

AGENT = "aider"
START = "# aider chat started at "
_TOKENS = re.compile(r"Tokens: (.+?)\.(?:\s|$)")
_COUNT = re.compile(r"(\d[\d,]{0,15}(?:\.\d{1,9})?)(k|M|) (sent|received|cache hit|cache write)")
_FACTS = {
    "version": re.compile(r"Aider v(\S+)"),
    "model": re.compile(r"(?:Main model|Models?): (\S+)"),
}
_EDIT = re.compile(r"Applied edit to (.*\S)")
# An edit that did not fit is a message of the program with many lines: only its first line has a
# mark, and only its last one the two blanks.
_MISFIT = re.compile(r"# \d{1,4} SEARCH/REPLACE blocks? failed to match!")
_MISFIT_IN = "## SearchReplace"
# Of one Ctrl-C, and of a second one soon after, which ends the program.
_STOPPED, _INTERRUPTED = "^C again to exit", re.compile(r"\^C(?: KeyboardInterrupt|$)")

_SCALES = {"": 1, "k": 1_000, "M": 1_000_000}
_PERSON, _PROGRAM, _MODEL = "####", ">", ""
_BLANK = "<blank>"  # a person pressed Enter
_END = "  "


@dataclass(slots=True)
class _Chat:
    started: str
    facts: dict[str, str] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    events: list[Event] = field(default_factory=list)
    is_asked: bool = False  # the model, which has not answered to the end

    def add(self, who: str, lines: list[str]) -> None:
        """Add a run of lines of the person, the program or the model."""
        words = "\n".join(lines).strip()
        if who == _PROGRAM:
            for line in lines:
                self._note(line)
            self._note_misfits(lines)
        elif who == _PERSON and words and words != _BLANK:
            if not self._is_repeated(words):
                self.events.append(Prompt(*self._place(), words))
            self.is_asked = not words.startswith("/")
        # Before a prompt, these are lines of the arguments of the program.
        elif words and any(isinstance(event, Prompt) for event in self.events):
            self.events.append(Reply(*self._place(), words, self.facts.get("model", "")))

    def _is_repeated(self, words: str) -> bool:
        """Whether these are the words of the command before, as in `/ask words`."""
        last = self.events[-1] if self.events else None
        if not isinstance(last, Prompt) or not last.text.startswith("/"):
            return False
        return last.text.partition(" ")[2].strip() == words

    def _note(self, line: str) -> None:
        for name, pattern in _FACTS.items():
            if match := pattern.match(line):
                self.facts[name] = match[1]
        if match := _TOKENS.match(line):
            self.usage += _usage(match[1])
            self.is_asked = False
        elif match := _EDIT.match(line):
            self.events.append(
                ToolCall(*self._place(), "", "edit", {"path": match[1]}, Result(match[0]))
            )
        elif self._is_stopped(line):
            self.events.append(Interruption(*self._place()))

    def _note_misfits(self, lines: list[str]) -> None:
        words = "\n".join(lines).strip()
        for line in lines:
            if line.startswith(_MISFIT_IN):
                path, result = line.rpartition(" in ")[2].strip(), Result(words, failed=True)
                self.events.append(ToolCall(*self._place(), "", "edit", {"path": path}, result))

    def _is_stopped(self, line: str) -> bool:
        is_known = any(isinstance(event, Interruption) for event in self.events[-1:])
        is_stop = _INTERRUPTED.match(line) or (self.is_asked and line.startswith(_STOPPED))
        return bool(is_stop) and not is_known

    def _place(self) -> tuple[str, datetime | None]:
        """The next event's key, and for the first one the time of the start; no more is known."""
        return str(len(self.events)), None if self.events else _local(self.started)


def read(lines: Iterable[str], *, cwd: str) -> list[Transcript]:
    """The chats of a project's file, in their order."""
    chats: list[_Chat] = []
    for who, run in groupby(_written(lines), key=itemgetter(0)):
        texts = [line for _, line in run]
        if who == START:
            chats += (_Chat(line.removeprefix(START).strip()) for line in texts)
        elif chats:
            chats[-1].add(who, [line.removeprefix(f"{who} ") if who else line for line in texts])
    started = Counter[str]()
    return [_transcript(chat, started, cwd) for chat in chats if chat.events]


def _written(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The lines with their writers; an editor may have removed the blanks at all ends."""
    has_ends = is_misfit = False
    for line in lines:
        who = _writer(line)
        is_marked = who in (_PERSON, _PROGRAM)
        has_ends = has_ends or (is_marked and line.endswith(_END))
        is_asked = who == START or (who == _PERSON and line.endswith(_END))
        is_misfit = has_ends and not is_asked and (is_misfit or _is_misfit(line))
        if is_misfit:
            yield _PROGRAM, line
            is_misfit = not line.endswith(_END)
        else:
            yield _MODEL if is_marked and has_ends and not line.endswith(_END) else who, line


def _is_misfit(line: str) -> bool:
    return bool(_MISFIT.match(line.removeprefix(f"{_PROGRAM} ")) and _writer(line) == _PROGRAM)


def _writer(line: str) -> str:
    if line.startswith(START):
        return START
    return next(
        (writer for writer in (_PERSON, _PROGRAM) if f"{line} ".startswith(f"{writer} ")), _MODEL
    )


def _transcript(chat: _Chat, started: Counter[str], cwd: str) -> Transcript:
    started[chat.started] += 1
    nth = started[chat.started]
    return Transcript(
        agent=AGENT,
        id=chat.started if nth == 1 else f"{chat.started} ({nth})",
        version=chat.facts.get("version", ""),
        title=title_of(chat.events),
        cwd=cwd,
        model=chat.facts.get("model", ""),
        events=tuple(chat.events),
        usage=chat.usage,
    )


def _local(started: str) -> datetime | None:
    """The time of a chat's start; aider writes that of the computer, without a zone."""
    try:
        return datetime.fromisoformat(started).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _usage(tokens: str) -> Usage:
    counts = dict.fromkeys(("sent", "received", "cache hit", "cache write"), 0)
    for digits, scale, what in _COUNT.findall(tokens):
        counts[what] = int(float(digits.replace(",", "")) * _SCALES[scale])
    return Usage(*counts.values())
