"""The outcome of a dispatch, from its worker's answer and end."""

from __future__ import annotations

import signal

from unlatch.values import dataclass
from unlatch_runs.dispatch.port import End, Ended, Role
from unlatch_runs.dispatch.protocol import Answer, Failed, Question

_LONGEST_ERROR = 500
NO_VERDICT = (
    'the auditor gave no verdict: the last line of its answer must be {"type": "done"} or '
    '{"type": "failed", "reason": "..."}'
)
NO_ANSWER = (
    'it ended without an answer: its last line must be {"type": "done"}, '
    '{"type": "failed", "reason": "..."} or {"type": "question", "text": "..."}'
)
_ENDS = {
    End.TIMEOUT: "it ran for longer than allowed, and was ended",
    End.OUTPUT: "it printed more than allowed, and was ended",
    End.LINGERED: "it did not exit after its answer, and was ended",
    End.EXPIRED: "it was ended, because its lease ran out",
    End.RELEASED: "it was ended by the coordinator",
}


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """The dispatch failed without an answer of the worker."""

    reason: str


def outcome_of(role: Role, answer: Answer | None, ended: Ended) -> Answer | NoAnswer:
    """The result of a dispatch; an auditor's `Done` accepts the task, its `Failed` rejects it.

    A worker that reports `done` and exits with an error is not done.
    """
    if isinstance(answer, Question):
        return answer
    if isinstance(answer, Failed):
        is_verdict = answer.is_stated or role is Role.DEVELOPER
        return answer if is_verdict else NoAnswer(answer.reason)
    if answer is None and _is_clean(ended):
        return NoAnswer(NO_VERDICT if role is Role.AUDITOR else NO_ANSWER)
    if answer is None:
        return NoAnswer(reason_of(ended))
    if not _is_clean(ended):
        return NoAnswer(f"it reported done, then: {reason_of(ended)}")
    return answer if answer.is_stated or role is Role.DEVELOPER else NoAnswer(NO_VERDICT)


def reason_of(ended: Ended) -> str:
    """A worker's end in words, with the last line of its standard error."""
    lines = [line.strip() for line in ended.errors.splitlines() if line.strip()]
    said = f": {lines[-1][:_LONGEST_ERROR]}" if lines and not _is_clean(ended) else ""
    return f"{_end_of(ended)}{said}"


def _end_of(ended: Ended) -> str:
    if ended.end is End.EXIT:
        return f"it ended with exit code {ended.code}"
    if ended.end is not End.SIGNAL:
        return _ENDS[ended.end]
    try:
        name = signal.Signals(ended.code or 0).name
    except ValueError:
        name = "unknown"
    return f"it was ended by signal {ended.code} ({name})"


def _is_clean(ended: Ended) -> bool:
    return ended.end in (End.LINGERED, End.UNSEEN) or (ended.end is End.EXIT and ended.code == 0)
