"""What people and agents say in a session, in its order: decisions, and what overrules them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from unlatch.related.briefing.sources import section_texts
from unlatch.related.highlights import OVERRULED, is_overruling
from unlatch_sessions.session_model import Callout, CalloutKind, Phase, Session, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.related.kinds import Sources

# Characters of the prose of a session: to mask and read a megabyte takes some seconds.
MOST_PROSE = 1 << 17
# Lines of a session's phase that are no prose: callouts, quotations, calls, times.
_LIST_SIGN = r"(?:[-*+]|\d{1,3}[.)])[ \t]"
_NO_PROSE = re.compile(rf"[ \t]*(?:{_LIST_SIGN}+)*>|[-*] `|[*_]\d{{4}}-|\*\*Tool calls")
_INDENTED = re.compile(r"(?: {4}| {0,3}\t)\s*\S")
_ITEM = re.compile(_LIST_SIGN)
_PARAGRAPHS = re.compile(r"\n[ \t]*+\n\s*+")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
# The callout of a decision that an import found in a reply, which is there as well.
_FOUND = "(said-decided)"
_LABELLED = re.compile(r"[ \t*_#-]*(?:decision|decided)[*_]*:", re.IGNORECASE)


class Said:
    """The texts of a session by the section of their sentences, and all of its prose."""

    def __init__(self, session: Session, sources: Sources) -> None:
        self.texts = section_texts()
        self.prose = ""
        self._sources = sources
        # The first decision since a person spoke.
        self._since_words = 0
        # The end of the agent's last message, and the recorded decisions of that message.
        self._last_words, self._last_decisions = "", list[str]()
        prose = {phase.id: [*_prose(phase)] for phase in session.phases}
        left_out = (
            sum(len(line) + 1 for numbered in prose.values() for _, line in numbered) - MOST_PROSE
        )
        for phase in session.phases:
            lines: list[str] = []
            for _, part in sorted([*prose[phase.id], *_entries(phase)], key=lambda pair: pair[0]):
                if isinstance(part, str):
                    left_out -= len(part) + 1
                    lines += [part] if left_out < 0 else []
                else:
                    self._add_prose(lines)
                    self._add_entry(phase, part)
            self._add_prose(lines)

    def _add_prose(self, lines: list[str]) -> None:
        if lines:
            words = "\n".join(lines)
            self.prose += f"{words}\n"
            if words.strip():
                # A log does not say whether the paragraphs before were messages of their own.
                self._last_words = _PARAGRAPHS.split(words.strip())[-1]
                self._last_decisions.clear()
            self._add_sentences(words)
            lines.clear()

    def _add_sentences(self, words: str) -> None:
        for section, sentence in self._sources.said(words):
            self.texts[section].append(sentence)

    def _add_entry(self, phase: Phase, entry: Callout | ToolCall) -> None:
        decided = self.texts["decisions"]
        if isinstance(entry, ToolCall):
            return
        if entry.kind == CalloutKind.DECISION:
            self._add_decision(entry)
        elif entry.kind == CalloutKind.USER:
            overrules = self._overrule(entry.words)
            if entry.corrects:
                decided.append(f"{entry.words} ({entry.interpretation or 'correction'})")
            elif overrules or not (entry.interpretation or phase.is_begun_by(entry)):
                decided.append(entry.words)
            else:
                self._add_sentences(entry.words)
            self._since_words, self._last_words = len(decided), ""
            self._last_decisions.clear()

    def _add_decision(self, callout: Callout) -> None:
        text = " ".join(filter(None, [callout.title, self._sources.clean(callout.text).strip()]))
        decided = self.texts["decisions"]
        if callout.head == _FOUND:
            failed, said = self.texts["failed"], [*self._sources.said(text)]
            for section, sentence in said:
                if section == "failed" and sentence in failed:
                    failed.remove(sentence)  # the decision says it
            since = decided[self._since_words :]
            again = [
                sentence
                for section, sentence in said
                if section == "decisions" and sentence in since
            ]
            if again and not _LABELLED.match(text):
                self._last_decisions += again
                return
            for sentence in again:
                decided.remove(sentence)
        else:
            self._last_words = ""
            self._last_decisions.clear()
        decided.append(text)
        self._last_decisions.append(text)

    def _overrule(self, words: str) -> bool:
        """Mark the decisions in the agent's last message, if a person's words overrule them.

        Returns:
            Whether the words overrule something; it may be in an earlier message.
        """
        decided = self.texts["decisions"]
        if len(decided) <= self._since_words or not is_overruling(words):
            return False
        last = {sentence for _, sentence in self._sources.said(self._last_words)}
        last.update(self._last_decisions)
        for at in range(self._since_words, len(decided)):
            if decided[at] in last:
                decided[at] = f"{OVERRULED} {decided[at]}"
        return True


def _entries(phase: Phase) -> Iterator[tuple[int, Callout | ToolCall]]:
    return ((entry.line, entry) for entry in phase.entries)


def _prose(phase: Phase) -> Iterator[tuple[int, str]]:
    """The lines of a phase that its agent wrote as text: no code, and no words of others."""
    fence, in_list = "", False
    for number, line in enumerate(phase.text.split("\n"), phase.first):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        elif (_INDENTED.match(line) and not in_list) or _NO_PROSE.match(line):
            continue
        else:
            if line[:1].strip():  # a list ends with a line that is neither its item nor indented
                in_list = bool(_ITEM.match(line))
            yield number, line
