"""The changes that follow from verdicts: for each work one reopen, or one comment."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from unlatch.lifecycle.activation_guard import ActivationOptions
from unlatch.lifecycle.resume import plan_resume
from unlatch.lifecycle.resume_plan import ResumeRequest
from unlatch.spi.render import without_references
from unlatch_regressions.cause import Cause, short_line
from unlatch_regressions.judging import Effect, Verdict
from unlatch_regressions.noting import Note, recorded_cause

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from unlatch.lifecycle.change import Change
    from unlatch.spi.operation import DeliveryOptions
    from unlatch_regressions.request import Work

# A reason names so many causes.
_MOST = 5
# Characters of a commit's id.
_SHORT = 10
# Within the quotation marks, one of these would look like their end.
_MARKS = str.maketrans(dict.fromkeys('"“”„‟″‶〝〞〟\uff02', "'"))
_WORDS = {
    "revert": "commit {place} reverts it: {evidence}",
    "trailer": "commit {place} asks for it: {evidence}",
    "test": "a test fails that guards it: {evidence}",
    "alert": "an alert is open again: {evidence} ({place})",
}
_OTHER = "{kind}: {evidence} ({place})"


def changes_for(
    verdicts: Iterable[Verdict],
    works: Mapping[str, Work],
    *,
    by: str,
    options: DeliveryOptions,
    mentions: bool = False,
) -> Iterator[Change]:
    """The changes that act, in the order of their first causes; a reopen before its notes.

    At last come the deliveries that an earlier run for a cause left pending.

    Args:
        mentions: whether references in a reason take effect on trackers, so that a cause's words
            have to lose theirs.
    """
    by_work = defaultdict[str, list[Verdict]](list)
    for verdict in verdicts:
        if verdict.acts:
            by_work[verdict.cause.work].append(verdict)
    for name, causes in by_work.items():
        increment = works[name].increment
        words = reason_for(causes)
        reason = without_references(words) if mentions else words
        if causes[0].effect is not Effect.REOPEN:
            yield Note(increment, causes, by, reason, options)
            continue
        first = causes[0].cause
        yield plan_resume(
            increment,
            ResumeRequest(
                by,
                reason,
                options=options,
                activation=ActivationOptions(None, force=False),
                current=None,
                key=f"cause:{first.fingerprint}",
                cause=recorded_cause(first),
            ),
        )
        if causes[1:]:
            yield Note(increment, causes[1:], by)
    for name, work in works.items():
        if name not in by_work and work.increment.pending and work.recorded.at:
            yield plan_resume(work.increment, ResumeRequest(by, options=options, current=None))


def reason_for(verdicts: Sequence[Verdict]) -> str:
    """The reason for a reopen or a comment; evidence is quoted, since it is a text from outside."""
    words = [_words(verdict) for verdict in verdicts[:_MOST]]
    if left := len(verdicts) - len(words):
        words.append(f"and {left} more")
    text = "; ".join(words)
    return text[:1].upper() + text[1:]


def _words(verdict: Verdict) -> str:
    cause = verdict.cause
    place = short_place(cause)
    told = _WORDS.get(cause.kind, _OTHER).format(
        kind=cause.kind, place=place, evidence=quoted(cause.evidence)
    )
    times = "once" if verdict.returns == 1 else f"{verdict.returns} times"
    return f"{told} (it came back {times})" if verdict.returns else told


def short_place(cause: Cause) -> str:
    """The place of a cause on one line; a commit by the beginning of its id."""
    return cause.place[:_SHORT] if cause.place == cause.commit else short_line(cause.place)


def quoted(evidence: str) -> str:
    """A text from outside as one quoted line.

    Bots obey lines that begin with their commands; in quotation marks no line of it begins so.
    """
    return f"“{short_line(evidence).translate(_MARKS)}”"
