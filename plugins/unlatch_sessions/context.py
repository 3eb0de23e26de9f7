"""The context for an agent to continue a session.

With a budget it has every decision and the newest phases, the oldest of them shortened, and names
the omitted ones.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import partial
from typing import TYPE_CHECKING

from unlatch.chat_model import estimate
from unlatch.errors import UsageError
from unlatch.values import dataclass
from unlatch.worklog.times import stamp
from unlatch_sessions.document import nested
from unlatch_sessions.session_model import Callout, CalloutKind, Phase, Session
from unlatch_sessions.subagents import Embedded, all_embedded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from unlatch_sessions.store import SessionStore

_NEXT, _INDENTED = "\n", "\n  "  # lines of a decision in a list
# Callouts with the words of others: what reads as a decision there is a quotation.
_QUOTED = frozenset({CalloutKind.USER, CalloutKind.ERROR})
_DEEPEST = 8
_CUT = "\u2026"
_LINE_START = re.compile(r"\n(?![\n>])")


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision and its place; `phase` and `title` are None outside of phases."""

    text: str
    session: str
    phase: str | None  # its id
    title: str | None  # of the phase
    line: int

    @property
    def source(self) -> str:
        phase = f"{self.phase} ({self.title}), " if self.phase else ""
        return f"{self.session}, {phase}line {self.line}"


@dataclass(frozen=True, slots=True)
class ResumeContext:
    """The text for an agent; `phases` and `left_out` are ids of phases.

    Args:
        shortened: the first of `phases`, if only its end is in the text.
    """

    text: str
    tokens: int
    decisions: tuple[Decision, ...]
    phases: tuple[str, ...]
    left_out: tuple[str, ...]
    shortened: str | None


def decisions(session: Session, embedded: Iterable[Embedded]) -> list[Decision]:
    """The decisions of a session, and of the embedded ones."""
    read = [entry.session for entry in embedded if entry.session]
    every = (decision for source in (session, *read) for decision in _decisions(source))
    return list(dict.fromkeys(every))


def resume_context(
    store: SessionStore, session: Session, *, budget: int | None = None
) -> ResumeContext:
    """The context of a session up to its resume point, or up to its end.

    Args:
        budget: the largest number of tokens.

    Raises:
        UsageError: `context-budget`, if decisions and open tasks alone need more than the budget.
    """
    point = session.phase(session.meta.resume_point)
    phases = session.phases[: point.number] if point else session.phases
    embedded = [*all_embedded(store, session)]
    decided = decisions(session, embedded)
    head = _head(session, phases, decided, _unread(session, embedded))
    kept, tail, text = len(phases), "", _text(head, phases, len(phases))
    if budget is not None and estimate(text) > budget:
        least = min(estimate(text), estimate(_text(head, phases, 0)))
        if least > budget:
            raise _too_small(budget, least)
        kept, tail, text = _within(budget, head, phases)
    return ResumeContext(
        text,
        estimate(text),
        tuple(decided),
        tuple(phase.id for phase in phases[len(phases) - kept :]),
        tuple(phase.id for phase in phases[: len(phases) - kept]),
        phases[len(phases) - kept].id if tail else None,
    )


def _too_small(budget: int, least: int) -> UsageError:
    need = f"the decisions and open tasks alone need {least - budget:,} tokens more"
    hint = f"use --budget {least} or more, or no budget"
    return UsageError("context-budget", f"{need} than the budget of {budget:,}", hint=hint)


def _within(budget: int, head: str, phases: Sequence[Phase]) -> tuple[int, str, str]:
    """The number of newest phases that fit, the end of the first one if it is cut, and the text."""
    kept = 0
    while estimate(_text(head, phases, kept + 1)) <= budget:
        kept += 1
    cut = partial(_text, head, phases, kept + 1)
    phase = phases[len(phases) - kept - 1]
    end = _longest_end(phase.text.strip(), lambda end: estimate(cut(end)) <= budget)
    return (kept + 1, end, cut(end)) if end else (kept, "", _text(head, phases, kept))


