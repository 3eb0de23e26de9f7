"""Decide what follows from causes: for each finished work at most one reopen, or one comment."""

from __future__ import annotations

import itertools
from collections import defaultdict
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from unlatch.config.choices import Reaction
from unlatch.increments.model.status import Status
from unlatch.values import dataclass
from unlatch_regressions.cause import Cause

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from unlatch_regressions.branch.history import Ancestors, History
    from unlatch_regressions.recorded import Recorded
    from unlatch_regressions.request import Work

# The kind whose causes are gone after several observations.
_TEST = "test"
_UNKNOWN = "it belongs to no finished work"
_OLD = "it was there when the work was completed"
_UNDATED = "nothing shows when the work was completed"
_NOT_AWAY = "the last reopen was for it, and it has not been away since"
_SAID = "the work is open, and it is on record"
_IGNORED = "the policy ignores it"
# Returns are told this often.
_DAY = timedelta(days=1)
_STRENGTH = tuple(Reaction)


class Effect(StrEnum):
    """What a cause does to its work."""

    REOPEN = "reopen"
    COMMENT = "comment"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What follows from a cause.

    Args:
        effect: what its reaction is about; a suggestion leaves it to a person.
        why: the reason for no stronger reaction; "" if there is none.
        returns: how often it came back since the work was reopened.
    """

    cause: Cause
    reaction: Reaction
    effect: Effect
    why: str = ""
    returns: int = 0

    @property
    def acts(self) -> bool:
        return self.reaction is Reaction.REOPEN and self.effect is not Effect.NOTHING

    @property
    def is_suggested(self) -> bool:
        return self.reaction is Reaction.SUGGEST and self.effect is not Effect.NOTHING


@dataclass(frozen=True, slots=True)
class Policy:
    """What a project lets causes do.

    Args:
        reactions: by kind; others are suggested.
        runs: the number of runs in a row after which a test counts as failed, or passed.
        limit: the strongest reaction here.
        why: why not a stronger one.
    """

    reactions: Mapping[str, Reaction]
    runs: int = 2
    limit: Reaction = Reaction.REOPEN
    why: str = ""

    def reaction(self, cause: Cause) -> tuple[Reaction, str]:
        """The reaction to a cause, and why it is no stronger one."""
        own = self.reactions.get(cause.kind, Reaction.SUGGEST)
        ignored = _IGNORED if own is Reaction.IGNORE else ""
        return min(
            ((own, ignored), (cause.at_most, cause.why), (self.limit, self.why)), key=_strength
        )


def _order(cause: Cause) -> datetime:
    return cause.seen_at


def _strength(pair: tuple[Reaction, str]) -> int:
    return _STRENGTH.index(pair[0])


class Judge:
    """Judges the causes that readers saw.

    Args:
        seen: all observations, those that a cause is gone included.
    """

    def __init__(
        self,
        seen: Iterable[Cause],
        works: Mapping[str, Work],
        history: History,
        policy: Policy,
        now: datetime,
    ) -> None:
        self._works, self._history, self._policy, self._now = works, history, policy, now
        self._seen = defaultdict[tuple[str, str], list[Cause]](list)
        for cause in seen:
            self._seen[cause.work, cause.fingerprint].append(cause)
        for causes in self._seen.values():
            # Of one second, as their reader gave them.
            causes.sort(key=_order)
        named = (name for work in works.values() for name in (work.completed_in, work.reopened_in))
        self._before: Ancestors = history.ancestors(of=filter(None, named))

    def verdicts(self) -> Iterator[Verdict]:
        """What follows from each cause that is there, in the order of their times."""
        last = [causes[-1] for causes in self._seen.values()]
        for cause in sorted((cause for cause in last if not cause.is_gone), key=_order):
            yield self._judge(cause)

    def _judge(self, cause: Cause) -> Verdict:
        work = self._works.get(cause.work)
        if work is None:
            return Verdict(cause, Reaction.IGNORE, Effect.NOTHING, cause.why or _UNKNOWN)
        is_old = self._is_old(cause, work)
        if is_old:
            return Verdict(cause, Reaction.IGNORE, Effect.NOTHING, _OLD)
        reaction, why = self._policy.reaction(cause)
        if is_old is None and reaction is Reaction.REOPEN:
            reaction, why = Reaction.SUGGEST, _UNDATED
        recorded, returns = self._works[cause.work].recorded, self._returns(cause)
        effect = Effect.COMMENT
        if work.increment.status is Status.COMPLETED:
            effect = Effect.REOPEN
            if cause.fingerprint in recorded.at and not returns:
                return Verdict(cause, Reaction.IGNORE, Effect.NOTHING, _NOT_AWAY)
        elif cause.fingerprint in recorded.at and not self._is_due(recorded, cause, returns):
            return Verdict(cause, Reaction.IGNORE, Effect.NOTHING, _SAID, returns)
        return Verdict(cause, reaction, effect, why, returns)

    def _is_old(self, cause: Cause, work: Work) -> bool | None:
        """Whether a cause was there when the work was completed; None if nothing tells that."""
        if work.completed_in and self._history.find(cause.commit):
            return self._before.has(cause.commit, of=work.completed_in)
        completed = work.completed_at
        if completed is None or cause.seen_at == completed:  # of one second, nobody knows
            return None
        return cause.seen_at < completed

    def _returns(self, cause: Cause) -> int:
        """How often a cause on record came back since the last reopen."""
        work = self._works[cause.work]
        if cause.fingerprint not in work.recorded.at:
            return 0
        seen = self._seen[cause.work, cause.fingerprint]
        away = [each.is_gone for each in seen if self._is_later(each, work)]
        return sum(was and not now for was, now in itertools.pairwise(away))

    def _is_later(self, cause: Cause, work: Work) -> bool:
        """Whether a cause on record was seen after that; of the last reopen's, commits tell it."""
        since = work.recorded.at[cause.fingerprint]
        is_of_reopen = since == work.increment.reopens[-1].reopened_at
        if is_of_reopen and work.reopened_in and self._history.find(cause.commit):
            is_same = cause.commit == work.reopened_in
            return is_same or not self._before.has(cause.commit, of=work.reopened_in)
        return cause.seen_at >= since

    def _is_due(self, recorded: Recorded, cause: Cause, returns: int) -> bool:
        """Whether a comment has to count the returns of a cause of open work."""
        is_told_today = recorded.told_at is not None and self._now - recorded.told_at < _DAY
        return returns > recorded.returns.get(cause.fingerprint, 0) and not is_told_today

    def completions(self, verdicts: Iterable[Verdict]) -> Iterator[tuple[Work, Sequence[Cause]]]:
        """Open work that was reopened for causes which have all gone, with what shows that."""
        broken = {verdict.cause.work for verdict in verdicts if verdict.why != _OLD}
        for name, work in self._works.items():
            recorded = work.recorded
            if recorded.at and name not in broken and not work.increment.status.is_finished:
                gone = [self._gone(name, fingerprint) for fingerprint in recorded.at]
                evidence = [cause for cause in gone if cause is not None]
                if len(evidence) == len(gone):
                    yield work, evidence

    def _gone(self, work: str, fingerprint: str) -> Cause | None:
        """The last observation that a cause is gone, if there are enough of them in a row."""
        causes = self._seen.get((work, fingerprint), [])
        needed = self._policy.runs if causes and causes[-1].kind == _TEST else 1
        last = causes[-needed:]
        return last[-1] if len(last) == needed and all(cause.is_gone for cause in last) else None
