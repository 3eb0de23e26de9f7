"""A conversation of a person with a coding agent, the same for all agents.

An event's key is the same each time its file is read, also when the file has grown.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from typing import TYPE_CHECKING, Any

from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

Json = dict[str, Any]

# Levels of agents that start agents: Claude Code allows five.
MAX_AGENT_DEPTH = 5
# The key under which a transcript counts them as unknown.
UNREADABLE_AGENT = "agent's file that cannot be read"
_TITLE_LENGTH = 80
# The end of a title that was longer.
CUT = "…"


@dataclass(frozen=True, slots=True)
class Event:
    """Something in a conversation; `at` is in UTC, or None where the agent records no time."""

    key: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Prompt(Event):
    """The words of a person; never those of the agent's program, a tool or another agent."""

    text: str


@dataclass(frozen=True, slots=True)
class Reply(Event):
    text: str
    model: str = ""


@dataclass(frozen=True, slots=True)
class Thought(Event):
    text: str


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a tool call.

    Args:
        failed: the agent or the exit code says so; also of a rejected call, but not of one that a
            person stopped while it ran.
        rejected: a person did not allow the call.
        subagent: the id of the agent that the call started.
        denied: the call was not made: a rule does not allow it, and nobody was asked.
    """

    text: str = ""
    failed: bool = False
    rejected: bool = False
    exit_code: int | None = None
    subagent: str = ""
    denied: bool = False


@dataclass(frozen=True, slots=True)
class ToolCall(Event):
    """A tool call; its result is None if the transcript has none."""

    id: str
    name: str
    arguments: Json
    result: Result | None = None


@dataclass(frozen=True, slots=True)
class Interruption(Event):
    """A person stopped the agent; `is_end` if that ended its program, which worked without them."""

    is_end: bool = False


@dataclass(frozen=True, slots=True)
class Compaction(Event):
    """The agent replaced the conversation up to here with a summary."""

    trigger: str = ""
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Branch(Event):
    """A person went back to here; `dropped` events that followed are not in the conversation."""

    dropped: int


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens; `input` has no cached ones, and `output` includes the thoughts."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
        )

    def __sub__(self, other: Usage) -> Usage:
        return Usage(
            max(0, self.input - other.input),
            max(0, self.output - other.output),
            max(0, self.cache_read - other.cache_read),
            max(0, self.cache_write - other.cache_write),
        )

    @property
    def total(self) -> int:
        return self.input + self.output + self.cache_read + self.cache_write


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """One conversation; an empty text means that the agent did not record it.

    Args:
        parent: the id of the conversation in which an agent started this one.
        role: the kind of agent that was started ("general-purpose").
        origin: the id of the conversation that a person forked this one from.
        copies: the keys of the events that the origin has too.
        usage: of this conversation alone; dropped events count, copies and subagents do not.
        copied: the tokens of the copies.
        unknown: how many lines and parts of each kind were not understood.
    """

    agent: str
    id: str
    version: str = ""
    title: str = ""
    cwd: str = ""
    branch: str = ""
    model: str = ""
    parent: str = ""
    role: str = ""
    events: tuple[Event, ...] = ()
    origin: str = ""
    copies: frozenset[str] = frozenset()
    usage: Usage = field(default_factory=Usage)
    copied: Usage = field(default_factory=Usage)
    subagents: tuple[Transcript, ...] = ()
    unknown: Counter[str] = field(default_factory=Counter)

    @property
    def started(self) -> datetime | None:
        return min((event.at for event in self.events if event.at), default=None)

    @property
    def ended(self) -> datetime | None:
        return max((event.at for event in self.events if event.at), default=None)


def title_of(events: Iterable[Event]) -> str:
    """The first line of the first prompt, for agents that give no title."""
    prompts = (event.text.strip() for event in events if isinstance(event, Prompt))
    first = next(prompts, "").split("\n", 1)[0].strip()
    return first if len(first) <= _TITLE_LENGTH else f"{first[: _TITLE_LENGTH - 1]}{CUT}"


def last_model(events: Iterable[Event]) -> str:
    return next(
        (
            event.model
            for event in reversed(list(events))
            if isinstance(event, Reply) and event.model
        ),
        "",
    )


def dropped_of(events: Iterable[Event]) -> int:
    """How many events are lost with these, those that were lost before included."""
    return sum(event.dropped if isinstance(event, Branch) else 1 for event in events)