def _longest_end(text: str, fits: Callable[[str], bool]) -> str:
    """The longest end of a text that fits; from the start of a line, unless that halves it."""
    starts = range(1, len(text))
    at = bisect_left(starts, True, key=lambda start: fits(_CUT + text[start:])) + 1
    line = _LINE_START.search(text, at - 1)
    if line and (len(text) - line.end()) * 2 >= len(text) - at:
        return text[line.end() :]
    return _CUT + text[at:] if at < len(text) else ""


def _decisions(session: Session) -> Iterator[Decision]:
    places = [(callout, phase) for phase in session.phases for callout in phase.callouts()]
    outside = [(callout, None) for callout in session.outside]
    for callout, phase in sorted([*places, *outside], key=lambda place: place[0].line):
        where, title = (phase.id, phase.title) if phase else (None, None)
        for decision in _decided(callout):
            text = " ".join(filter(None, [decision.title, decision.text.strip()]))
            yield Decision(text, session.id, where, title, decision.line)


def _decided(callout: Callout, depth: int = 0) -> Iterator[Callout]:
    """A callout that is a decision, or those in a subagent's inline work or an earlier summary."""
    if callout.kind == CalloutKind.DECISION:
        yield callout
    elif callout.kind not in _QUOTED and depth < _DEEPEST:
        for inner in nested(callout):
            yield from _decided(inner, depth + 1)


def _head(
    session: Session,
    phases: Sequence[Phase],
    decided: Sequence[Decision],
    unread: Mapping[str, str | None],
) -> str:
    parts = [_facts(session, phases)]
    if open_tasks := [task for task in session.tasks if task.get("status") != "completed"]:
        lines = (
            f"- [{task.get('status', 'pending')}] {task.get('content')}" for task in open_tasks
        )
        parts.append("Open tasks:\n" + "\n".join(lines))
    if decided:
        lines = (
            f"- {decision.text.replace(_NEXT, _INDENTED)} ({decision.source})"
            for decision in decided
        )
        parts.append("Decisions:\n" + "\n".join(lines))
    if unread:
        lines = (f"- {name}: {problem}" for name, problem in unread.items())
        parts.append("Embedded sessions that could not be read:\n" + "\n".join(lines))
    return "\n\n".join(parts)


def _unread(session: Session, embedded: Sequence[Embedded]) -> dict[str, str | None]:
    """The problems of embedded sessions that are not read, by id."""
    read = {session.id, *(entry.session.id for entry in embedded if entry.session)}
    named = {entry.trail.chain[-1]: entry.problem for entry in embedded}
    return {name: problem for name, problem in named.items() if name not in read}


def _text(head: str, phases: Sequence[Phase], kept: int, end: str = "") -> str:
    """The context with the newest phases; of the first one, its end alone if that is given."""
    cut, newest = phases[: len(phases) - kept], phases[len(phases) - kept :]
    gaps = [_range(cut)] if cut else []
    gaps += [f"the beginning of {newest[0].id} ({newest[0].title})"] if end else []
    parts = [head]
    if gaps:
        names = ", and ".join(gaps)
        parts.append(f"Left out to keep to the budget: {names}. The session's file has all.")
    texts = [phase.text.strip() for phase in newest]
    texts[:1] = [end] if end else texts[:1]
    parts += [f"{_heading(phase)}\n\n{text}" for phase, text in zip(newest, texts, strict=True)]
    return "\n\n".join(parts) + "\n"


def _range(phases: Sequence[Phase]) -> str:
    ends = phases if len(phases) == 1 else (phases[0], phases[-1])
    return " to ".join(f"{phase.id} ({phase.title})" for phase in ends)


def _facts(session: Session, phases: Sequence[Phase]) -> str:
    meta = session.meta
    lines = [f"Session: {session.title} ({session.id})"]
    if meta.started:
        lines.append(f"Started: {stamp(meta.started)}")
    if meta.channel:
        lines.append(f"Channel: #{meta.channel}")
    if meta.participants:
        lines.append(f"Participants: {', '.join(meta.participants)}")
    if phases:
        lines.append(f"Continue after: {phases[-1].id} ({phases[-1].title})")
    return "\n".join(lines)


def _heading(phase: Phase) -> str:
    agent = f" @{phase.agent}" if phase.agent else ""
    channel = f" #{phase.channel}" if phase.channel else ""
    return f"## {phase.title}{agent}{channel}"
