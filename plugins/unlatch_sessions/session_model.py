"""The model of a session, and its status table."""

from __future__ import annotations

import re
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

from unlatch.values import dataclass
from unlatch.worklog.lifecycle import Lifecycle

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime


class Status(StrEnum):
    ACTIVE = "active"
    PAUSED = "paused"
    COMPLETED = "completed"
    FAILED = "failed"


_ENDED = frozenset({Status.COMPLETED, Status.FAILED})
LIFECYCLE = Lifecycle(
    moves=MappingProxyType(
        {
            Status.ACTIVE: frozenset({Status.PAUSED}) | _ENDED,
            Status.PAUSED: frozenset({Status.ACTIVE}) | _ENDED,
            Status.COMPLETED: frozenset({Status.ACTIVE}),
            Status.FAILED: frozenset({Status.ACTIVE}),
        }
    ),
    closed=_ENDED,
    reopened=_ENDED,
)


# The beginning of the head of a person's callout that corrects the agent.
CORRECTION = "correction"
# The interpretation of the reason for which an ended session was resumed.
RESUMED = "session resumed"
# The head of a callout that an import found, by the name of a rule.
_FOUND_BY = re.compile(rf"(?:{CORRECTION} )?\([a-z]+(?:-[a-z]+)*\)|{CORRECTION}")


class CalloutKind(StrEnum):
    DECISION = "decision"
    ERROR = "error"
    USER = "user"
    SUBAGENT = "subagent"
    # A summary that a later one replaced.
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent, as in `@orchestrator@1.0`."""

    name: str
    version: str | None = None

    def __str__(self) -> str:
        return f"{self.name}@{self.version}" if self.version else self.name


@dataclass(frozen=True, slots=True)
class Subagent:
    """An entry of `subagents` in the front matter; `session` is None for an inline one."""

    session: str | None
    agent: str | None = None
    model: str | None = None
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A line of a list of tool calls; lines are counted from 1."""

    tool: str
    arguments: str
    result: str
    failed: bool
    line: int


@dataclass(frozen=True, slots=True)
class Callout:
    """A block quote that begins with `[!kind]`.

    Args:
        kind: in lower case; one of `CalloutKind`, or another word.
        head: the rest of its first line.
        text: the other lines, without the marks of the quote.
        line: its first line, from 1.
    """

    kind: str
    head: str
    text: str
    line: int

    @property
    def title(self) -> str:
        """The rest of its first line, without the rule by which an import found it."""
        return "" if _FOUND_BY.fullmatch(self.head) else self.head

    @property
    def words(self) -> str:
        """The words of a person, without quotes and interpretation."""
        return self._user()[0]

    @property
    def interpretation(self) -> str | None:
        """The interpretation of a person's words, or the action taken."""
        return self._user()[1]

    @property
    def is_marked_correction(self) -> bool:
        return self.kind == CalloutKind.USER and self.head.startswith(CORRECTION)

    @property
    def corrects(self) -> bool:
        """Whether a person's words had a consequence: they are interpreted, or marked so."""
        is_interpreted = self.interpretation not in (None, RESUMED)
        return self.is_marked_correction or (self.kind == CalloutKind.USER and is_interpreted)

    @property
    def resolution(self) -> str | None:
        """The resolution of an error."""
        lines = self.text.split("\n")
        resolutions = [
            line.removeprefix("Resolution:").strip() for line in lines if _is_resolution(line)
        ]
        return resolutions[-1] if resolutions else None

    @property
    def description(self) -> str:
        """The text without its resolution."""
        lines = self.text.split("\n")
        return "\n".join(line for line in lines if not _is_resolution(line)).strip()

    def _user(self) -> tuple[str, str | None]:
        text = self.text.strip()
        if not text.startswith('"'):
            return text, None
        if text.endswith('"') and len(text) > 1:
            return text[1:-1], None
        words, mark, interpretation = text[1:].rpartition('" - ')
        return (words, interpretation) if mark else (text, None)


def _is_resolution(line: str) -> bool:
    return line.startswith("Resolution:")


Entry = ToolCall | Callout


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase of a session.

    Args:
        number: from 1, in the order of the file.
        text: the lines below the heading, from the first one that is not empty.
        line: the line of the heading, from 1.
        first: the line where the text begins.
    """

    number: int
    title: str
    agent: Agent | None
    channel: str | None
    at: datetime | None
    entries: tuple[Entry, ...]
    text: str
    line: int
    first: int

    @property
    def id(self) -> str:
        """Stable because phases are only appended."""
        return f"phase-{self.number}"

    @property
    def calls(self) -> Iterator[ToolCall]:
        return (entry for entry in self.entries if isinstance(entry, ToolCall))

    def is_begun_by(self, callout: Callout) -> bool:
        """Whether a callout is the prompt that an import made the title of."""
        return " ".join(callout.words.split()).startswith(self.title.rstrip("\u2026"))

    def callouts(self, kind: CalloutKind | None = None) -> Iterator[Callout]:
        """Its callouts, of this kind if one is given."""
        every = (entry for entry in self.entries if isinstance(entry, Callout))
        return (callout for callout in every if kind in (None, callout.kind))


@dataclass(frozen=True, slots=True)
class Meta:
    """The front matter of a session, as far as unlatch knows it."""

    session_id: str
    status: Status
    started: datetime | None = None
    ended: datetime | None = None
    channel: str | None = None
    participants: tuple[str, ...] = ()
    model: str | None = None
    tokens_used: int = 0
    resume_point: str | None = None
    subagents: tuple[Subagent, ...] = ()
    increment: str | None = None
    effort: str | None = None
    branch: str | None = None
    fork_of: str | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """A session, as its file describes it.

    Args:
        tasks: the last tasks block: objects with `id`, `content`, `status`, `priority`.
        summary: the text below the trailing `## Summary`.
        outside: the callouts before the first phase, and those of the summary.
    """

    meta: Meta
    title: str
    phases: tuple[Phase, ...]
    tasks: tuple[Mapping[str, object], ...] = ()
    summary: str | None = None
    outside: tuple[Callout, ...] = ()

    @property
    def id(self) -> str:
        return self.meta.session_id

    def phase(self, id: str | None) -> Phase | None:
        """The phase of an id as `phase-3`."""
        return next((phase for phase in self.phases if phase.id == id), None)
