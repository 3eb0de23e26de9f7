"""The agents that a transcript's agent started, in the place that the configuration names."""

from __future__ import annotations

import re
from dataclasses import field
from typing import TYPE_CHECKING

from unlatch.config.choices import SubagentMode
from unlatch.values import dataclass
from unlatch_agents.imports.composing import Page, beginning
from unlatch_agents.transcripts import Finding, Reply, findings
from unlatch_sessions import markup
from unlatch_sessions.heading import one_line
from unlatch_sessions.model import Agent, Subagent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from unlatch_agents.transcripts import Transcript

_BREAKS = re.compile(r"[\s@]+")
_LONGEST_NAME = 60


@dataclass
class Subagents:
    """The subagents of one transcript.

    Args:
        sessions: the ids of their own sessions, by their ids; empty for inline work.
        placed: the ids of those with a callout.
    """

    mode: SubagentMode
    mask: Callable[[str], str]
    transcripts: Mapping[str, Transcript]
    sessions: Mapping[str, str]
    placed: set[str] = field(default_factory=set)

    def callout(self, id: str) -> list[str]:
        """The callout of an agent; empty for an unknown one, and for one that has it already."""
        transcript = self.transcripts.get(id)
        if transcript is None or id in self.placed:
            return []
        self.placed.add(id)
        is_inline = self.mode is SubagentMode.INLINE
        return markup.subagent(
            agent_of(transcript),
            transcript.model or None,
            self.mode,
            session=self.sessions.get(id),
            content=self._work(transcript) if is_inline else self._result(transcript),
        )

    def entries(self) -> Iterator[Subagent]:
        """The entries of the front matter."""
        for key, one in self.transcripts.items():
            if key in self.placed:
                session, agent = self.sessions.get(key), str(agent_of(one))
                yield Subagent(session, agent, one.model or None, one.usage.total)

    def _result(self, transcript: Transcript) -> str:
        replies = [it.text for it in transcript.events if isinstance(it, Reply)]
        return beginning(self.mask(replies[-1])) if replies else ""

    def _work(self, transcript: Transcript) -> str:
        inner = Subagents(self.mode, self.mask, by_id(transcript), {})
        page = Page(
            agent_of(transcript),
            self.mask,
            by_key(transcript),
            inner.callout,
            root=transcript.cwd,
        )
        page.add(transcript.events)
        return "\n".join(page.lines).strip("\n")


def by_id(transcript: Transcript) -> dict[str, Transcript]:
    return {it.id: it for it in transcript.subagents}


def by_key(transcript: Transcript) -> dict[str, list[Finding]]:
    """The findings of each event."""
    found: dict[str, list[Finding]] = {}
    for one in findings(transcript.events):
        found.setdefault(one.key, []).append(one)
    return found


def agent_of(transcript: Transcript) -> Agent:
    """The agent with its version, or a subagent by its role."""
    name = _name(transcript.role) if transcript.parent else ""
    return Agent(name or transcript.agent, None if name else _name(transcript.version) or None)


def _name(text: str) -> str:
    return _BREAKS.sub("-", one_line(text))[:_LONGEST_NAME].strip("-")
