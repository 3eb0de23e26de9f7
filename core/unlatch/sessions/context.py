"""The context for an agent to continue a session.

With a budget it has every decision and the newest phases, and names the omitted ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import UsageError
from unlatch.llm.port import estimate
from unlatch.sessions.model import CalloutKind
from unlatch.sessions.subagents import all_embedded
from unlatch.values import dataclass
from unlatch.worklog.times import stamp

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unlatch.sessions.model import Phase, Session
    from unlatch.sessions.store import SessionStore

_NEXT, _INDENTED = "\n", "\n  "  # lines of a decision in a list


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision and its place."""

    text: str
    session: str
    phase: str  # its id
    title: str  # of the phase
    line: int

    @property
    def source(self) -> str:
        return f"{self.session}, {self.phase} ({self.title}), line {self.line}"


@dataclass(frozen=True, slots=True)
class Context:
    """The text for an agent; `phases` and `left_out` are ids of phases."""

    text: str
    tokens: int
    decisions: tuple[Decision, ...]
    phases: tuple[str, ...]
    left_out: tuple[str, ...]


def decisions(store: SessionStore, session: Session, phases: Sequence[Phase]) -> list[Decision]:
    """The decisions of these phases, and of all embedded sessions."""
    found = [*_decisions(session, phases)]
    for one in all_embedded(store, session):
        if one.session:
            found += _decisions(one.session, one.session.phases)
    return list(dict.fromkeys(found))


def resume_context(store: SessionStore, session: Session, *, budget: int | None = None) -> Context:
    """The context of a session up to its resume point, or up to its end.

    Args:
        budget: the largest number of tokens.

    Raises:
        UsageError: `context-budget`, if the decisions alone need more than the budget.
    """
    point = session.phase(session.meta.resume_point)
    known = session.phases[: point.number] if point else session.phases
    decided = decisions(store, session, known)
    kept: list[Phase] = []
    text = _text(session, known, kept, decided)
    if budget is not None and (over := estimate(text) - budget) > 0:
        message = f"the decisions alone need {over:,} tokens more than the budget of {budget:,}"
        raise UsageError(
            "context-budget", message, hint=f"use --budget {estimate(text)} or more, or no budget"
        )
    for phase in reversed(known):
        longer = _text(session, known, [phase, *kept], decided)
        if budget is not None and estimate(longer) > budget:
            break
        kept, text = [phase, *kept], longer
    left_out = tuple(one.id for one in known[: len(known) - len(kept)])
    return Context(text, estimate(text), tuple(decided), tuple(one.id for one in kept), left_out)


def _decisions(session: Session, phases: Sequence[Phase]) -> Iterator[Decision]:
    for phase in phases:
        for one in phase.callouts(CalloutKind.DECISION):
            text = " ".join(filter(None, [one.title, one.text.strip()]))
            yield Decision(text, session.id, phase.id, phase.title, one.line)


def _text(
    session: Session, known: Sequence[Phase], kept: Sequence[Phase], decided: Sequence[Decision]
) -> str:
    parts = [_head(session, known)]
    if open_tasks := [one for one in session.tasks if one.get("status") != "completed"]:
        lines = (f"- [{one.get('status', 'pending')}] {one.get('content')}" for one in open_tasks)
        parts.append("Open tasks:\n" + "\n".join(lines))
    if decided:
        lines = (f"- {one.text.replace(_NEXT, _INDENTED)} ({one.source})" for one in decided)
        parts.append("Decisions:\n" + "\n".join(lines))
    if cut := known[: len(known) - len(kept)]:
        names = ", ".join(f"{one.id} ({one.title})" for one in cut)
        parts.append(f"Left out to keep to the budget: {names}. They are in the session's file.")
    parts += [_phase(one) for one in kept]
    return "\n\n".join(parts) + "\n"


def _head(session: Session, known: Sequence[Phase]) -> str:
    meta = session.meta
    lines = [f"Session: {session.title} ({session.id}, {meta.status})"]
    if meta.started:
        lines.append(f"Started: {stamp(meta.started)}")
    if meta.channel:
        lines.append(f"Channel: #{meta.channel}")
    if meta.participants:
        lines.append(f"Participants: {', '.join(meta.participants)}")
    if known:
        lines.append(f"Continue after: {known[-1].id} ({known[-1].title})")
    return "\n".join(lines)


def _phase(phase: Phase) -> str:
    agent = f" @{phase.agent}" if phase.agent else ""
    channel = f" #{phase.channel}" if phase.channel else ""
    return f"## {phase.title}{agent}{channel}\n\n{phase.text.strip()}"
