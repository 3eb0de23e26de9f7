"""Learning cases from sessions: puzzles from failures, and corrections by people."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from unlatch.sessions.lifecycle import RESUMED
from unlatch.sessions.model import Callout, CalloutKind, ToolCall
from unlatch.worklog.times import stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from unlatch.sessions.model import Entry, Phase, Session

_CONTEXT = 5  # the entries before a failure or a correction


class CaseType(StrEnum):
    PUZZLE = "puzzle"
    CORRECTION = "correction"


@dataclass(frozen=True, slots=True)
class Case:
    """A case to learn from.

    Args:
        context: the goal, and what came before.
        given: the failure; of a correction, the agent's behaviour.
        words: of a correction, those of the person.
        expected: the resolution; of a correction, the behaviour after it.
        session, phase, line: where it stands.
    """

    type: CaseType
    context: str
    given: str
    words: str | None
    expected: str
    session: str
    phase: str
    line: int
    agent: str | None
    channel: str | None
    model: str | None
    at: str | None

    @property
    def id(self) -> str:
        """The same for cases with the same texts."""
        texts = (self.type, self.context, self.given, self.words or "", self.expected)
        return sha256("\0".join(texts).encode()).hexdigest()[:16]

    @property
    def metadata(self) -> dict[str, Any]:
        """The facts to filter cases by."""
        return {
            "type": self.type.value,
            "id": self.id,
            "session": self.session,
            "phase": self.phase,
            "line": self.line,
            "agent": self.agent,
            "channel": self.channel,
            "model": self.model,
            "at": self.at,
        }


@dataclass(frozen=True, slots=True)
class Cases:
    """Cases without duplicates, and the number of errors that have no known solution."""

    cases: tuple[Case, ...]
    unsolved: int


def learn(
    sessions: Iterable[Session], *, mask: Callable[[str], str], type: CaseType | None = None
) -> Cases:
    """The cases of sessions, without duplicates.

    Args:
        mask: takes secrets and home paths out of a text.
        type: only cases of this type.
    """
    found: dict[str, Case] = {}
    unsolved = 0
    for session in sessions:
        for phase in session.phases:
            for number, entry in enumerate(phase.entries):
                case = _case(session, phase, number, entry, mask)
                if case and type in (None, case.type):
                    found.setdefault(case.id, case)
                unsolved += case is None and _is(entry, CalloutKind.ERROR)
    return Cases(tuple(found.values()), unsolved)


def _case(
    session: Session, phase: Phase, number: int, entry: Entry, mask: Callable[[str], str]
) -> Case | None:
    before, after = phase.entries[:number], phase.entries[number + 1 :]
    words: str | None = None
    if not isinstance(entry, Callout):
        return None
    if entry.kind == CalloutKind.ERROR:
        kind, given = CaseType.PUZZLE, entry.description or entry.head
        expected = entry.resolution or _solution(before, after)
    elif _corrects(entry) and before:
        kind, given, words = CaseType.CORRECTION, _shown(before[-1]), entry.words
        expected = "\n".join([entry.interpretation or "", *_until_user(after)]).strip()
    else:
        return None
    if not given or not expected:
        return None
    goal = f"{session.title}: {phase.title}"
    earlier = before[:-1] if kind is CaseType.CORRECTION else before
    context = "\n".join([goal, *map(_shown, earlier[-_CONTEXT:])])
    return Case(
        kind,
        mask(context),
        mask(given),
        mask(words) if words else None,
        mask(expected),
        session=session.id,
        phase=phase.id,
        line=entry.line,
        agent=str(phase.agent) if phase.agent else None,
        channel=phase.channel or session.meta.channel,
        model=session.meta.model,
        at=stamp(phase.at) if phase.at else None,
    )


def _corrects(callout: Callout) -> bool:
    """Whether a person's words had a consequence: the log says how they were understood."""
    return callout.kind == CalloutKind.USER and callout.interpretation not in (None, RESUMED)


def _solution(before: Sequence[Entry], after: Sequence[Entry]) -> str:
    """The call of the same tool that succeeded after the one that failed; empty without any."""
    failed = next((one for one in reversed(before) if isinstance(one, ToolCall)), None)
    if failed is None or not failed.failed:
        return ""
    same = (o for o in after if isinstance(o, ToolCall) and o.tool == failed.tool and not o.failed)
    found = next(same, None)
    return _shown(found) if found else ""


def _until_user(entries: Sequence[Entry]) -> Iterator[str]:
    for one in entries[:_CONTEXT]:
        if _is(one, CalloutKind.USER):
            return
        yield _shown(one)


def _is(entry: Entry, kind: CalloutKind) -> bool:
    return isinstance(entry, Callout) and entry.kind == kind


def _shown(entry: Entry) -> str:
    if isinstance(entry, Callout):
        text = " ".join(filter(None, (entry.head, entry.text.strip())))
        return f"{entry.kind}: {text}"
    outcome = f" -> {'failed: ' if entry.failed else ''}{entry.result}" if entry.result else ""
    return f"{entry.tool} {entry.arguments}".strip() + outcome
