"""Learning cases from sessions: puzzles from failures, and corrections by people."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from unlatch.values import dataclass
from unlatch.worklog.digests import sha256
from unlatch.worklog.times import stamp
from unlatch_sessions.learning.behaviour import is_kind, prose, shown, since_user, until_user
from unlatch_sessions.session_model import Callout, CalloutKind, Entry, Phase, Session, ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


_CONTEXT = 5  # the entries before a failure or a correction


class CaseType(StrEnum):
    PUZZLE = "puzzle"
    CORRECTION = "correction"


@dataclass(frozen=True, slots=True)
class Case:
    """A case to learn from.

    Args:
        context: the goal, and the events before.
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
        return sha256("\0".join(texts).encode())[:16]

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
    cases: dict[str, Case] = {}
    unsolved = 0
    for session in sessions:
        for phase in session.phases:
            for number, entry in enumerate(phase.entries):
                case = _case(session, phase, number, entry, mask)
                if case and type in (None, case.type):
                    cases.setdefault(case.id, case)
                unsolved += case is None and is_kind(entry, CalloutKind.ERROR)
    return Cases(tuple(cases.values()), unsolved)


class _Found(NamedTuple):
    """The parts of a case: `earlier` is the text before `given`."""

    type: CaseType
    goal: Phase
    earlier: Sequence[Entry]
    given: str
    words: str | None
    expected: str


def _case(
    session: Session, phase: Phase, number: int, entry: Entry, mask: Callable[[str], str]
) -> Case | None:
    raw = _found(session, phase, number, entry)
    if raw is None or not raw.given or not raw.expected or raw.words == "":
        return None
    goal = f"{session.title}: {raw.goal.title}"
    context = "\n".join([goal, *map(shown, raw.earlier[-_CONTEXT:])])
    return Case(
        raw.type,
        mask(context),
        mask(raw.given),
        mask(raw.words) if raw.words else None,
        mask(raw.expected),
        session=session.id,
        phase=phase.id,
        line=entry.line,
        agent=str(phase.agent) if phase.agent else None,
        channel=phase.channel or session.meta.channel,
        model=session.meta.model,
        at=stamp(phase.at) if phase.at else None,
    )


def _found(session: Session, phase: Phase, number: int, entry: Entry) -> _Found | None:
    before, after = phase.entries[:number], phase.entries[number + 1 :]
    if not isinstance(entry, Callout):
        return None
    if entry.kind == CalloutKind.ERROR:
        given = entry.description or entry.head
        expected = entry.resolution or _solution(before, after)
        return _Found(CaseType.PUZZLE, phase, before, given, None, expected)
    if not entry.corrects:
        return None
    parts = [entry.interpretation, *until_user(after), prose(phase, behind=entry)]
    expected = "\n".join(filter(None, parts)).strip()
    if before:
        given = shown(before[-1])
        return _Found(CaseType.CORRECTION, phase, before[:-1], given, entry.words, expected)
    if phase.number == 1:
        return None
    # Words that begin a phase are about the one before.
    earlier = session.phases[phase.number - 2]
    entries, done = since_user(earlier.entries)
    given = "\n".join(filter(None, [*map(shown, done), prose(earlier)]))
    return _Found(CaseType.CORRECTION, earlier, entries, given, entry.words, expected)


def _solution(before: Sequence[Entry], after: Sequence[Entry]) -> str:
    """The call of the same tool, rather of the same program, that succeeded after a failed one."""
    failed = next((entry for entry in reversed(before) if isinstance(entry, ToolCall)), None)
    if failed is None or not failed.failed:
        return ""
    calls = (entry for entry in after if isinstance(entry, ToolCall) and not entry.failed)
    same = [call for call in calls if call.tool == failed.tool]
    program = failed.arguments.split()[:1]
    solutions = [*(call for call in same if call.arguments.split()[:1] == program), *same]
    return shown(solutions[0]) if solutions else ""
