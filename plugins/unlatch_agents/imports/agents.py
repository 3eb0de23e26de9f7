"""The agents that a transcript's agent started, in the place that the configuration names."""

from __future__ import annotations

import re
from dataclasses import field
from typing import TYPE_CHECKING

from unlatch.config.choices import SubagentMode
from unlatch.values import dataclass
from unlatch_agents.imports.composing import Page, beginning
from unlatch_agents.transcripts import Finding, Reply, Transcript, findings
from unlatch_sessions import markup
from unlatch_sessions.heading import one_line
from unlatch_sessions.session_model import Agent, Subagent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


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
        for key, transcript in self.transcripts.items():
            if key in self.placed:
                session, agent = self.sessions.get(key), str(agent_of(transcript))
                yield Subagent(session, agent, transcript.model or None, transcript.usage.total)

    def _result(self, transcript: Transcript) -> str:
        replies = [event.text for event in transcript.events if isinstance(event, Reply)]
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
    return {subagent.id: subagent for subagent in transcript.subagents}


def by_key(transcript: Transcript) -> dict[str, list[Finding]]:
    """The findings of each event."""
    by_event: dict[str, list[Finding]] = {}
    for finding in findings(transcript.events):
        by_event.setdefault(finding.key, []).append(finding)
    return by_event


def agent_of(transcript: Transcript) -> Agent:
    """The agent with its version, or a subagent by its role."""
    name = _name(transcript.role) if transcript.parent else ""
    return Agent(name or transcript.agent, None if name else _name(transcript.version) or None)


def _name(text: str) -> str:
    return _BREAKS.sub("-", one_line(text))[:_LONGEST_NAME].strip("-")
