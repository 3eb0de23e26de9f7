"""What efforts, sessions and runs know: the newest first, and of long records the end."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from unlatch.related.highlights import sentences
from unlatch.related.identifiers import identifiers
from unlatch.related.points import Briefing, Point
from unlatch.transport.trace import Masking
from unlatch.values import dataclass
from unlatch.worklog.text.neutral import without_controls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime

    from unlatch.project.workspace import Workspace
    from unlatch.related.belonging import Related
    from unlatch.related.own_work import OwnWork

# Bytes at the end of the long logs of all work.
_ROOM = 1 << 20
# Entries of a section from one source, and next steps from one conversation.
_MOST, MOST_NEXT = 200, 3
SECTIONS = {"decided": "decisions", "rejected": "failed", "next": "left"}

Texts = dict[str, list[str]]


@dataclass
class Sources:
    """Reads the work of one increment.

    Args:
        own: what the increment's own files say; what is done there is not left to do.
        with_tool_output: whether to read the errors of imported transcripts.
        accepted: the ids of tasks that an auditor of a run accepted.
        known: the names of the tools that agents called, and the ids of tasks.
        room: the bytes that are still read of logs of any length.
    """

    workspace: Workspace
    own: OwnWork
    with_tool_output: bool = True
    accepted: set[str] = field(default_factory=set)
    known: set[str] = field(default_factory=set)
    room: int = _ROOM
    _seen: set[str] = field(default_factory=set)
    _mask: Callable[[str], str] = field(default_factory=lambda: Masking().text)

    def read(self, related: Related) -> Iterator[Briefing]:
        """A briefing of each work, the newest first."""
        # Of the same second, the last one of a kind is the newest.
        works = sorted(
            (related.work for related in related.others), key=lambda work: _moment(work.updated)
        )
        for work in works[::-1]:
            yield work.brief(self)

    def clean(self, text: str) -> str:
        """A text without secrets and control characters."""
        return without_controls(self._mask(text))

    def identifiers(self, text: str) -> Iterator[str]:
        """The identifiers in a clean text."""
        return identifiers(text)

    def is_new(self, text: str) -> bool:
        """Whether no later work has named this task."""
        is_new = text.casefold() not in self._seen
        self._seen.add(text.casefold())
        return is_new

    def said(self, words: str) -> Iterator[tuple[str, str]]:
        """The decisions, failures and next steps in a text, each with its section."""
        for kind, sentence in sentences(self.clean(words)):
            yield SECTIONS[kind], sentence

    def add_summary(self, texts: Texts, summary: str | None) -> None:
        """A summary, and what it says of decisions, failures and next steps."""
        if summary:
            for section, sentence in self.said(summary):
                texts[section].append(sentence)
            texts["done"].append(summary)


def section_texts() -> Texts:
    """Texts by section, the newest last; only what is left is in the order of the work."""
    return {"done": [], "decisions": [], "failed": [], "left": []}


def briefing_from(source: str, texts: Texts, named: Iterable[str] = ()) -> Briefing:
    """A briefing of one source, the newest first."""
    ordered = {
        name: entries if name == "left" else entries[::-1] for name, entries in texts.items()
    }
    sections = {
        name: tuple(Point(text, source) for text in entries[:_MOST])
        for name, entries in ordered.items()
    }
    unread = tuple(
        Point(f"{len(entries) - _MOST:,} more entries: {name}", source)
        for name, entries in ordered.items()
        if len(entries) > _MOST
    )
    names = tuple(Point(text, source) for text in named)
    return Briefing(**sections, identifiers=names, unread=unread, origin="")


def _moment(at: datetime | None) -> float:
    return at.timestamp() if at else 0.0
